/**
 * Stages the operands of `tt.dot` in workgroup memory, in K slices that fit: the left one with M
 * fastest, the right one with N fastest, rows padded by 16 bytes, so that a thread reads its rows
 * and columns of one k as vec4s without bank conflicts. The strategy (`dots/`) gives elements and
 * order, and whether the sum stays in fragments: such a dot starts from zero and its result is read
 * back and added (`keep_accumulators_in_fragments` takes that out of loops). A loop-invariant
 * operand is staged once, before the loop, where there is room. `insert_barriers` comes later.
 */
import { type Func, type Operation, walk } from '../ir/ir';
import { choicesOf, type DistributeContext, threadBitsOf, usableWorkgroupBytes } from './context';
import { planOf } from './dots/index';
import { recordDots } from './recordDots';
import { StagedDot } from './stagedDot';
import { cutIntoSlabs, hasRoomForSlabs } from './warpSlabs';

/** Workgroup memory for scratch, which may alias K slices: not both are live at a time. */
const RESERVED_BYTES = 4096;

export function stage_operands(func: Func, context: DistributeContext): boolean {
  const dots: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.dot' && planOf(op).staging) dots.push(op);
  });
  const choices = choicesOf(func, context);
  const limit = usableWorkgroupBytes(context);
  const plans = dots.map((dot) => new StagedDot(dot));
  const threads = threadBitsOf(func);
  const cuts = plans.map((plan) => ({ dot: plan.dot, cutting: plan.cut(choices, limit) }));

  // Loop-invariant operands stay staged while there is room, in program order.
  let kept = 0;
  const slices = Math.max(0, ...plans.map((plan) => plan.sliceBytes()));
  const scratch = Math.max(RESERVED_BYTES, ...plans.map((plan) => plan.fragmentBytes()));
  for (const plan of plans) {
    for (const side of [0, 1] as const) {
      const bytes = plan.wholeBytes(side);
      const others = Math.max(slices, scratch);
      if (!plan.fits || !plan.loopAround(side) || kept + bytes + others > limit) continue;
      plan.keep(side);
      kept += bytes;
    }
  }
  for (const plan of plans) plan.hoist(choices, threads);
  if (choices.warpSlabs && hasRoomForSlabs(plans, limit, choices)) cutIntoSlabs(plans, limit);
  if (context.schedule) recordDots(func, cuts, context.schedule, context.reasons);
  for (const plan of plans) plan.rewrite(choices, threads);
  return dots.length > 0;
}
