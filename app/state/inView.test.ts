import { expect, it } from 'vitest';
import { useCompilation } from './compilation';
import type { SpecializationOption } from './specializations';
import { factContext } from './inView';
import { emptyRecord, type LaunchGroup } from './record';
import { useRun } from './run';

const group = (key: string, programs: number, benchmark: boolean): LaunchGroup =>
  ({ first: { key, grid: [programs, 1, 1], benchmark } }) as unknown as LaunchGroup;

it('reports the program’s own launch, and of a benchmark’s only where there is no other', () => {
  useCompilation.setState({ inView: { key: 'k', label: 'add' } as SpecializationOption });
  const groups = [group('k', 97, false), group('other', 5, false), group('k', 4096, true)];
  const record = emptyRecord(1, 0, '');
  useRun.setState({ record: { ...record, groups } });
  expect(factContext()).toEqual({ specialization: 'add', programs: 97 });
  useRun.setState({ record: { ...record, groups: groups.slice(1) } });
  expect(factContext().programs).toBe(4096);
});
