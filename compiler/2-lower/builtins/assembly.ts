/**
 * `tl.inline_asm_elementwise`: PTX, translated where it is straight-line arithmetic (`../ptx`);
 * what is not is refused by the instruction's name. And the names of `tl.extra.cuda`.
 */
import { MESSAGES } from '../codes';
import type { Context } from '../context';
import { bits, dtypeNamed, isFloating, type NumberDtype } from '../dtypes';
import { LIBDEVICE, TL } from '../paths';
import { Machine, reinterpret, unsignedOf } from '../ptx/machine';
import { PtxError, PtxMistake, parsePtx } from '../ptx/parse';
import { translatePtx } from '../ptx/translate';
import { define, type Arguments } from '../registry';
import { broadcastAll, cast, toTensor } from '../semantics/convert';
import { dtypeArgument, staticInt, staticString } from '../shapes';
import { NONE, describe, int, tuple, type Tensor, type Val } from '../values';
import { repack, unpack } from './packs';

/** Bits of a register, by its constraint. */
const WIDTHS: Readonly<Record<string, number>> = {
  h: 16,
  r: 32,
  f: 32,
  l: 64,
  q: 128,
  d: 64,
  b: 1,
  c: 8,
};

interface Constraint {
  readonly width: number;
  /** An input that stands in an output's register. */
  readonly tied?: number;
}

function constraintsOf(cx: Context, text: string): { outputs: Constraint[]; inputs: Constraint[] } {
  const outputs: Constraint[] = [];
  const inputs: Constraint[] = [];
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '' || item.startsWith('~')) continue;
    if (/^\d+$/.test(item)) {
      const tied = Number(item);
      inputs.push({ width: outputs[tied]?.width ?? 32, tied });
      continue;
    }
    const output = item.startsWith('=');
    const width = WIDTHS[item.replace(/^=?&?/, '')];
    if (width === undefined || width > 64)
      return cx.fail('HC0215', MESSAGES.HC0215.constraintInlineAssembly({ item }));
    (output ? outputs : inputs).push({ width });
  }
  return { outputs, inputs };
}

/** How many elements of a pack share a register. */
const perRegister = (dtype: NumberDtype, pack: number): number =>
  Math.min(pack, Math.max(1, 32 / bits(dtype)));

/** The registers of one argument: its packs' elements, the first in the lowest bits. */
function registersOf(cx: Context, m: Machine, parts: readonly Tensor[]): Tensor[] {
  const dtype = parts[0]!.dtype as NumberDtype;
  const together = perRegister(dtype, parts.length);
  if (together === 1) return [...parts];
  const whole = unsignedOf(bits(dtype) * together);
  const registers: Tensor[] = [];
  for (let i = 0; i < parts.length; i += together) {
    const moved = parts.slice(i, i + together).map((part, k) => {
      const plain = cast(cx, reinterpret(cx, part, unsignedOf(bits(dtype))), whole);
      if (k === 0) return plain;
      return m.emit('arith.shli', plain, m.constant(BigInt(bits(dtype) * k), whole));
    });
    registers.push(moved.reduce((sum, next) => m.emit('arith.ori', sum, next)));
  }
  return registers;
}

/** The elements in the registers of one result. */
function elementsOf(
  cx: Context,
  m: Machine,
  name: string,
  dtype: NumberDtype,
  count: number,
): Tensor[] {
  const width = bits(dtype);
  const whole = unsignedOf(width * count);
  const register = m.read({ kind: 'register', name }, whole);
  return Array.from({ length: count }, (_, k) => {
    const shifted =
      k === 0 ? register : m.emit('arith.shrui', register, m.constant(BigInt(width * k), whole));
    const part = width * count === width ? shifted : cast(cx, shifted, unsignedOf(width));
    return reinterpret(cx, part, dtype);
  });
}

function inlineAssembly(cx: Context, a: Arguments): Val {
  const text = staticString(cx, a.get('asm'), 'asm');
  const pack = staticInt(cx, a.get('pack'), 'pack');
  if (pack < 1 || (pack & (pack - 1)) !== 0)
    cx.fail('HC0215', MESSAGES.HC0215.packPowerGot({ pack }));
  const wanted = a.get('dtype');
  const dtypes = (wanted.kind === 'tuple' ? wanted.items : [wanted]).map((item) => {
    const dtype = dtypeArgument(cx, item);
    return dtype.kind === 'number'
      ? dtype
      : cx.fail('HC0205', MESSAGES.HC0205.inlineAssemblyCannot());
  });
  const list = a.get('args');
  const items = list.kind === 'tuple' ? list.items : [list];
  const given = items.map((item) => toTensor(cx, item));
  for (const x of given)
    if (x.dtype.kind === 'pointer')
      cx.fail('HC0106', MESSAGES.HC0106.inlineAssemblyOn({ x: describe(x) }));
  const args = given.length > 0 ? broadcastAll(cx, given) : [];
  const shape = args[0]?.shape ?? [];
  const count = shape.reduce((p, q) => p * q, 1);
  if (pack > count && pack > 1) cx.fail('HC0202', MESSAGES.HC0202.packButTensors({ pack, count }));

  const constraints = constraintsOf(cx, staticString(cx, a.get('constraints'), 'constraints'));
  const parts = args.map((x) => unpack(cx, x, pack));
  const m = new Machine(cx, parts[0]?.[0]?.shape ?? shape);
  const inputs = parts.flatMap((part) => registersOf(cx, m, part));
  const results = dtypes.map((dtype) => pack / perRegister(dtype, pack));
  const needed = results.reduce((sum, n) => sum + n, 0);
  if (constraints.outputs.length !== needed || constraints.inputs.length !== inputs.length)
    cx.fail(
      'HC0215',
      MESSAGES.HC0215.constraintsOutputsInputs({
        count: constraints.outputs.length,
        count2: constraints.inputs.length,
        pack,
        needed,
        count3: inputs.length,
      }),
    );
  constraints.outputs.forEach(({ width }, i) => m.declare(`$${i}`, width));
  constraints.inputs.forEach(({ width, tied }, i) => {
    m.declare(`$${needed + i}`, width, inputs[i]);
    if (tied !== undefined) m.declare(`$${tied}`, width, inputs[i]);
  });
  try {
    const statements = parsePtx(text);
    translatePtx(m, statements);
    // Instructions without operands write nothing; what they leave in their outputs is arbitrary.
    if (statements.every((each) => each.kind === 'instruction' && each.operands.length === 0))
      constraints.outputs.forEach(({ width }, i) =>
        m.declare(`$${i}`, width, m.constant(0n, unsignedOf(width))),
      );
    let register = 0;
    const outputs = dtypes.map((dtype, k) => {
      const together = perRegister(dtype, pack);
      const elements = Array.from({ length: results[k]! }, () =>
        elementsOf(cx, m, `$${register++}`, dtype, together),
      ).flat();
      return repack(cx, elements, shape);
    });
    return wanted.kind === 'tuple' ? tuple(outputs) : outputs[0]!;
  } catch (error) {
    if (!(error instanceof PtxError)) throw error;
    if (error instanceof PtxMistake)
      return cx.fail('HC0215', MESSAGES.HC0215.inlineAssembly({ message: error.message }));
    return cx.fail('HC0106', MESSAGES.HC0106.inlineAssemblyNot({ message: error.message }));
  }
}
define(TL, 'inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)', inlineAssembly);

// ── tl.extra.cuda
// ─────────────────────────────────────────────────────────────────────────────────
/** A launch begins when the one before has ended: there is nothing to wait for. */
for (const name of ['gdc_wait', 'gdc_launch_dependents'])
  define(LIBDEVICE, `${name}()`, () => NONE);
define(LIBDEVICE, 'num_warps()', (cx) => int(cx.launch.numWarps));
define(LIBDEVICE, 'num_threads()', (cx) => int(32 * cx.launch.numWarps));
for (const [name, what] of [
  ['globaltimer', 'clock that a kernel can read'],
  ['memrealtime', 'clock that a kernel can read'],
  ['smid', 'numbers of multiprocessors'],
] as const)
  define(LIBDEVICE, `${name}()`, (cx) =>
    cx.fail('HC0106', MESSAGES.HC0106.extraCudaWebgpu({ name, what })),
  );

/** fp8e4b15 to and from fp16, as Triton's own back end converts them. */
for (const name of ['convert_custom_float8_sm70', 'convert_custom_float8_sm80'])
  define(LIBDEVICE, `${name}(arg, dst_ty, fp_downcast_rounding=None)`, (cx, a) => {
    const x = toTensor(cx, a.get('arg'));
    const to = dtypeArgument(cx, a.get('dst_ty'));
    const small = dtypeNamed('float8e4b15');
    if (x.dtype === small || isFloating(x.dtype)) return cast(cx, x, to);
    return cx.fail('HC0205', MESSAGES.HC0205.convertsFpGot({ name, x: describe(x) }));
  });
