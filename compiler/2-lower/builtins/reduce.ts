/** Reductions, scans and histograms: the primitives that the library's functions are made of. */
import { MESSAGES } from '../codes';
import { Block, walk } from '../../ir/ir';
import { hasTrait } from '../../ir/ops';
import { apply } from '../calls';
import type { Context } from '../context';
import { BF16, FP32, INT1, INT32, bits, irElement, isInt, sameDtype, showDtype } from '../dtypes';
import { define, type Arguments } from '../registry';
import { TL } from '../paths';
import {
  broadcastAll,
  broadcastTo,
  cast,
  constant,
  expandDims,
  irType,
  tensorOf,
  toTensor,
} from '../semantics/convert';
import { compare } from '../semantics/arithmetic';
import { reshape } from '../semantics/shape';
import { repack, unpack } from './packs';
import { staticBool, staticInt, tensorArgument, wrapAxis } from '../shapes';
import { describe, flatten, isNumber, isTensor, tuple, type Tensor, type Val } from '../values';

function inputsOf(cx: Context, v: Val, what: string): Tensor[] {
  const items = v.kind === 'tuple' ? v.items : [v];
  const inputs = items.map((item) => tensorArgument(cx, item, `the input of ${what}`));
  const [first] = inputs;
  if (!first) return cx.fail('HC0107', MESSAGES.HC0107.nothing({ what }));
  for (const input of inputs)
    if (input.shape.join() !== first.shape.join())
      cx.fail(
        'HC0202',
        MESSAGES.HC0202.allInputsOne({ what, first: describe(first), input: describe(input) }),
      );
  return inputs;
}

/** The region that combines two groups of elements by a @triton.jit function. */
function combineRegion(
  cx: Context,
  inputs: readonly Tensor[],
  combine: Val,
  terminator: 'tt.reduce.return' | 'tt.scan.return',
): Block {
  if (combine.kind !== 'function')
    return cx.fail('HC0215', MESSAGES.HC0215.combineFnTriton({ combine: describe(combine) }));
  const block = new Block();
  const args = [...inputs, ...inputs].map(({ dtype }) =>
    tensorOf(block.addArg(irElement(dtype)), dtype, []),
  );
  cx.builder.inside(block, () => {
    const result = apply(cx, combine, args);
    const results = result.kind === 'tuple' ? result.items : [result];
    if (results.length !== inputs.length)
      cx.fail(
        'HC0211',
        MESSAGES.HC0211.combineFnReturnsValues({ count: results.length, count2: inputs.length }),
      );
    results.forEach((value, i) => {
      const wanted = inputs[i]!.dtype;
      if (!isTensor(value) || value.shape.length > 0 || !sameDtype(value.dtype, wanted))
        cx.fail(
          'HC0211',
          MESSAGES.HC0211.combineFnReturns({
            value: describe(value),
            value2: describe({ ...inputs[i]!, shape: [] }),
          }),
        );
    });
    cx.builder.create(terminator, results.flatMap(flatten), []);
  });
  // How often elements are combined, and by which threads, is nobody's business.
  walk(block, ({ name }) => {
    if (hasTrait(name, 'writes') && name !== 'tt.assert')
      cx.fail('HC0106', MESSAGES.HC0106.combineFnEffects());
  });
  return block;
}

function reduce(cx: Context, a: Arguments): Val {
  let inputs = inputsOf(cx, a.get('input'), 'tl.reduce');
  const rank = inputs[0]!.shape.length;
  if (rank === 0)
    return cx.fail('HC0202', MESSAGES.HC0202.reduceTakesTile({ value: describe(inputs[0]!) }));
  const given = a.optional('axis');
  if (given?.kind === 'float')
    cx.fail('HC0215', MESSAGES.HC0215.axisFloat({ given: describe(given) }));
  const axis = given && wrapAxis(cx, staticInt(cx, given, 'axis'), rank);
  if (axis === undefined)
    inputs = inputs.map((x) => reshape(cx, x, [x.shape.reduce((p, q) => p * q, 1)], true));
  const block = combineRegion(cx, inputs, a.get('combine_fn'), 'tt.reduce.return');
  const shape = axis === undefined ? [] : inputs[0]!.shape.filter((_, i) => i !== axis);
  const op = cx.builder.create(
    'tt.reduce',
    inputs.map(({ handle }) => handle),
    inputs.map(({ dtype }) => irType(dtype, shape)),
    { axis: axis ?? 0 },
    [block],
  );
  let results = op.results.map((value, i) => tensorOf(value, inputs[i]!.dtype, shape));
  if (staticBool(cx, a.get('keep_dims'), 'keep_dims'))
    results = results.map((x) => {
      if (axis !== undefined) return expandDims(cx, x, axis);
      let whole = x;
      for (let i = 0; i < rank; i++) whole = expandDims(cx, whole, 0);
      return whole;
    });
  return isTensor(a.get('input')) ? results[0]! : tuple(results);
}
define(TL, 'reduce(input, axis, combine_fn, keep_dims=False)', reduce, true);

define(
  TL,
  'associative_scan(input, axis, combine_fn, reverse=False)',
  (cx, a) => {
    const inputs = inputsOf(cx, a.get('input'), 'tl.associative_scan');
    const shape = inputs[0]!.shape;
    const axis = wrapAxis(cx, staticInt(cx, a.get('axis'), 'axis'), shape.length);
    const reverse = staticBool(cx, a.get('reverse'), 'reverse');
    const block = combineRegion(cx, inputs, a.get('combine_fn'), 'tt.scan.return');
    const op = cx.builder.create(
      'tt.scan',
      inputs.map(({ handle }) => handle),
      inputs.map(({ dtype }) => irType(dtype, shape)),
      { axis, reverse },
      [block],
    );
    const results = op.results.map((value, i) => tensorOf(value, inputs[i]!.dtype, shape));
    return isTensor(a.get('input')) ? results[0]! : tuple(results);
  },
  true,
);

define(
  TL,
  'histogram(input, num_bins, mask=None)',
  (cx, a) => {
    const x = tensorArgument(cx, a.get('input'), 'the input of tl.histogram');
    if (x.shape.length !== 1)
      cx.fail('HC0202', MESSAGES.HC0202.histogramTakesTile({ x: describe(x) }));
    // Triton 3.8 accepts other widths and then fails while it lowers; later ones say this.
    if (!isInt(x.dtype) || bits(x.dtype) !== 32)
      cx.fail('HC0205', MESSAGES.HC0205.histogramTakesIntegers({ x: describe(x) }));
    const bins = staticInt(cx, a.get('num_bins'), 'num_bins');
    if (bins < 1 || (bins & (bins - 1)) !== 0)
      cx.fail('HC0203', MESSAGES.HC0203.numBinsPower({ bins }));
    const given = a.optional('mask');
    const mask = given && broadcastTo(cx, toTensor(cx, given), x.shape);
    if (mask && mask.dtype !== INT1) cx.fail('HC0205', MESSAGES.HC0205.maskInt());
    const operands = [x.handle, ...(mask ? [mask.handle] : [])];
    return tensorOf(cx.builder.value('tt.histogram', operands, irType(INT32, [bins])), INT32, [
      bins,
    ]);
  },
  true,
);

define(TL, 'map_elementwise(scalar_fn, *args, pack=1)', (cx, a) => {
  const pack = staticInt(cx, a.get('pack'), 'pack');
  if (pack < 1 || (pack & (pack - 1)) !== 0)
    cx.fail('HC0215', MESSAGES.HC0215.packPowerGot({ pack }));
  const fn = a.get('scalar_fn');
  if (fn.kind !== 'function')
    return cx.fail('HC0215', MESSAGES.HC0215.scalarFnTriton({ fn: describe(fn) }));
  const given = a.rest('args').map((arg) => toTensor(cx, arg));
  if (given.length === 0) cx.fail('HC0107', MESSAGES.HC0107.mapElementwiseTakes());
  const inputs = broadcastAll(cx, given);
  const { shape } = inputs[0]!;
  const count = shape.reduce((p, q) => p * q, 1);
  if (pack > count) cx.fail('HC0202', MESSAGES.HC0202.packButTensors({ pack, count }));
  const parts = inputs.flatMap((x) => unpack(cx, x, pack));
  const block = new Block();
  const scalars = parts.map(({ dtype }) => tensorOf(block.addArg(irElement(dtype)), dtype, []));
  const { results, single } = cx.builder.inside(block, () => {
    const result = apply(cx, fn, scalars);
    const list = (result.kind === 'tuple' ? result.items : [result]).map((value) => {
      if (isTensor(value) && value.shape.length === 0) return value;
      if (isNumber(value)) return toTensor(cx, value);
      return cx.fail('HC0211', MESSAGES.HC0211.scalarFnReturn({ value: describe(value) }));
    });
    cx.builder.create(
      'tt.map_elementwise.return',
      list.map(({ handle }) => handle),
      [],
    );
    return { results: list, single: result.kind !== 'tuple' };
  });
  walk(block, ({ name }) => {
    if (hasTrait(name, 'writes')) cx.fail('HC0106', MESSAGES.HC0106.functionMapElementwise());
  });
  if (results.length === 0 || results.length % pack !== 0)
    cx.fail('HC0211', MESSAGES.HC0211.scalarFnReturns({ count: results.length, pack }));
  results.forEach(({ dtype }, i) => {
    const first = results[i - (i % pack)]!.dtype;
    if (!sameDtype(dtype, first))
      cx.fail(
        'HC0211',
        MESSAGES.HC0211.scalarFnPacks({ first: showDtype(first), dtype: showDtype(dtype) }),
      );
  });
  const partShape = parts[0]!.shape;
  const op = cx.builder.create(
    'tt.map_elementwise',
    parts.map(({ handle }) => handle),
    results.map(({ dtype }) => irType(dtype, partShape)),
    {},
    [block],
  );
  const outputs = op.results.map((value, i) => tensorOf(value, results[i]!.dtype, partShape));
  const whole = Array.from({ length: outputs.length / pack }, (_, k) =>
    repack(cx, outputs.slice(k * pack, (k + 1) * pack), shape),
  );
  return single && whole.length === 1 ? whole[0]! : tuple(whole);
});

/**
 * The network of the library's sort, topk and bitonic_merge; dimensions and dtypes are checked
 * there.
 */
define(TL, '_network(x, first, keep, descending)', (cx, a) => {
  const x = tensorArgument(cx, a.get('x'), 'the operand of tl.sort');
  const keep = staticInt(cx, a.get('keep'), 'k');
  const element = irElement(x.dtype);
  const block = new Block();
  const [left, right] = [0, 1].map(() => tensorOf(block.addArg(element), x.dtype, [])) as [
    Tensor,
    Tensor,
  ];
  cx.builder.inside(block, () => {
    const greater = compare(cx, '>', left, right);
    const isNaN = isInt(x.dtype) ? constant(cx, false, INT1) : compare(cx, '!=', left, left);
    cx.builder.create('tt.sort.return', [greater.handle, isNaN.handle], []);
  });
  const shape = [...x.shape.slice(0, -1), 2 ** keep];
  const attributes = {
    first: staticInt(cx, a.get('first'), 'the first stage'),
    keep,
    descending: staticBool(cx, a.get('descending'), 'descending'),
  };
  const op = cx.builder.create('tt.sort', [x.handle], [irType(x.dtype, shape)], attributes, [
    block,
  ]);
  return tensorOf(op.results[0]!, x.dtype, shape);
});

// The library's own needs; programs see them as `tl._name`, as in Triton.
define(TL, '_promote_bfloat16_to_float32(t)', (cx, a) => {
  const x = toTensor(cx, a.get('t'));
  return x.dtype === BF16 ? cast(cx, x, FP32) : x;
});
