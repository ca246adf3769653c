/** The parts of the runtime that need no GPU. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UniformWord } from '../../compiler/program';
import { bytesOfDtype, flattenArguments, withGroups, type Leaf } from './arguments';
import { quantumOf, timingOf } from './clock';
import { formatBytes } from './errors';
import { partition } from './grouping';
import { digest, stableJson } from './key';
import { cpuCopy, StorageTable, type Block, type Storage } from './storage';
import { packUniforms, scalarWord } from './uniforms';

describe('storages', () => {
  it('pads to 16 bytes, and spreads addresses above 2³² without overlap', () => {
    const table = new StorageTable(1000);
    const made = [0, 1, 16, 17, 255, 256, 257].map((bytes) => table.create(bytes));
    expect(made.map((storage) => storage.size)).toEqual([16, 16, 16, 32, 256, 256, 272]);
    for (const [index, storage] of made.entries()) {
      expect(storage.address % 256).toBe(0);
      expect(storage.address).toBeGreaterThan(2 ** 32);
      const next = made[index + 1];
      if (next) expect(next.address).toBeGreaterThan(storage.address + storage.size);
    }
  });
  it('keeps one zeroed CPU array as long as it lives', () => {
    const storage = new StorageTable(1000).create(5);
    const copy = cpuCopy(storage);
    expect([...copy]).toEqual([0, 0, 0, 0, 0]);
    expect(copy.buffer.byteLength).toBe(16);
    expect(cpuCopy(storage)).toBe(copy);
  });
  it('refuses with a sentence', () => {
    expect(() => new StorageTable(1024).create(4096)).toThrow(
      /Tried to allocate 4 KiB; this run allows 1 KiB a tensor/,
    );
  });
  it('forgets what was released', () => {
    const table = new StorageTable(1000);
    const storage = table.create(4);
    table.remove(storage.id);
    expect(() => table.get(storage.id)).toThrow(/was released/);
    expect(table.create(4).id).not.toBe(storage.id);
  });
});

describe('partition', () => {
  const table = new StorageTable(1e9);
  const make = (...sizes: number[]): Storage[] => sizes.map((size) => table.create(size));

  it('gives every storage its own group, numbered by first use', () => {
    const [a, b, c] = make(16, 16, 16) as [Storage, Storage, Storage];
    const { groups, groupOf } = partition([b, a, b, c], [], 8);
    expect(groups).toEqual([[b], [a], [c]]);
    expect(groupOf.get(c)).toBe(2);
  });
  it('merges the smallest where there are too many', () => {
    const [a, b, c, d] = make(4096, 16, 8192, 32) as [Storage, Storage, Storage, Storage];
    expect(partition([a, b, c, d], [], 3).groups).toEqual([[a], [b, d], [c]]);
    expect(partition([a, b, c, d], [], 1).groups).toEqual([[a, b, c, d]]);
  });
  it('keeps what lies in one block together, and follows the compiler', () => {
    const [a, b, c, d] = make(16, 16, 16, 16) as [Storage, Storage, Storage, Storage];
    a.block = c.block = { id: 1 } as Block;
    expect(partition([a, b, c, d], [[b, d]], 8).groups).toEqual([
      [a, c],
      [b, d],
    ]);
  });
  it('never exceeds the limit, and never splits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 }),
        fc.array(fc.array(fc.nat(19), { maxLength: 4 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 10 }),
        (sizes, wishes, limit) => {
          const storages = make(...sizes);
          const merges = wishes.map((wish) => wish.flatMap((index) => storages[index] ?? []));
          const { groups, groupOf } = partition(storages, merges, limit);
          expect(groups.length).toBeLessThanOrEqual(limit);
          expect(groups.flat().length).toBe(storages.length);
          for (const merge of merges) {
            expect(new Set(merge.map((storage) => groupOf.get(storage))).size).toBeLessThan(2);
          }
        },
      ),
    );
  });
});

describe('uniforms', () => {
  const scalar = (text: string, dtype: string, word: 0 | 1 = 0): number =>
    scalarWord({ kind: 'scalar', path: [0], dtype, text }, dtype, word);

  it('packs integers of any width', () => {
    expect(scalar('-1', 'int32')).toBe(0xffff_ffff);
    expect(scalar('-1', 'int64', 1)).toBe(0xffff_ffff);
    expect(scalar('18446744073709551615', 'uint64', 1)).toBe(0xffff_ffff);
    expect(scalar('4294967298', 'int64', 0)).toBe(2);
    expect(scalar('4294967298', 'int64', 1)).toBe(1);
    expect(scalar('True', 'int1')).toBe(1);
  });
  it('packs floats, with infinities and NaN', () => {
    expect(scalar('1.0', 'float32')).toBe(0x3f80_0000);
    expect(scalar('-inf', 'float32')).toBe(0xff80_0000);
    expect(scalar('nan', 'fp32')).toBe(0x7fc0_0000);
    expect(scalar('1e-05', 'float32')).toBe(0x3727_c5ac);
    expect(scalar('1.0', 'float64', 1)).toBe(0x3ff0_0000);
    expect(scalar('1.5', 'bfloat16')).toBe(0x3fc0);
    expect(() => scalar('one', 'float32')).toThrow(/no number/);
  });
  it('rounds to float16 as the numbers are', () => {
    const known: [string, number][] = [
      ['0.0', 0],
      ['-0.0', 0x8000],
      ['1.0', 0x3c00],
      ['65504.0', 0x7bff],
      ['65519.99', 0x7bff],
      ['65520.0', 0x7c00],
      ['5.960464477539063e-08', 1],
      ['2.980232238769531e-08', 0],
      ['6.103515625e-05', 0x0400],
      ['0.1', 0x2e66],
      ['-2.0', 0xc000],
      ['1.00048828125', 0x3c00],
      ['1.00146484375', 0x3c02],
    ];
    for (const [text, bits] of known) expect([text, scalar(text, 'float16')]).toEqual([text, bits]);
  });
  it('tells where pointers start and end, in elements of their group', () => {
    const storage = new StorageTable(1e9).create(100);
    storage.base = 512;
    const leaves: Leaf[] = [
      {
        kind: 'pointer',
        path: [2, 1],
        dtype: 'float16',
        elementBytes: 2,
        storage,
        byteOffset: 6,
        label: 'x',
      },
    ];
    const words: UniformWord[] = [
      { kind: 'offset', path: [2, 1] },
      { kind: 'begin', path: [2, 1] },
      { kind: 'end', path: [2, 1] },
      { kind: 'grid', axis: 1 },
    ];
    expect([...packUniforms(words, leaves, [7, 8, 9])]).toEqual([259, 256, 306, 8]);
    expect(packUniforms([], [], [1, 1, 1]).byteLength).toBe(16);
    expect(() => packUniforms([{ kind: 'offset', path: [0] }], leaves, [1, 1, 1])).toThrow();
  });
});

describe('arguments', () => {
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
    numStages: 1,
    numCtas: 1,
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
    const grouped = withGroups(spec, (path) => path.length);
    expect(JSON.stringify(grouped)).toContain('"dtype":"int64","divisibleBy16":true,"group":2');
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
  it('knows the bytes of every dtype', () => {
    const sizes = { int1: 1, uint8: 1, float8e4nv: 1, fp8e5: 1, bfloat16: 2, fp32: 4, int64: 8 };
    for (const [dtype, bytes] of Object.entries(sizes)) expect(bytesOfDtype(dtype)).toBe(bytes);
    expect(() => bytesOfDtype('complex')).toThrow();
  });
});

describe('keys and clocks', () => {
  it('writes equal objects alike', () => {
    expect(stableJson({ b: [1, { d: 2, c: undefined }], a: 'x' })).toBe(
      '{"a":"x","b":[1,{"d":2}]}',
    );
    expect(digest('a')).not.toBe(digest('b'));
  });
  it('finds the step of a clock', () => {
    expect(quantumOf([65_536n * 3n, 65_536n * 7n])).toBe(65_536);
    expect(quantumOf([65_536n * 9n, 65_536n * 9n])).toBe(65_536);
    expect(quantumOf([1000n, 3040n, 5080n])).toBe(40);
    expect(quantumOf([123_456_789_123n, 123_456_789_123n])).toBe(1);
    expect(quantumOf([])).toBe(1);
  });
  it('tells the median and the spread in microseconds', () => {
    const timing = timingOf([3000, 1000, 2000], 'gpu', 1);
    expect(timing).toMatchObject({ median: 2, samples: 3, clock: 'gpu', quantum: 0.001 });
    expect(timing.low).toBeCloseTo(1.2);
    expect(timing.high).toBeCloseTo(2.8);
  });
  it('writes bytes for people', () => {
    expect([512, 1536, 2 ** 31].map(formatBytes)).toEqual(['512 bytes', '1.5 KiB', '2 GiB']);
  });
});
