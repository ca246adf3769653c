/**
 * A profile: the target that a known GPU gives through a known WebGPU implementation, and the
 * source of each of its fields. Where nothing is known, a field is what WebGPU promises at least,
 * or what holds if a probe fails, and its source says so.
 */
import { GPU_FACTS, type MachineFacts } from '../machine';
import { BASELINE_TARGET, type Target } from '../target';
import { UNTRIED } from './untried';

type Field = Exclude<keyof Target, 'name' | 'machine'>;
/** A field of a target, or a fact of its machine. */
export type ProfileField = Field | `machine.${keyof MachineFacts}`;

export interface Profile {
  /** As the command names it: `apple-m1`. */
  readonly id: string;
  readonly target: Target;
  readonly sources: ReadonlyMap<ProfileField, string>;
}

/** Fields with their source: a measurement of ours with its date, a document, a public report. */
export interface Given {
  readonly source: string;
  readonly fields: Partial<Pick<Target, Field>>;
  readonly machine: Partial<MachineFacts>;
}

export const DEFAULT_SOURCE = 'default; not measured';

export function given(
  source: string,
  fields: Given['fields'],
  machine: Given['machine'] = {},
): Given {
  return { source, fields, machine };
}

const { name: _, ...DEFAULTS } = { ...BASELINE_TARGET, ...UNTRIED };

/** @param all later ones count before earlier ones. */
export function profile(id: string, name: string, ...all: readonly Given[]): Profile {
  const sources = new Map<ProfileField, string>();
  const note = (names: readonly string[], prefix: string, source: string): void =>
    names.forEach((each) => sources.set(`${prefix}${each}` as ProfileField, source));
  note(Object.keys(DEFAULTS), '', DEFAULT_SOURCE);
  note(Object.keys(GPU_FACTS), 'machine.', DEFAULT_SOURCE);
  for (const { source, fields, machine } of all) {
    note(Object.keys(fields), '', source);
    note(Object.keys(machine), 'machine.', source);
  }
  const target: Target = {
    ...DEFAULTS,
    ...Object.assign({}, ...all.map(({ fields }) => fields)),
    name,
    machine: Object.assign({}, GPU_FACTS, ...all.map(({ machine }) => machine)),
  };
  return { id, target, sources };
}
