/**
 * Loops. A variable that the body assigns is carried: it becomes an argument of the body, and must
 * come out with the type it went in with. The body is read once; arguments that turn out unchanged
 * are taken away again.
 */
import { MESSAGES } from './codes';
import { Block, type Value } from '../ir/ir';
import { childStatements, type Statement } from '../1-parse/syntax';
import { assignedNames } from '../1-parse/analysis';
import { invalid, settle, type Context } from './context';
import { INT1, isInt, isSigned, promoteIntegers, irElement, type NumberDtype } from './dtypes';
import { evaluate } from './expressions';
import { emitBinary } from './semantics/arithmetic';
import { cast, castInteger, constant, tensorOf, toTensor, unsplat } from './semantics/convert';
import { staticInt } from './shapes';
import { END, run, type Item } from './statements';
import {
  describe,
  flatten,
  int,
  isTensor,
  rebuild,
  sameType,
  type LoopHeader,
  type LoopHints,
  type Tensor,
  type Val,
} from './values';

type For = Statement & { readonly kind: 'for' };
type While = Statement & { readonly kind: 'while' };

/** More iterations than this are a mistake, not an unrolled loop. */
const MAX_UNROLL = 65_536;
/**
 * Operations of an unrolled loop's body: a kernel of more takes a driver on the CPU ten seconds.
 */
const MAX_UNROLLED = 2048;

function header(cx: Context, node: For): LoopHeader {
  if (node.iterable.kind !== 'call') return cx.fail('HC0113', MESSAGES.HC0113.loopRunsOver());
  const callee = evaluate(cx, node.iterable.callee);
  const isRange =
    (callee.kind === 'builtin' && callee.name === 'range') ||
    (callee.kind === 'triton' && /^triton\.language\.(static_)?range$/.test(callee.path));
  if (!isRange) return cx.fail('HC0113', MESSAGES.HC0113.loopRunsOver());
  const value = evaluate(cx, node.iterable);
  return value.kind === 'header' ? value : cx.fail('HC0113', MESSAGES.HC0113.notRange());
}
const headers = new WeakMap<For, LoopHeader>();

/** The unrolled items of a `tl.static_range` loop; undefined for other loops. */
export function staticRange(cx: Context, node: For): Item[] | undefined {
  const range = header(cx, node);
  if (range.of !== 'static_range') {
    headers.set(node, range);
    return undefined;
  }
  if (node.orelse.length > 0) cx.fail('HC0102', MESSAGES.HC0102.elseNotSupported());
  if (node.target.kind !== 'name') return cx.fail('HC0102', MESSAGES.HC0102.loopOneName());
  const at = (name: string): number =>
    staticInt(cx, range.args[name]!, `${name} of tl.static_range`);
  const [start, end, step] = [at('start'), at('end'), at('step')];
  if (step === 0) cx.fail('HC0215', MESSAGES.HC0215.stepStaticRange());
  const count = Math.max(0, Math.ceil((end - start) / step));
  if (count > MAX_UNROLL) cx.fail('HC0215', MESSAGES.HC0215.staticRangeWould({ count }));
  const { id } = node.target;
  return Array.from({ length: count }, (_, i): Item[] => [
    { kind: 'bind', name: id, value: int(start + i * step), location: node.target.location },
    ...node.body,
    END,
  ]).flat();
}

/** A variable that a loop may carry, with its place in the body's arguments. */
interface Carried {
  readonly name: string;
  readonly before: Val;
  readonly args: readonly Value[];
}

function candidates(cx: Context, body: readonly Statement[], ignore?: string): [string, Val][] {
  settle(
    cx,
    [...assignedNames(body)].filter((name) => name !== ignore),
  );
  const out: [string, Val][] = [];
  for (const name of [...assignedNames(body)]) {
    const value = cx.frame.scope.get(name);
    // None and dtypes too: that the body assigns a tensor to them shows as a change of type.
    if (value && name !== ignore && value.kind !== 'invalid') out.push([name, value]);
  }
  return out;
}
function carry(cx: Context, block: Block, name: string, before: Val): Carried {
  const args = flatten(before).map((value) => block.addArg(value.type, name));
  if (args.length > 0) cx.set(name, rebuild(before, args.values()));
  return { name, before, args };
}

/** The body's last value of a carried variable, checked. */
function after(cx: Context, scope: Map<string, Val>, variable: Carried): Val {
  const { name, before } = variable;
  const value = scope.get(name) ?? before;
  if (value.kind === 'invalid') return value;
  const before_ = describe(before);
  if (before.kind === 'none' || before.kind === 'dtype') {
    if (value === before) return value;
    return cx.fail(
      'HC0208',
      MESSAGES.HC0208.variableBeforeLoop({ name, before: before_, value: describe(value) }),
    );
  }
  if (sameType(value, before)) return value;
  if (before.kind !== 'tensor' && before.kind !== 'tuple' && before.kind !== 'aggregate')
    return cx.fail('HC0212', MESSAGES.HC0212.cannotReassignConstexpr({ name }));
  return cx.fail(
    'HC0208',
    MESSAGES.HC0208.loopCarriedVariable({ name, before: before_, value: describe(value) }),
  );
}

interface Final {
  readonly variable: Carried;
  readonly value: Val;
}

/**
 * Takes away the arguments of variables that the body left alone. Gives the variables that stay and
 * the map from the arguments that went to the values before the loop.
 */
function prune(
  blocks: readonly Block[],
  finals: readonly Final[],
): { kept: Final[]; stays: (value: Value) => Value } {
  const gone = new Map<Value, Value>();
  const kept = finals.filter(({ variable, value }) => {
    const last = flatten(value);
    const isSame =
      last.length === variable.args.length && last.every((v, i) => v === variable.args[i]);
    if (!isSame) return true;
    flatten(variable.before).forEach((before, i) => {
      const index = blocks[0]!.args.indexOf(variable.args[i]!);
      for (const block of blocks) {
        const [arg] = block.args.splice(index, 1);
        arg!.replaceAllUsesWith(before);
        gone.set(arg!, before);
      }
    });
    return false;
  });
  return { kept, stays: (value) => gone.get(value) ?? value };
}

/**
 * Runs the body of a loop in the first of its `blocks`, all of which have the variables as
 * arguments, and ends it.
 * @param begin binds what else an iteration begins with.
 */
function runBody(
  cx: Context,
  body: readonly Statement[],
  wanted: ReturnType<typeof candidates>,
  blocks: readonly [Block, ...Block[]],
  begin: () => void = () => {},
): ReturnType<typeof prune> {
  const [block] = blocks;
  const region = (): Carried[] => {
    begin();
    const carried = wanted.map(([name, value]) => carry(cx, block, name, value));
    run(cx, body);
    settle(
      cx,
      wanted.map(([name]) => name),
    );
    return carried;
  };
  cx.frame.loops++;
  const { result, scope } = (() => {
    try {
      return cx.subRegion(block, region);
    } finally {
      cx.frame.loops--;
    }
  })();
  const values = result.map((variable) => ({ variable, value: after(cx, scope, variable) }));
  for (const { variable, value } of values)
    if (value.kind === 'invalid') cx.frame.scope.set(variable.name, value);
  const pruned = prune(
    blocks,
    values.filter(({ value }) => value.kind !== 'invalid'),
  );
  const last = pruned.kept.flatMap(({ value }) => flatten(value)).map(pruned.stays);
  cx.builder.inside(block, () => cx.builder.create('scf.yield', last, []));
  return pruned;
}

export function lowerFor(cx: Context, node: For): void {
  const range = headers.get(node) ?? header(cx, node);
  if (node.orelse.length > 0) cx.fail('HC0102', MESSAGES.HC0102.elseNotSupported());
  if (node.target.kind !== 'name') return cx.fail('HC0102', MESSAGES.HC0102.loopOneName());
  let { start, end, step } = range.args as Record<'start' | 'end' | 'step', Val>;
  const negative = step.kind === 'int' && step.value < 0n;
  if (negative) {
    [start, end] = [end, start];
    step = { kind: 'int', value: -(step as { value: bigint }).value };
  }
  if (step.kind === 'int' && step.value === 0n) cx.fail('HC0215', MESSAGES.HC0215.stepLoop());
  const bounds = [start, end, step].map((v, i) => {
    const what = ['lower bound', 'upper bound', 'step'][i]!;
    const bound = toTensor(cx, v);
    if (!isInt(bound.dtype))
      return cx.fail('HC0205', MESSAGES.HC0205.loopIntegerGot({ what, bound: describe(bound) }));
    if (bound.shape.some((size) => size !== 1))
      return cx.fail('HC0202', MESSAGES.HC0202.loopScalarGot({ what, bound: describe(bound) }));
    return unsplat(cx, bound);
  }) as [Tensor, Tensor, Tensor];
  const dtype = bounds
    .map((bound) => bound.dtype)
    .filter(isInt)
    .reduce<NumberDtype>(promoteIntegers, bounds[0].dtype as NumberDtype);
  const [lower, upper, by] = bounds.map((bound) => castInteger(cx, bound, dtype, isSigned(dtype)));
  const { id } = node.target;

  const block = new Block();
  const counter = block.addArg(irElement(dtype), id);
  const wanted = candidates(cx, node.body, id);
  const kept = runBody(cx, node.body, wanted, [block], () => {
    let index = tensorOf(counter, dtype, []);
    if (negative) {
      // Counts upward inside: lower + (upper - i), as Triton does it.
      index = emitBinary(cx, 'arith.subi', upper!, index);
      index = emitBinary(cx, 'arith.addi', index, lower!);
    }
    cx.set(id, index);
    cx.observe(node.target.location, index);
  }).kept;
  const inits = kept.flatMap(({ variable }) => flatten(variable.before));
  // The body is no part of the loop's own place: a message about it is about its head.
  const { endLine, endColumn } = node.iterable.location;
  const op = cx.at({ ...node.location, endLine, endColumn }, () =>
    cx.builder.create(
      'scf.for',
      [lower!.handle, upper!.handle, by!.handle, ...inits],
      inits.map((value) => value.type),
      hintsOf(cx, range.hints, block),
      [block],
    ),
  );
  finishLoop(cx, node.body, kept, op.results);
  cx.frame.scope.set(id, {
    kind: 'invalid',
    message: `${id} exists only inside the loop: copy it to another variable there`,
    recover: (silent) => {
      if (!silent) cx.warn('HC0114', MESSAGES.HC0114.usedAfterLoop({ id }));
      return lastCounter(cx, [lower!, upper!, by!], negative);
    },
  });
}

/**
 * Attributes of the loop: without a number of stages it has the launch's, and a factor that makes
 * more than `MAX_UNROLLED` operations of its body is smaller.
 */
function hintsOf(cx: Context, hints: LoopHints, body: Block): Record<string, number> {
  const { 'tt.loop_unroll_factor': factor = 1, ...others } = hints;
  const used = factor > 1 ? Math.min(factor, mostUnrolled(body)) : 1;
  if (used < factor)
    cx.inform('HC0906', MESSAGES.HC0906.unrolledLess({ factor, used, limit: MAX_UNROLLED }));
  const { numStages } = cx.launch;
  return {
    ...(numStages === undefined ? {} : { 'tt.num_stages': numStages }),
    ...others,
    ...(used > 1 ? { 'tt.loop_unroll_factor': used } : {}),
  };
}

function mostUnrolled(body: Block): number {
  return Math.max(1, Math.floor(MAX_UNROLLED / unrolledOperations(body)));
}
/** Operations of a block, those of loops within as often as they are unrolled. */
function unrolledOperations(block: Block): number {
  let count = 0;
  for (const op of block.ops) {
    const inside = op.regions.reduce((sum, region) => sum + unrolledOperations(region), 0);
    count += 1 + inside * Number(op.attributes['tt.loop_unroll_factor'] ?? 1);
  }
  return count;
}

/**
 * The counter after its loop. Triton takes such a program and leaves the value undefined; here it
 * is Python's: that of the last iteration.
 */
function lastCounter(
  cx: Context,
  [lower, upper, by]: readonly [Tensor, Tensor, Tensor],
  negative: boolean,
): Val {
  const one = constant(cx, 1, lower.dtype as NumberDtype, []);
  const span = emitBinary(cx, 'arith.subi', upper, lower);
  const before = emitBinary(cx, 'arith.subi', span, one);
  const division = isSigned(lower.dtype) ? 'arith.divsi' : 'arith.divui';
  const steps = emitBinary(cx, division, before, by);
  const walked = emitBinary(cx, 'arith.muli', steps, by);
  return negative
    ? emitBinary(cx, 'arith.subi', upper, walked)
    : emitBinary(cx, 'arith.addi', lower, walked);
}

/** Binds the loop's results; names local to the body are not visible after it. */
function finishLoop(
  cx: Context,
  body: readonly Statement[],
  kept: readonly { readonly variable: Carried }[],
  results: readonly Value[],
): void {
  const handles = results.values();
  for (const { variable } of kept) cx.set(variable.name, rebuild(variable.before, handles));
  for (const name of assignedNames(body))
    if (!cx.frame.scope.has(name))
      cx.frame.scope.set(
        name,
        invalid(
          `${name} is first assigned inside the loop, so it is not defined after it: assign it before`,
        ),
      );
}

/** The first `break` or `continue` of a loop's own. */
function firstJump(body: readonly Statement[]): Statement | undefined {
  for (const node of body) {
    if (node.kind === 'break' || node.kind === 'continue') return node;
    const inner = node.kind === 'if' ? firstJump(childStatements(node)) : undefined;
    if (inner) return inner;
  }
  return undefined;
}

export function lowerWhile(cx: Context, node: While): void {
  if (node.orelse.length > 0) cx.fail('HC0102', MESSAGES.HC0102.whileElseNot());
  const before = new Block();
  const body = new Block();
  const wanted = candidates(cx, node.body);
  const head = cx.subRegion(before, () => {
    const carried = wanted.map(([name, value]) => carry(cx, before, name, value));
    let test: Val = evaluate(cx, node.test);
    if (test.kind === 'header' && test.of === 'condition') test = test.args['arg']!;
    if (!isTensor(test)) {
      // `while True:` with a `break` is what cannot be, and what to change.
      const jump = firstJump(node.body);
      if (jump)
        return cx.fail('HC0111', MESSAGES.HC0111.notSupportedKernel({ kind: jump.kind }), {
          at: cx.locate(jump.location),
        });
      return cx.fail('HC0201', MESSAGES.HC0201.conditionWhileLoop({ test: describe(test) }));
    }
    if (test.shape.some((size) => size !== 1))
      return cx.fail('HC0210', MESSAGES.HC0210.conditionWhileLoop({ test: describe(test) }));
    const scalar = unsplat(cx, test);
    return { carried, test: cast(cx, scalar, INT1) };
  });
  const { carried, test } = head.result;
  const { kept, stays } = runBody(cx, node.body, wanted, [body, before]);
  const names = new Set(kept.map(({ variable }) => variable.name));
  const forwarded = carried.filter(({ name }) => names.has(name)).flatMap(({ args }) => args);
  cx.builder.inside(before, () =>
    cx.builder.create('scf.condition', [stays(test.handle), ...forwarded], []),
  );
  const inits = kept.flatMap(({ variable }) => flatten(variable.before));
  const op = cx.builder.create(
    'scf.while',
    inits,
    inits.map((value) => value.type),
    {},
    [before, body],
  );
  finishLoop(cx, node.body, kept, op.results);
}

/** `range(…)`, which the registry calls. */
export function rangeHeader(
  of: LoopHeader['of'],
  args: Record<string, Val>,
  hints: LoopHints = {},
): LoopHeader {
  return { kind: 'header', of, args, hints };
}
