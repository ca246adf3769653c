/**
 * Gives loops a budget of operations where the launch does not fix how often they run, because a
 * GPU cannot be interrupted. A thread that has spent it leaves its loops, reports the loop
 * (HC8016), and later programs of the launch skip such loops.
 *
 * Guarantee: a kernel in which every loop is bounded is unchanged. The control flow around
 * barriers stays uniform: loops with barriers have a budget of their own, which all threads spend
 * alike.
 */
import { REPORT_LOOPS } from '../boundsReport';
import type { MachineFacts } from '../machine';
import { walk } from '../ir/ir';
import { newBlock } from '../ir/thread/ir';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import { hasThreadTrait } from '../ir/thread/ops';
import { BOOL, memory, U32 } from '../ir/thread/types';
import { analyzeUniformity, Varies } from '../ir/thread/uniformity';
import type { Uniformity } from '../ir/thread/uniformity';
import { Places } from './inserter';
import type { Inserter } from './inserter';
import { analyzeTripCounts } from './tripCounts';

interface Limits {
  /** Operations of a thread in such loops. */
  readonly operations: number;
  /**
   * The count of a trip to memory or a barrier: an iteration waits for it once, however many it
   * has.
   */
  readonly latency: number;
  /** No loop gets fewer iterations, whatever one costs. */
  readonly iterations: number;
}
/** Some seconds on a GPU, with operations that depend on each other. */
const GPU: Limits = { operations: 2 ** 30, latency: 256, iterations: 2 ** 18 };
/** A second of a busy core; the threads behind a barrier run on one, four at a time. */
const CPU: Limits = { operations: 2 ** 26, latency: 16, iterations: 2 ** 14 };
const CPU_LANES = 4;

/** @returns whether a loop got a budget. */
export function bound_loops(
  func: ThreadFunc,
  kernel: Pick<ThreadKernel, 'accesses' | 'reports' | 'machine'>,
): boolean {
  if (!kernel.reports) return false;
  const { isBounded } = analyzeTripCounts();
  const loops: ThreadOp[] = [];
  walkInnerFirst(func.body, (op) => {
    if (isLoop(op) && !isBounded(op)) loops.push(op);
  });
  if (loops.length === 0) return false;
  const pass = new Pass(func, kernel.machine, new Set(loops));
  for (const loop of loops) {
    const { location } = loop;
    const access = kernel.accesses.push({
      ...{ kind: 'loop', location, argument: [], others: [], elementBytes: 0, counted: true },
    });
    pass.bound(loop, access - 1);
  }
  return true;
}

const isLoop = ({ name }: ThreadOp): boolean => name === 'thread.for' || name === 'thread.while';

/** State common to the threads that take part in a loop. */
type Scope = 'workgroup' | 'subgroup' | 'lane';

class Pass {
  readonly #places: Places;
  readonly #uniformity: Uniformity;
  readonly #budgets = new Map<Scope, ThreadValue>();
  /** The nests of loops that check whether a program before them has run out. */
  readonly #checked = new Map<Scope, Set<ThreadOp>>();
  #program: ThreadValue | undefined;
  #shared: ThreadValue | undefined;

  constructor(
    private readonly func: ThreadFunc,
    private readonly machine: MachineFacts,
    private readonly loops: ReadonlySet<ThreadOp>,
  ) {
    this.#places = new Places(func);
    this.#uniformity = analyzeUniformity(func);
  }

  bound(loop: ThreadOp, access: number): void {
    const scope = scopeOf(loop);
    const { operations, iterations } = this.#limits(scope);
    const cost = Math.min(this.#costOf(loop), Math.floor(operations / iterations) || 1);
    const budget = this.#budget(scope);
    this.#checkBefore(loop, scope, budget);
    const report = { program: this.#linearProgram(), access, most: Math.floor(operations / cost) };
    const bound = { budget, cost, ...report };
    if (loop.name === 'thread.for') return boundFor(this.#places, loop, bound);
    boundWhile(this.#places, loop, bound);
    if (scope === 'workgroup' && this.#holdsOthers(loop))
      this.#check(this.#places.before(loop.region(1).terminator), scope, budget);
  }

  #limits(scope: Scope): Limits {
    if (this.machine.computesOn === 'gpu') return GPU;
    if (scope === 'lane') return CPU;
    const { operations, iterations } = CPU;
    const batches = Math.ceil(Number(this.func.attributes['threads'] ?? 1) / CPU_LANES);
    return { ...CPU, operations: Math.max(iterations, Math.floor(operations / batches)) };
  }

  /** Operations of an iteration; loops with a budget of their own count there. */
  #costOf(loop: ThreadOp): number {
    let waits = false;
    const count = (block: ThreadBlock): number =>
      block.ops.reduce((sum, op) => {
        if (op.name === 'thread.constant') return sum;
        waits ||= reachesMemory(op);
        if (this.loops.has(op)) return sum + 1;
        const inner = op.regions.reduce((most, region) => most + count(region), 0);
        return sum + 1 + inner * tripsOf(op);
      }, 0);
    const operations = loop.regions.reduce((sum, region) => sum + count(region), 0);
    const { latency } = this.machine.computesOn === 'gpu' ? GPU : CPU;
    return Math.ceil(operations / bodiesOf(loop)) + (waits ? latency : 0);
  }

  #budget(scope: Scope): ThreadValue {
    let found = this.#budgets.get(scope);
    if (!found) {
      const { start } = this.#places;
      const type = memory('private', U32, []);
      found = start.create('thread.alloc', [start.u32(this.#limits(scope).operations)], [type]);
      found.name = scope === 'lane' ? 'budget' : `${scope}_budget`;
      this.#budgets.set(scope, found);
    }
    return found;
  }

  /**
   * In front of the outermost loop: nothing is left where a thread of the launch has run out. Where
   * subgroups come one after the other, also those of a program: in front of each loop.
   */
  #checkBefore(loop: ThreadOp, scope: Scope, budget: ThreadValue): void {
    let nest = loop;
    if (!this.machine.subgroupsInTurn || scope === 'workgroup')
      for (let op = loop.parent?.parent; op; op = op.parent?.parent) if (isLoop(op)) nest = op;
    const checked = this.#checked.get(scope) ?? new Set();
    this.#checked.set(scope, checked);
    if (checked.has(nest)) return;
    checked.add(nest);
    if (scope === 'workgroup' && this.#uniformity.around(nest) !== Varies.Workgroup) return;
    this.#check(this.#places.before(nest), scope, budget);
  }
  #check(at: Inserter, scope: Scope, budget: ThreadValue): void {
    const attributes = { word: REPORT_LOOPS };
    let word = at.create('thread.load_report', [], [U32], { attributes });
    if (scope === 'workgroup')
      word = at.create('thread.workgroup_uniform', [this.#sharedWord(), word], [U32]);
    const out = at.create('thread.ne', [word, at.u32(0)], [BOOL]);
    const left = at.load(budget, 'left');
    at.store(budget, at.create('thread.select', [out, at.u32(0), left], [U32]));
  }
  #sharedWord(): ThreadValue {
    if (this.#shared) return this.#shared;
    const type = memory('workgroup', U32, []);
    this.#shared = this.#places.start.create('thread.alloc', [], [type]);
    this.#shared.name = 'loops_ran_out';
    return this.#shared;
  }
  /** A loop in it may run out in some threads only, which the others then have to follow. */
  #holdsOthers(loop: ThreadOp): boolean {
    let found = false;
    for (const region of loop.regions)
      walk(region, (op) => {
        found ||= this.loops.has(op) && scopeOf(op) !== 'workgroup';
      });
    return found;
  }

  #linearProgram(): ThreadValue {
    if (this.#program) return this.#program;
    const at = this.#places.start;
    const [x, y] = ([0, 1] as const).map((axis) => this.#gridWord(axis));
    const [i, j, k] = [0, 1, 2].map((axis) =>
      at.create('thread.program_id', [], [U32], { attributes: { axis } }),
    );
    const plane = at.create('thread.mul', [y!, k!], [U32]);
    const row = at.create('thread.mul', [x!, at.create('thread.add', [j!, plane], [U32])], [U32]);
    this.#program = at.create('thread.add', [i!, row], [U32]);
    this.#program.name = 'program_index';
    return this.#program;
  }
  #gridWord(axis: 0 | 1): ThreadValue {
    const word = { kind: 'grid', axis } as const;
    const found = this.func.parameters.findIndex(
      (each) => each.kind === 'word' && each.word.kind === 'grid' && each.word.axis === axis,
    );
    if (found >= 0) return this.func.body.args[found]!;
    return this.func.addParameter(U32, { kind: 'word', word }, `grid_${'xy'[axis]}`);
  }
}

/**
 * A loop's share of a budget, and what it reports when that runs out: `most` iterations were
 * allowed.
 */
interface Bound {
  readonly budget: ThreadValue;
  readonly cost: number;
  readonly program: ThreadValue;
  readonly access: number;
  readonly most: number;
}

/** Tests the budget beside the loop's condition, and takes an iteration's cost from it. */
function boundWhile(places: Places, loop: ThreadOp, bound: Bound): void {
  const { budget, cost } = bound;
  const [condition, step] = [loop.region(0).terminator, loop.region(1).terminator];
  const test = places.before(condition);
  const enough = test.create('thread.ge', [test.load(budget, 'left'), test.u32(cost)], [BOOL]);
  condition.setOperand(0, test.create('thread.and', [condition.operand(0), enough], [BOOL]));
  const end = places.before(step);
  const left = end.load(budget, 'left');
  end.store(budget, end.create('thread.sub', [left, end.u32(cost)], [U32]));
  const behind = places.before(loop.next!);
  const rest = behind.load(budget, 'left');
  reportWhere(behind, behind.create('thread.lt', [rest, behind.u32(cost)], [BOOL]), bound);
}

/** Tests once whether the iterations are too many, and then runs none. */
function boundFor(places: Places, loop: ThreadOp, bound: Bound): void {
  const { budget, cost } = bound;
  const trips = loop.operand(0);
  const at = places.before(loop);
  const left = at.load(budget, 'left');
  const affordable = at.create('thread.div', [left, at.u32(cost)], [U32]);
  const out = at.create('thread.gt', [trips, affordable], [BOOL]);
  const allowed = at.create('thread.select', [out, at.u32(0), trips], [U32]);
  allowed.name = 'trips';
  const spent = at.create('thread.mul', [allowed, at.u32(cost)], [U32]);
  at.store(budget, at.create('thread.sub', [left, spent], [U32]));
  reportWhere(at, out, bound);
  loop.setOperand(0, allowed);
}

/** Nothing is left if `out` holds, and the launch's report names the loop. */
function reportWhere(at: Inserter, out: ThreadValue, bound: Bound): void {
  const { budget, program, access, most } = bound;
  const [yes, no] = [newBlock(), newBlock()];
  at.create('thread.if', [out], [], { regions: [yes, no] });
  const inside = at.places.atEnd(yes, at.location);
  inside.store(budget, inside.u32(0));
  const operands = [program, inside.u32(access), inside.u32(1), inside.u32(most)];
  inside.create('thread.report_bounds', operands, [], { attributes: { half: REPORT_LOOPS } });
  for (const block of [yes, no]) at.places.atEnd(block, at.location).create('thread.yield', [], []);
}

/** Barriers ask for uniform control flow, lane operations for that of a subgroup. */
function scopeOf(loop: ThreadOp): Scope {
  let scope: Scope = 'lane';
  for (const region of loop.regions)
    walk(region, ({ name }) => {
      if (hasThreadTrait(name, 'barrier')) scope = 'workgroup';
      else if (hasThreadTrait(name, 'convergent') && scope === 'lane') scope = 'subgroup';
    });
  return scope;
}

function reachesMemory(op: ThreadOp): boolean {
  if (hasThreadTrait(op.name, 'barrier')) return true;
  const place = op.operands[0]?.type;
  return place?.kind === 'memory' && place.space !== 'private';
}
const bodiesOf = (op: ThreadOp): number => (op.name === 'thread.for' ? op.regions.length : 1);

/** Iterations of a loop inside, where they are a constant. */
function tripsOf(op: ThreadOp): number {
  const trips = op.name === 'thread.for' ? op.operand(0).definition : undefined;
  if (trips?.name !== 'thread.constant') return 1;
  return Math.ceil(Number(trips.attributes['value']) / bodiesOf(op));
}

function walkInnerFirst(block: ThreadBlock, visit: (op: ThreadOp) => void): void {
  for (const op of block.ops) {
    for (const region of op.regions) walkInnerFirst(region, visit);
    visit(op);
  }
}
