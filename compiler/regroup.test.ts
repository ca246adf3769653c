import { describe, expect, it } from 'vitest';
import type { ArgumentSpec, CompileRequest, CompileResult, Specialization } from './program';
import { regroup, settle } from './regroup';

const pointer = (group: number): ArgumentSpec => ({
  kind: 'pointer',
  dtype: 'float32',
  divisibleBy16: true,
  group,
});
const specialization = (groups: readonly number[], arena?: number): Specialization => ({
  arguments: [
    { kind: 'tuple', items: groups.slice(0, 2).map(pointer) },
    ...groups.slice(2).map(pointer),
  ],
  numWarps: 4,
  ...(arena === undefined ? {} : { arena }),
});
const ask = (from: Specialization, merge: number[][], arena?: number[]): Specialization =>
  regroup(from, { kind: 'regroup', merge, ...(arena ? { arena } : {}) });

describe('regroup', () => {
  it('merges groups, and numbers them again', () => {
    expect(ask(specialization([0, 1, 2, 3]), [[1, 3]])).toEqual(specialization([0, 1, 2, 1]));
    expect(
      ask(specialization([0, 1, 2, 3]), [
        [2, 0],
        [1, 2],
      ]),
    ).toEqual(specialization([0, 0, 0, 1]));
  });
  it('adds an arena, of its own or with what must lie in it', () => {
    expect(ask(specialization([0, 1, 2]), [], [])).toEqual(specialization([0, 1, 2], 3));
    expect(ask(specialization([0, 1, 2]), [], [2, 0])).toEqual(specialization([0, 1, 0], 0));
    expect(ask(specialization([0, 1, 2, 3]), [[1, 2]], [3])).toEqual(
      specialization([0, 1, 1, 2], 2),
    );
  });
  it('keeps the arena, which others may join', () => {
    expect(ask(specialization([0, 1, 2], 3), [[0, 1]])).toEqual(specialization([0, 0, 1], 2));
    expect(ask(specialization([0, 1, 2], 3), [[1, 3]])).toEqual(specialization([0, 1, 2], 1));
  });
});

describe('settle', () => {
  const first = { specialization: specialization([0, 1, 2]) } as unknown as CompileRequest;
  const failed: CompileResult = { kind: 'failed', diagnostics: [], log: [] };
  const again: CompileResult = { kind: 'regroup', merge: [[0, 1]] };

  it('compiles with what was requested, until nothing is', () => {
    const answers = [again, again, failed];
    const { result, request } = settle(() => answers.shift()!, first);
    expect(result).toBe(failed);
    expect(request.specialization).toEqual(specialization([0, 0, 0]));
  });
  it('gives up after so many rounds', () => {
    let rounds = 0;
    const regroups = (): CompileResult => (rounds++, again);
    expect(settle(regroups, first, 3).result).toBe(again);
    expect(rounds).toBe(3);
  });
});
