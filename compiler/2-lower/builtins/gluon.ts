/**
 * What Gluon's language has beside Triton's: layouts, and operations that take one. Everything else
 * of it is Triton's own (`paths.ts`).
 */
import { MESSAGES } from '../codes';
import {
  authoredLayout,
  LAYOUT_FIELDS,
  layoutRecord,
  withLayout,
  type LayoutName,
} from '../authored';
import type { Context } from '../context';
import { GL, TL } from '../paths';
import { builtin, callBuiltin, define } from '../registry';
import { staticBool, tensorArgument } from '../shapes';
import { dtypeVal, int, isTensor, NONE, shapeVal, str, type Tensor, type Val } from '../values';

function triton(cx: Context, name: string, args: readonly Val[]): Tensor {
  const operation = builtin(`${TL}.${name}`);
  if (!operation) throw new Error(`no tl.${name}`);
  const value = callBuiltin(cx, operation, args, new Map());
  if (!isTensor(value)) throw new Error(`tl.${name} gives no tensor`);
  return value;
}

/** The values of fields that a call may leave out. */
const DEFAULTS: Partial<Record<LayoutName, Readonly<Record<string, string>>>> = {
  BlockedLayout: { cga_layout: '()' },
  SwizzledSharedLayout: { cga_layout: '()' },
  NVMMADistributedLayout: { nvmma_cga_layout: '()' },
  SharedLinearLayout: { block_bases: '()', alignment: '16' },
  NVMMASharedLayout: {
    rank: '2',
    transposed: 'False',
    fp4_padded: 'False',
    nvmma_shared_cga_layout: '()',
  },
};

for (const [key, fields] of Object.entries(LAYOUT_FIELDS)) {
  const name = key as LayoutName;
  if (name === 'AutoLayout' || name === 'CoalescedLayout') {
    define(GL, `${name}()`, () => layoutRecord(name, [str(fields[0])]));
    continue;
  }
  const list = fields.map((field) => {
    const value = DEFAULTS[name]?.[field];
    return value === undefined ? field : `${field}=${value}`;
  });
  define(GL, `${name}(${list.join(', ')})`, (cx, a) => {
    const record = layoutRecord(
      name,
      fields.map((field) => a.get(field)),
    );
    // A layout that is wrong by itself is so at its own line.
    if (/^(Blocked|Slice|DistributedLinear|DotOperand|NVMMADistributed)Layout$/.test(name))
      authoredLayout(cx, record);
    return record;
  });
}

define(GL, 'arange(start, end, layout=None)', (cx, a) =>
  withLayout(cx, triton(cx, 'arange', [a.get('start'), a.get('end')]), a.get('layout')),
);
function full(cx: Context, shape: Val, value: Val, dtype: Val, layout: Val): Tensor {
  const made = triton(cx, 'full', [shape, value, dtype]);
  return made.shape.length === 0 ? made : withLayout(cx, made, layout);
}
define(GL, 'full(shape, value, dtype, layout=None)', (cx, a) =>
  full(cx, a.get('shape'), a.get('value'), a.get('dtype'), a.get('layout')),
);
define(GL, 'zeros(shape, dtype, layout=None)', (cx, a) =>
  full(cx, a.get('shape'), int(0), a.get('dtype'), a.get('layout')),
);
/** Without a layout of its own it takes the one of the tile that it meets. */
function like(cx: Context, input: Val, value: Val, shape: Val, dtype: Val, layout: Val): Tensor {
  const x = tensorArgument(cx, input, 'input');
  const sizes = shape.kind === 'none' ? shapeVal(x.shape) : shape;
  return full(cx, sizes, value, dtype.kind === 'none' ? dtypeVal(x.dtype) : dtype, layout);
}
define(GL, 'full_like(input, value, shape=None, dtype=None, layout=None)', (cx, a) =>
  like(cx, a.get('input'), a.get('value'), a.get('shape'), a.get('dtype'), a.get('layout')),
);
define(GL, 'zeros_like(input, shape=None, dtype=None, layout=None)', (cx, a) =>
  like(cx, a.get('input'), int(0), a.get('shape'), a.get('dtype'), a.get('layout')),
);

// `assert_trivial` states that nothing moves, which changes no result.
define(GL, 'convert_layout(value, layout, assert_trivial=False)', (cx, a) =>
  withLayout(cx, tensorArgument(cx, a.get('value'), 'value'), a.get('layout')),
);
define(GL, 'set_auto_layout(value, layout)', (cx, a) =>
  withLayout(cx, tensorArgument(cx, a.get('value'), 'value'), a.get('layout')),
);

define(GL, 'histogram(input, num_bins, mask=None, layout=None)', (cx, a) => {
  if (a.get('layout').kind === 'none')
    cx.fail('HC0222', MESSAGES.HC0222.notALayout({ what: 'layout', got: 'None' }));
  const counts = triton(cx, 'histogram', [a.get('input'), a.get('num_bins'), a.get('mask')]);
  return withLayout(cx, counts, a.get('layout'));
});

define(GL, 'num_warps()', (cx) => int(cx.launch.numWarps));
define(GL, 'num_ctas()', () => int(1));
define(GL, 'barrier(*, cluster=False)', (cx, a) => {
  if (staticBool(cx, a.get('cluster'), 'cluster'))
    cx.fail('HC0222', MESSAGES.HC0222.hardware({ name: 'gl.barrier(cluster=True)' }));
  const operation = builtin(`${TL}.debug_barrier`);
  return operation ? callBuiltin(cx, operation, [], new Map()) : NONE;
});

/** Names that are Gluon's and not here yet, each refused at its line. */
const ABSENT = [
  ...['warp_specialize', 'dot_fma', 'fp4_to_fp', 'bank_conflicts', 'to_linear_layout'],
  ...['expect_zero'],
];
for (const name of ABSENT)
  define(GL, `${name}(*values)`, (cx) =>
    cx.fail('HC0222', MESSAGES.HC0222.unsupported({ name: `gl.${name}` })),
  );
