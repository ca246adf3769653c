import { expect, it } from 'vitest';
import type { CompileRequest, Specialization } from '../../compiler/program';
import { keepLaunched, keptLaunched, launchedIn } from './launched';
import { emptyRecord, type LaunchEvent, type RunRecord } from './record';

const specialization = (numWarps: number): Specialization => ({
  arguments: [],
  numWarps,
});

function ran(...launches: readonly (readonly [key: number, benchmark: boolean])[]): RunRecord {
  const record = emptyRecord(1, 0, '');
  for (const [warps, benchmark] of launches) {
    const key = `k${warps}`;
    const request = { specialization: specialization(warps) } as CompileRequest;
    record.specializations.push({ key, request });
    const first = { kernel: 'add', key, benchmark } as LaunchEvent;
    record.groups.push({ first, count: 1, timings: [] });
  }
  return record;
}

it('is what the program launched itself, and not all of it', () => {
  const record = ran([1, true], [2, false], [4, false], [8, false]);
  expect(launchedIn(record)).toEqual({ add: [specialization(2), specialization(4)] });
});

it('is remembered by program, and not what checks launched', () => {
  keepLaunched('one', ran([2, false]));
  keepLaunched('one', { ...ran([4, false]), checking: true });
  expect(keptLaunched('one')).toEqual({ add: [specialization(2)] });
  expect(keptLaunched('two')).toEqual({});
});
