/** Hints, barriers, printing and assertions. */
import { MESSAGES } from '../codes';
import type { Context } from '../context';
import { INT1, isSigned } from '../dtypes';
import { define, type Arguments } from '../registry';
import { TL } from '../paths';
import { cast, toTensor } from '../semantics/convert';
import { bitwise, invert } from '../semantics/arithmetic';
import { intList, staticBool, staticString, tensorArgument } from '../shapes';
import { NONE, describe, type Val } from '../values';

/** Puts a fact on the operation that makes the value, under Triton's own name. */
function hint(cx: Context, a: Arguments, name: string, attribute: string): Val {
  const x = tensorArgument(cx, a.get('input'), `the input of tl.${name}`);
  const values = intList(cx, a.get('values'), `values of tl.${name}`);
  if (values.length !== Math.max(1, x.shape.length))
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.takesOneValue({ name, x: describe(x), count: values.length }),
    );
  const { definition } = x.handle;
  if (definition) definition.attributes[attribute] = values;
  return x;
}
for (const [name, attribute] of [
  ['multiple_of', 'tt.divisibility'],
  ['max_contiguous', 'tt.contiguity'],
  ['max_constancy', 'tt.constancy'],
] as const)
  define(TL, `${name}(input, values)`, (cx, a) => hint(cx, a, name, attribute));

define(TL, 'debug_barrier()', (cx) => {
  cx.builder.create('gpu.barrier', [], []);
  return NONE;
});

define(TL, 'device_print(prefix, *args, hex=False)', (cx, a) => {
  const values = a.rest('args').map((v) => toTensor(cx, v));
  let prefix = staticString(cx, a.get('prefix'), 'the prefix of tl.device_print');
  if (/[^\x09-\x0d\x20-\x7e]/.test(prefix)) cx.fail('HC0215', MESSAGES.HC0215.prefixDevicePrint());
  if (values.length > 0) {
    if (!prefix.endsWith(' ')) prefix += ' ';
    if (!prefix.endsWith(': ')) prefix = `${prefix.slice(0, -1)}: `;
  }
  if (prefix.length > 2 && !prefix.startsWith(' ')) prefix = ` ${prefix}`;
  cx.builder.create(
    'tt.print',
    values.map(({ handle }) => handle),
    [],
    {
      prefix,
      hex: staticBool(cx, a.get('hex'), 'hex'),
      signed: values.map(({ dtype }) => isSigned(dtype)),
    },
  );
  return NONE;
});
define(TL, 'device_assert(cond, msg="", mask=None)', (cx, a) => {
  let condition = toTensor(cx, a.get('cond'));
  // As in Triton, run-time assertions cost nothing unless debugging is on, and are not looked at.
  if (!cx.debug) return NONE;
  const message = staticString(cx, a.get('msg'), 'the message of an assertion');
  condition = cast(cx, condition, INT1);
  const mask = a.optional('mask');
  if (mask) condition = bitwise(cx, '|', condition, invert(cx, cast(cx, toTensor(cx, mask), INT1)));
  cx.builder.create('tt.assert', [condition.handle], [], { message });
  return NONE;
});
