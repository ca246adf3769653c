/**
 * The operations of thread IR, assembled from one module a family. Printer, parser, verifier,
 * interpreter and the printing of WGSL take what they need from here, so an operation without a
 * type rule or a description does not compile.
 */
import { ARITHMETIC } from './ops/arithmetic';
import { CONTROL } from './ops/control';
import { GROUPS } from './ops/groups';
import { GUARDS } from './ops/guards';
import { MATRICES } from './ops/matrices';
import { MEMORY } from './ops/memory';
import type { ThreadOpSpec, ThreadTrait } from './ops/spec';
import { VECTORS } from './ops/vectors';

const table = {
  ...ARITHMETIC,
  ...VECTORS,
  ...MEMORY,
  ...GROUPS,
  ...MATRICES,
  ...GUARDS,
  ...CONTROL,
};

export type ThreadOpName = keyof typeof table;
export const THREAD_OPS: Readonly<Record<ThreadOpName, ThreadOpSpec>> = table;

/** Names by trait: passes and verifier ask this of every operation, many times. */
const WITH_TRAIT = new Map<ThreadTrait, Set<string>>();
for (const [name, { traits }] of Object.entries(THREAD_OPS))
  for (const trait of traits) WITH_TRAIT.set(trait, (WITH_TRAIT.get(trait) ?? new Set()).add(name));

export function hasThreadTrait(name: ThreadOpName, trait: ThreadTrait): boolean {
  return WITH_TRAIT.get(trait)?.has(name) ?? false;
}
export function isThreadOpName(name: string): name is ThreadOpName {
  return Object.hasOwn(THREAD_OPS, name);
}
