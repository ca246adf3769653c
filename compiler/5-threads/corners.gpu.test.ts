/**
 * Cases that random kernels leave out: NaN in reductions, narrow and float atomics, chunks through
 * memory.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { testParser } from '../1-parse/testing/testParser';
import { Builder } from '../ir/builder';
import type { AtomicKind } from '../ir/builder';
import { Block, Func } from '../ir/ir';
import type { Value } from '../ir/ir';
import { UNKNOWN_LOCATION } from '../ir/location';
import { floatBits } from '../ir/numbers';
import { byteSize, F32, I32, isFloat, pointer, scalar, shapeOf, tensor } from '../ir/types';
import type { DType, ScalarType } from '../ir/types';
import { BASELINE_TARGET } from '../target';
import { differences, EXACT } from './testing/differential';
import { lowerSigned } from './testing/lowerSigned';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const bytes = (dtype: DType, n: number, f: (i: number) => number): Uint8Array<ArrayBuffer> => {
  const size = byteSize(scalar(dtype));
  const view = new DataView(new ArrayBuffer(n * size));
  for (let i = 0; i < n; i++) {
    const bits = isFloat(dtype) ? floatBits(dtype, f(i)) : BigInt(Math.floor(f(i)));
    for (let k = 0; k < size; k++)
      view.setUint8(i * size + k, Number((bits >> BigInt(8 * k)) & 0xffn));
  }
  return new Uint8Array(view.buffer);
};
const hash = (i: number): number => (Math.imul(i + 17, 0x9e3779b1) >>> 7) & 0xffff;

function kernel(
  types: readonly ScalarType[],
  build: (b: Builder, args: readonly Value[]) => void,
): () => Func {
  return () => {
    const body = new Block();
    const args = types.map((type, i) => body.addArg(pointer(type), `p${i}`));
    const b = new Builder(body);
    build(b, args);
    b.return();
    const parameters = types.map(() => ({ divisibility: 16 }));
    return new Func('corner', parameters, body, UNKNOWN_LOCATION);
  };
}
const at = (b: Builder, base: Value, offsets: Value): Value =>
  b.addptr(b.splat(base, shapeOf(offsets.type)), offsets);

describe.skipIf(software.kind === 'missing')('corners', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });
  const check = async (
    make: () => Func,
    args: readonly Uint8Array<ArrayBuffer>[],
  ): Promise<void> => {
    for (const target of [gpu.target, BASELINE_TARGET]) {
      const where = { device: gpu.device, target };
      const found = await differences(where, make, args, [2, 1, 1], EXACT);
      expect(found.slice(0, 5)).toEqual([]);
    }
  };

  it.each(['max', 'min'] as const)('drops NaN in tl.%s with indices', async (name) => {
    const text = `import triton
import triton.language as tl

@triton.jit
def kernel(X, V, I, N: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(X + row * N + tl.arange(0, N))
    v, i = tl.${name}(x, 0, return_indices=True)
    tl.store(V + row, v)
    tl.store(I + row, i)
`;
    const parser = await testParser();
    for (const N of [16, 512])
      await check(
        () => lowerSigned(parser, text, { X: '*fp32', V: '*fp32', I: '*i32', N }),
        [
          bytes('f32', 2 * N, (i) => (i % 3 === 1 || (i > N && i % 16 > 2) ? NaN : hash(i) - 3e4)),
          bytes('f32', 2, () => 0),
          bytes('i32', 2, () => 0),
        ],
      );
  });

  const EXTREMES = ['maxnumf', 'minnumf', 'maximumf', 'minimumf'] as const;
  // A thread has whole words, and the mask takes any of their elements: what is not stored stays.
  it.each(['bf16', 'i8', 'i16', 'f8E5M2', 'f16', 'i1'] as const)(
    'narrow words under masks that end anywhere: %s',
    async (dtype) => {
      const type = scalar(dtype);
      const make = kernel([type, type, I32], (b, [x, out, masks]) => {
        const offsets = b.makeRange(0, 256);
        const chosen = b.load(at(b, masks!, offsets));
        const mask = b.cmp('slt', chosen, b.splat(b.i32(0x9000), [256]));
        const other = b.constant(tensor([256], type), dtype === 'i1' ? true : 3);
        b.store(at(b, out!, offsets), b.load(at(b, x!, offsets), mask, other), mask);
        const end = b.cmp('slt', offsets, b.splat(b.i32(101), [256]));
        const later = b.binary('arith.addi', offsets, b.splat(b.i32(256), [256]));
        b.store(at(b, out!, later), b.load(at(b, x!, offsets), end), end);
      });
      const narrow = (i: number): number => (dtype === 'i1' ? hash(i) & 1 : (hash(i) % 9) - 4);
      await check(make, [
        bytes(dtype, 256, narrow),
        bytes(dtype, 512, (i) => narrow(i + 999)),
        bytes('i32', 256, hash),
      ]);
    },
  );

  it.each(EXTREMES.flatMap((name) => [1, 7, 0].map((every) => [name, every] as const)))(
    'reduces by %s with a NaN every %i',
    async (name, every) => {
      const [rows, columns] = [4, 128];
      const make = kernel([F32, F32], (b, [x, out]) => {
        const range = b.makeRange(0, rows * columns);
        const tile = b.reshape(b.load(at(b, x!, range)), [rows, columns]);
        const sum = b.reduce([tile], 1, ([l], [r]) => [b.binary(`arith.${name}`, l!, r!)])[0]!;
        b.store(at(b, out!, b.makeRange(0, rows)), sum);
        const scanned = b.scan([tile], 0, false, ([l], [r]) => [
          b.binary(`arith.${name}`, l!, r!),
        ])[0]!;
        const flat = b.reshape(scanned, [rows * columns]);
        b.store(at(b, b.addptr(out!, b.i32(16)), range), flat);
      });
      await check(make, [
        bytes('f32', 512, (i) =>
          every > 0 && i % every === 0 && i > 100 ? NaN : i === 300 ? -Infinity : hash(i) - 3e4,
        ),
        bytes('f32', 16 + 512, () => 7),
      ]);
    },
  );

  it.each(['f32', 'i64', 'f16'] as const)('transposes through memory: %s', async (dtype) => {
    const type = scalar(dtype);
    const [rows, columns] = [32, 32];
    const make = kernel([type, type], (b, [x, out]) => {
      const range = b.makeRange(0, rows * columns);
      const tile = b.reshape(b.load(at(b, x!, range)), [rows, columns]);
      const turned = b.trans(tile, [1, 0]);
      b.store(at(b, out!, range), b.reshape(turned, [rows * columns]));
    });
    const args = [
      bytes(dtype, rows * columns, (i) => i % 1000),
      bytes(dtype, rows * columns, () => 7),
    ];
    await check(make, args);
    // Tiles lie skewed where threads communicate through workgroup memory.
    const target = { ...gpu.target, sharedMemoryInStorage: false };
    const where = { device: gpu.device, target };
    expect(await differences(where, make, args, [1, 1, 1], EXACT)).toEqual([]);
  });

  it('reductions that do not need each other, together', async () => {
    const make = kernel([I32, I32], (b, [x, out]) => {
      const tile = b.load(at(b, x!, b.makeRange(0, 2048)));
      const by = (name: 'addi' | 'maxsi' | 'xori', value: Value): Value =>
        b.reduce([value], 0, ([l], [r]) => [b.binary(`arith.${name}`, l!, r!)])[0]!;
      const sum = by('addi', tile);
      const twice = b.binary('arith.addi', sum, sum);
      // Neither depends on the sum; the last one does.
      const most = by('maxsi', tile);
      const parity = by('xori', b.binary('arith.muli', tile, tile));
      const last = by('addi', b.binary('arith.xori', tile, b.splat(twice, [2048])));
      [sum, twice, most, parity, last].forEach((value, i) =>
        b.store(b.addptr(out!, b.i32(i)), value),
      );
    });
    await check(make, [bytes('i32', 2048, hash), bytes('i32', 8, () => 7)]);
  });

  const ATOMICS: [AtomicKind, DType][] = [
    ['fadd', 'f32'],
    ['fadd', 'f16'],
    ['add', 'i32'],
    ['max', 'i32'],
    ['min', 'i32'],
    ['umax', 'i32'],
    ['umin', 'i32'],
    ['and', 'i32'],
    ['or', 'i32'],
    ['xor', 'i32'],
    ['fadd', 'bf16'],
    ...(['add', 'max', 'min', 'umax', 'umin', 'and', 'or', 'xor'] as const).map(
      (kind): [AtomicKind, DType] => [kind, 'i64'],
    ),
    ['fadd', 'f64'],
  ];
  it.each(ATOMICS)('atomic %s of %s, many to a place, some masked', async (kind, dtype) => {
    const type = scalar(dtype);
    const make = kernel([type, type], (b, [x, out]) => {
      const range = b.makeRange(0, 512);
      const values = b.load(at(b, x!, range));
      const place = b.binary('arith.remsi', range, b.constant(range.type, 7));
      const mask = b.cmp('slt', range, b.constant(range.type, 437));
      b.atomicRmw(kind, at(b, out!, place), values, mask);
      // A replicated tile counts once.
      const few = b.splat(b.load(x!), [2]);
      b.atomicRmw(kind, at(b, b.addptr(out!, b.i32(9)), b.makeRange(0, 2)), few);
    });
    await check(make, [
      bytes(dtype, 512, (i) => (hash(i) % 5) - (isFloat(dtype) ? 2 : 0)),
      bytes(dtype, 32, (i) => i),
    ]);
  });
  it('64 bits: old values, one a place, and a scalar that all programs share', async () => {
    const type = scalar('i64');
    const make = kernel([type, type, type], (b, [x, out, olds]) => {
      const first = b.splat(b.binary('arith.muli', b.programId(0), b.i32(64)), [64]);
      const range = b.binary('arith.addi', b.makeRange(0, 64), first);
      const values = b.load(at(b, x!, range));
      const added = b.atomicRmw('add', at(b, out!, range), values);
      b.store(at(b, olds!, range), added);
      const mask = b.cmp('slt', range, b.constant(range.type, 100));
      const most = b.atomicRmw('umax', at(b, out!, range), values, mask);
      b.store(at(b, b.addptr(olds!, b.i32(128)), range), most);
      const shared = b.addptr(out!, b.i32(128));
      const count = b.atomicRmw('add', shared, b.constant(type, 2n ** 33n));
      b.store(b.addptr(b.addptr(olds!, b.i32(256)), b.programId(0)), count);
    });
    const far = (i: number): number => (hash(i) - 3e4) * 2 ** 30;
    await check(make, [
      bytes('i64', 128, far),
      bytes('i64', 129, (i) => far(i + 500)),
      bytes('i64', 258, () => 5),
    ]);
  });
  it.each(['i16', 'f16', 'i64', 'f64'] as const)('compares and exchanges %s', async (dtype) => {
    const type = scalar(dtype);
    const make = kernel([type, type, type, type], (b, [compares, values, out, olds]) => {
      const first = b.splat(b.binary('arith.muli', b.programId(0), b.i32(64)), [64]);
      const range = b.binary('arith.addi', b.makeRange(0, 64), first);
      const [compare, value] = [b.load(at(b, compares!, range)), b.load(at(b, values!, range))];
      const old = b.value('tt.atomic_cas', [at(b, out!, range), compare, value]);
      b.store(at(b, olds!, range), old);
    });
    await check(make, [
      bytes(dtype, 128, (i) => (i % 3 === 0 ? -i : i)),
      bytes(dtype, 128, (i) => 1000 + i),
      bytes(dtype, 128, (i) => i),
      bytes(dtype, 128, () => 1),
    ]);
  });
  it('casts pointers to other element types, within the same storage', async () => {
    const [byte, half] = [scalar('i8'), scalar('i16')];
    const make = kernel([I32, I32], (b, [x, out]) => {
      const cast = (pointee: ScalarType, p: Value): Value =>
        b.value('tt.bitcast', [p], pointer(pointee));
      const range = b.makeRange(0, 64);
      b.store(at(b, cast(byte, out!), range), b.load(at(b, cast(byte, x!), range)));
      const back = b.addptr(cast(half, b.addptr(cast(byte, out!), b.i32(126))), b.i32(-15));
      b.store(at(b, back, b.makeRange(0, 16)), b.load(at(b, cast(half, x!), b.makeRange(0, 16))));
    });
    await check(make, [bytes('i32', 16, (i) => hash(i) * 77), bytes('i32', 32, () => -1)]);
  });
  it.each(['f32', 'i32'] as const)('the old values of exchanges of %s', async (dtype) => {
    const type = scalar(dtype);
    const make = kernel([type, type, type], (b, [x, out, olds]) => {
      const pid = b.programId(0);
      const range = b.binary(
        'arith.addi',
        b.makeRange(0, 128),
        b.splat(b.binary('arith.muli', pid, b.i32(128)), [128]),
      );
      const old = b.atomicRmw('exch', at(b, out!, range), b.load(at(b, x!, range)));
      b.store(at(b, olds!, range), old);
    });
    const list = (f: (i: number) => number) => bytes(dtype, 256, f);
    await check(make, [list(hash), list((i) => i), list(() => 5)]);
  });

  it('gathers from a tile larger than workgroup memory', async () => {
    const make = kernel([I32, I32, I32], (b, [x, indices, out]) => {
      const range = b.makeRange(0, 8192);
      const source = b.load(at(b, x!, range));
      const wanted = b.load(at(b, indices!, range));
      const got = b.value('tt.gather', [source, wanted], undefined, { axis: 0 });
      b.store(at(b, out!, range), got);
    });
    await check(make, [
      bytes('i32', 8192, (i) => i * 3),
      bytes('i32', 8192, (i) => hash(i) % 8192),
      bytes('i32', 8192, () => 1),
    ]);
  });
  it('counts more bins than workgroup memory holds', async () => {
    const make = kernel([I32, I32], (b, [x, out]) => {
      const values = b.load(at(b, x!, b.makeRange(0, 2048)));
      const counts = b.value('tt.histogram', [values], tensor([8192], I32));
      b.store(at(b, out!, b.makeRange(0, 8192)), counts);
    });
    await check(make, [
      bytes('i32', 2048, (i) => (i % 3 === 0 ? 8191 : hash(i) % 8192)),
      bytes('i32', 8192, () => 77),
    ]);
  });
  it('keeps halves that overflow, and the sign of zero', async () => {
    const half = scalar('f16');
    const make = kernel([half, half], (b, [x, out]) => {
      const range = b.makeRange(0, 64);
      const v = b.load(at(b, x!, range));
      const doubled = b.binary('arith.addf', v, v);
      b.store(at(b, out!, range), b.binary('arith.mulf', doubled, v));
      b.store(at(b, b.addptr(out!, b.i32(64)), range), b.unary('arith.negf', v));
    });
    const values = [0, -0, 65504, -65504, 256, 181, 60000, 6e-8, -1, Infinity];
    const args = [bytes('f16', 64, (i) => values[i % values.length]!), bytes('f16', 128, () => 3)];
    await check(make, args);
  });
});
