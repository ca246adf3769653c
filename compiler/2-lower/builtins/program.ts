/** Program ids, ranges, loops' headers, creation. */
import { MESSAGES } from '../codes';
import { define, type Arguments } from '../registry';
import { rangeHeader } from '../loops';
import { TL } from '../paths';
import {
  checkFp8,
  irType,
  scalarConstant,
  splat,
  tensorOf,
  cast,
  toTensor,
} from '../semantics/convert';
import { INT32, dtypeNamed, pointerTo } from '../dtypes';
import { checkShape, dtypeArgument, shapeArgument, staticBool, staticInt } from '../shapes';
import { NONE, dtypeVal, int, isNumber, isTensor, type Val } from '../values';
import type { Context } from '../context';

function axis(cx: Context, v: Val, what: string): number {
  const value = staticInt(cx, v, `the axis of ${what}`);
  if (value < 0 || value > 2) cx.fail('HC0215', MESSAGES.HC0215.axisOrBut({ what, value }));
  return value;
}
define(TL, 'program_id(axis)', (cx, a) =>
  tensorOf(cx.builder.programId(axis(cx, a.get('axis'), 'program_id')), INT32, []),
);
define(TL, 'num_programs(axis)', (cx, a) =>
  tensorOf(cx.builder.numPrograms(axis(cx, a.get('axis'), 'num_programs')), INT32, []),
);

define(TL, 'arange(start, end)', (cx, a) => {
  const start = staticInt(cx, a.get('start'), "arange's start");
  const end = staticInt(cx, a.get('end'), "arange's end");
  if (start < 0 || end > 2 ** 31) cx.fail('HC0215', MESSAGES.HC0215.arangeFitInt());
  if (end <= start) cx.fail('HC0215', MESSAGES.HC0215.arangeEndGreater({ end, start }));
  const size = end - start;
  if ((size & (size - 1)) !== 0)
    cx.fail(
      'HC0203',
      MESSAGES.HC0203.arangeRangePower({ size, value: 2 ** Math.ceil(Math.log2(size)) }),
    );
  checkShape(cx, [size]);
  return tensorOf(cx.builder.makeRange(start, end), INT32, [size]);
});

define(TL, 'full(shape, value, dtype)', (cx, a) => {
  const shape = shapeArgument(cx, a.get('shape'));
  const value = a.get('value');
  const dtype = dtypeArgument(cx, a.get('dtype'));
  checkFp8(cx, dtype);
  if (isTensor(value)) {
    if (value.shape.some((size) => size !== 1))
      cx.fail('HC0202', MESSAGES.HC0202.fullTakesScalar());
    const scalar = value.shape.length > 0 ? { ...value } : value;
    return splat(cx, cast(cx, scalar, dtype), shape);
  }
  if (!isNumber(value)) return cx.fail('HC0215', MESSAGES.HC0215.fullTakesNumber());
  const scalar = scalarConstant(cx, value, dtype);
  if (dtype.kind === 'pointer' || shape.length === 0) return splat(cx, scalar, shape);
  // One constant instead of a splat of one.
  const folded = scalar.handle.definition?.attributes['value'];
  scalar.handle.definition?.erase();
  return tensorOf(
    cx.builder.value('arith.constant', [], irType(dtype, shape), { value: folded ?? 0 }),
    dtype,
    shape,
  );
});
define(TL, 'to_tensor(x)', (cx, a) => toTensor(cx, a.get('x')));

function bounds(first: Val, second: Val, step: Val): Record<string, Val> {
  const [start, end] = second.kind === 'none' ? [int(0), first] : [first, second];
  return { start, end, step: step.kind === 'none' ? int(1) : step };
}
define(
  TL,
  'range(arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, ' +
    'disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False)',
  (cx, a) => {
    ignoreHints(cx, a, 'tl.range', [
      'disallow_acc_multi_buffer',
      'flatten',
      'warp_specialize',
      'disable_licm',
    ]);
    const stages = hintOf(cx, a, 'num_stages');
    const factor = hintOf(cx, a, 'loop_unroll_factor');
    return rangeHeader('range', bounds(a.get('arg1'), a.get('arg2'), a.get('step')), {
      ...(stages === undefined ? {} : { 'tt.num_stages': Math.max(1, stages) }),
      ...(factor === undefined || factor < 2 ? {} : { 'tt.loop_unroll_factor': factor }),
    });
  },
);
/** A keyword of `tl.range` that is a number; undefined for None. */
function hintOf(cx: Context, a: Arguments, name: string): number | undefined {
  const value = a.get(name);
  return value.kind === 'none' ? undefined : staticInt(cx, value, `${name} of tl.range`);
}
/** Notes those of the keywords that are given: None and False ask for nothing. */
function ignoreHints(cx: Context, a: Arguments, of: string, names: readonly string[]): void {
  for (const name of names) {
    const value = a.get(name);
    if (value.kind === 'bool' && value.value) cx.ignore(`${name} of ${of}`);
  }
}
define(TL, 'static_range(arg1, arg2=None, step=None)', (_, a) =>
  rangeHeader('static_range', bounds(a.get('arg1'), a.get('arg2'), a.get('step'))),
);
define(TL, 'condition(arg, disable_licm=False)', (cx, a) => {
  ignoreHints(cx, a, 'tl.condition', ['disable_licm']);
  return rangeHeader('condition', { arg: a.get('arg') });
});

// Seen by the call itself; here for their names and signatures.
define(TL, 'static_assert(cond, msg="")', () => NONE);
define(TL, 'static_print(*values)', () => NONE);

define('triton', 'cdiv(x, y)', (cx, a) => {
  const x = BigInt(staticInt(cx, a.get('x'), 'x of triton.cdiv'));
  const y = BigInt(staticInt(cx, a.get('y'), 'y of triton.cdiv'));
  if (y === 0n) return cx.fail('HC0214', MESSAGES.HC0214.divisionByZero());
  const quotient = (x + y - 1n) / y;
  return int(quotient);
});
// Triton's own sorting counts with it, and so do sorts that were copied from there.
define('triton.language', '_log2(i)', (cx, a) => {
  const n = staticInt(cx, a.get('i'), 'i of _log2');
  return int(n > 1 ? Math.floor(Math.log2(n)) : 0);
});
define('triton', 'next_power_of_2(n)', (cx, a) => {
  const n = staticInt(cx, a.get('n'), 'n of triton.next_power_of_2');
  let power = 1n;
  while (power < BigInt(n)) power *= 2n;
  return int(power);
});
define(TL, 'get_int_dtype(bitwidth, signed)', (cx, a) => {
  const width = staticInt(cx, a.get('bitwidth'), 'bitwidth');
  const signed = a.get('signed');
  const name = `${signed.kind === 'bool' && signed.value ? 'int' : 'uint'}${width}`;
  const found = width === 1 ? 'int1' : name;
  return { kind: 'dtype', dtype: dtypeArgument(cx, dtypeByName(cx, found)) };
});
function dtypeByName(cx: Context, name: string): Val {
  const dtype = dtypeNamed(name);
  return dtype ? dtypeVal(dtype) : cx.fail('HC0215', MESSAGES.HC0215.thereNoDtype({ name }));
}

define(TL, 'pointer_type(element_ty, address_space=1, const=False)', (cx, a) =>
  dtypeVal(
    pointerTo(dtypeArgument(cx, a.get('element_ty')), staticBool(cx, a.get('const'), 'const')),
  ),
);
