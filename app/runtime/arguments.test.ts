/** Arguments, flattened through tuples. */
import { expect, it } from 'vitest';
import { bytesOfDtype, flattenArguments, hasWholeVectors, withStorages } from './arguments';
import { StorageTable } from './storage';

const spec = {
  arguments: [
    { kind: 'pointer', dtype: 'float32', divisibleBy16: true, group: 0 },
    {
      kind: 'tuple',
      items: [
        { kind: 'constexpr', value: { kind: 'none' } },
        { kind: 'pointer', dtype: 'int64', divisibleBy16: true, group: 0 },
        { kind: 'scalar', dtype: 'int32', divisibleBy16: false },
      ],
    },
  ],
  numWarps: 4,
} as const;
const table = new StorageTable(1e9);

it('flattens through tuples and puts groups in', () => {
  const a = table.create(16);
  const b = table.create(16);
  const leaves = flattenArguments(
    spec,
    [{ storage: a.id, byteOffset: 0 }, null, { storage: b.id, byteOffset: 8 }, { scalar: '3' }],
    ['x', 't'],
    (id) => table.get(id),
  );
  expect(leaves.map((leaf) => leaf.path)).toEqual([[0], [1, 1], [1, 2]]);
  const pointers = leaves.filter((leaf) => leaf.kind === 'pointer');
  const grouped = withStorages(spec, pointers, ({ id }) => id + 5);
  const text = `"dtype":"int64","divisibleBy16":true,"group":${b.id + 5},"wholeVectors":true`;
  expect(JSON.stringify(grouped)).toContain(text);
});

it('states whole vectors only of storages that end at 16 bytes', () => {
  const known = [16, 24, 4096, 4098, 0].map((bytes) => hasWholeVectors(table.create(bytes)));
  expect(known).toEqual([true, false, true, false, true]);
});

it('refuses pointers between elements', () => {
  const a = table.create(16);
  expect(() =>
    flattenArguments(
      { ...spec, arguments: [spec.arguments[0]] },
      [{ storage: a.id, byteOffset: 2 }],
      ['x_ptr'],
      (id) => table.get(id),
    ),
  ).toThrow(/x_ptr starts 2 bytes into its storage/);
});

it('has the bytes of every dtype', () => {
  const sizes = { int1: 1, uint8: 1, float8e4nv: 1, fp8e5: 1, bfloat16: 2, fp32: 4, int64: 8 };
  for (const [dtype, bytes] of Object.entries(sizes)) expect(bytesOfDtype(dtype)).toBe(bytes);
  expect(() => bytesOfDtype('complex')).toThrow();
});
