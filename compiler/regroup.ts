/** The specialization to compile again with, where the compiler answered `regroup`. */
import type {
  ArgumentSpec,
  CompileRequest,
  CompileResult,
  Regroup,
  Specialization,
} from './program';

/** Rounds of merging binding groups; each makes them fewer. */
const MOST_ROUNDS = 64;

/** Compiles until the binding groups are settled. @returns the last answer and what it answers. */
export function settle(
  compile: (request: CompileRequest) => CompileResult,
  first: CompileRequest,
  most = MOST_ROUNDS,
): { readonly result: CompileResult; readonly request: CompileRequest } {
  let request = first;
  let result = compile(request);
  for (let attempt = 1; result.kind === 'regroup' && attempt < most; attempt++) {
    request = { ...request, specialization: regroup(request.specialization, result) };
    result = compile(request);
  }
  return { result, request };
}

/**
 * Binding groups merged as the compiler requires, with an arena where it needs one; numbered again
 * without gaps, in order of use. What is no argument and lies in the arena is the runtime's to add.
 */
export function regroup(specialization: Specialization, answer: Regroup): Specialization {
  const parent = new Map<number, number>();
  const find = (group: number): number => {
    let root = group;
    while (parent.has(root)) root = parent.get(root) ?? root;
    return root;
  };
  const join = (groups: readonly number[]): void => {
    for (const group of groups) {
      const [a, b] = [find(groups[0] ?? group), find(group)];
      if (a !== b) parent.set(b, a);
    }
  };
  for (const groups of answer.merge) join(groups);
  const arena = specialization.arena ?? (answer.arena ? FRESH : undefined);
  if (answer.arena && arena !== undefined) join([arena, ...answer.arena]);

  const numbers = new Map<number, number>();
  const numberOf = (group: number): number => {
    const root = find(group);
    const number = numbers.get(root) ?? numbers.size;
    numbers.set(root, number);
    return number;
  };
  const renumber = (spec: ArgumentSpec): ArgumentSpec => {
    if (spec.kind === 'pointer') return { ...spec, group: numberOf(spec.group) };
    return spec.kind === 'tuple' ? { ...spec, items: spec.items.map(renumber) } : spec;
  };
  const { arena: _, ...rest } = specialization;
  const made = { ...rest, arguments: rest.arguments.map(renumber) };
  return arena === undefined ? made : { ...made, arena: numberOf(arena) };
}

/** Stands for an arena that there was none of. */
const FRESH = -1;
