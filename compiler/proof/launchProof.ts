/** Proofs about one launch, and about every launch of its specialization, by access. */
import type { LaunchArgument, LaunchInputs } from '../inspect/launch';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { byteSize, elementOf } from '../ir/types';
import { accessesOf, evaluateAccess, type Access } from './accesses';
import { Arithmetic } from './arithmetic';
import { staysInside, type Room } from './bounds';
import { Evaluator } from './evaluator';
import { alternatives } from './formula';
import { multiplesOf, NO_MULTIPLES, type Multiples } from './multiples';
import { integerArgument, LaunchModel, SymbolicModel, type Scalar } from './model';
import { Poly } from './polynomial';
import { extentsOf, gridSizes, type Extent, type Symbol } from './sizes';
import { Terms } from './terms';

type PointerArgument = Extract<LaunchArgument, { kind: 'pointer' }>;

/** Steps of proofs, for all hypotheses together: a few seconds. */
const EFFORT = 60_000;
/** Steps for the relations of one tensor: others may have proofs that it has not. */
const EFFORT_OF_TENSOR = 8000;
/** Steps of one question in the first attempt. */
const FEW_STEPS = 100;
/** Hypotheses about the grid that are tried. */
const MOST_GRIDS = 30;
const MOST_RELATIONS = 6;
/** So many more are tried where all is proved but that nothing wraps. */
const MORE_GRIDS = 6;

/** Accesses of a function in one model, and what is known of tensors there. */
export interface Setting {
  readonly arithmetic: Arithmetic;
  readonly accesses: ReadonlyMap<Operation, Access>;
  /** Relations that are assumed, as facts. */
  readonly facts: readonly Poly[];
  /** The ids of a program, by axis. */
  readonly programs: readonly Poly[];
}

export interface LaunchSetting extends Setting {
  readonly exact: ReadonlyMap<Operation, boolean>;
  /** Accesses that stay inside of their storage. */
  readonly inside: ReadonlySet<Operation>;
}

export interface EverySetting extends Setting {
  readonly inside: ReadonlySet<Operation>;
  /** Relations that were taken, by argument. */
  readonly extents: ReadonlyMap<number, Extent>;
  readonly grid: readonly Poly[];
  readonly unproved: ReadonlySet<Operation>;
  /** Relations of division that were taken, in words. */
  readonly multiples: readonly string[];
}

const scalarsOf = (inputs: LaunchInputs): Scalar[] =>
  inputs.args.map((arg) => (arg.kind === 'scalar' ? arg.value : null));

export function settingOfLaunch(func: Func, inputs: LaunchInputs): LaunchSetting {
  const arithmetic = new Arithmetic(new Terms());
  const model = new LaunchModel(arithmetic, func, scalarsOf(inputs), inputs.grid);
  const cx = new Evaluator(func, arithmetic, model);
  const accesses = evaluateAll(cx, func);
  const inside = new Set<Operation>();
  for (const access of accesses.values()) {
    const argument = access.pointer && inputs.args[access.pointer.root];
    if (argument?.kind !== 'pointer') continue;
    if (staysInside(access, storageRoom(argument, inputs), arithmetic)) inside.add(access.op);
  }
  const programs = [0, 1, 2].map((axis) => model.program(axis));
  return { arithmetic, accesses, exact: model.exact, inside, facts: [], programs };
}

function evaluateAll(cx: Evaluator, func: Func): Map<Operation, Access> {
  return new Map(accessesOf(func).map((op) => [op, evaluateAccess(cx, op)]));
}

function storageRoom({ address, storage }: PointerArgument, inputs: LaunchInputs): Room {
  const { address: begin, byteLength } = inputs.storages[storage]!;
  return {
    low: Poly.constant(begin - address),
    high: Poly.constant(begin + byteLength - address),
  };
}

/** For every launch: the hypotheses about the grid under which most accesses stay inside. */
export function settingOfEvery(
  func: Func,
  inputs: LaunchInputs,
  exact: ReadonlyMap<Operation, boolean>,
): EverySetting {
  const effort = { left: EFFORT };
  let more = MORE_GRIDS;
  let best: EverySetting | undefined;
  const multiples = multiplesOf(func, scalarsOf(inputs), inputs.grid);
  for (const [choice, taken] of hypotheses(inputs, multiples)) {
    const setting = settingOf(func, inputs, exact, choice, taken, effort);
    if (!setting) continue;
    if (!best || isBetter(setting, best)) best = setting;
    if (best.inside.size === best.accesses.size && (best.unproved.size === 0 || !more--)) break;
    if (effort.left <= 0) break;
  }
  effort.left = EFFORT;
  return best!;
}

function isBetter(a: EverySetting, b: EverySetting): boolean {
  if (a.inside.size !== b.inside.size) return a.inside.size > b.inside.size;
  const fixed = ({ grid }: EverySetting): number =>
    grid.filter((poly) => (poly.asConstant ?? 1) > 1).length;
  if (fixed(a) !== fixed(b)) return fixed(a) < fixed(b);
  const wraps = ({ unproved }: EverySetting): boolean => unproved.size > 0;
  if (wraps(a) !== wraps(b)) return wraps(b);
  return relationCount(a) < relationCount(b);
}
/** Relations of division, and of the grid. */
function relationCount({ arithmetic: { terms }, grid, multiples }: EverySetting): number {
  const given = grid.filter(
    (poly) =>
      poly.atoms.length > 0 && !/^(multiple )?grid /.test(terms.atom(poly.atoms.at(-1)!).key),
  );
  return multiples.length + given.length;
}

/** Choices of the grid, each without relations of division first. */
function* hypotheses(
  inputs: LaunchInputs,
  multiples: Multiples,
): Generator<readonly [choice: readonly number[], taken: Multiples]> {
  const none = multiples.scalars.size + multiples.grid.size === 0;
  for (const choice of gridChoices(inputs)) {
    yield [choice, NO_MULTIPLES];
    if (!none) yield [choice, multiples];
  }
}

/** For each axis, the number of the relation; 0 leaves the axis free. */
function* gridChoices({ grid }: LaunchInputs): Generator<readonly number[]> {
  const [mx, my, mz] = grid.map((size) => (size === 1 ? 0 : MOST_RELATIONS)) as [
    number,
    number,
    number,
  ];
  let tried = 0;
  for (let total = 0; total <= mx + my + mz; total++)
    for (let x = 0; x <= Math.min(total, mx); x++)
      for (let y = 0; y <= Math.min(total - x, my); y++) {
        if (total - x - y > mz || tried++ >= MOST_GRIDS) continue;
        yield [x, y, total - x - y];
      }
}

function settingOf(
  func: Func,
  inputs: LaunchInputs,
  exact: ReadonlyMap<Operation, boolean>,
  choice: readonly number[],
  multiples: Multiples,
  effort: { left: number },
): EverySetting | undefined {
  const arithmetic = new Arithmetic(new Terms(effort));
  const blocks = blocksOf(func);
  const values = scalarsOf(inputs);
  let missing = false;
  const scalarSymbols = (polys: readonly (Poly | undefined)[]): Symbol[] =>
    polys.flatMap((poly, i) => {
      const value = integerArgument(func, values, i);
      return poly && value !== undefined && value >= 0 ? [{ value, poly }] : [];
    });
  const sizeOf = (axis: number, polys: readonly (Poly | undefined)[]): Poly | undefined => {
    const positive = scalarSymbols(polys).filter(({ value }) => value > 0);
    const at = choice[axis]!;
    if (at === 0) return undefined;
    const found = gridSizes(inputs.grid[axis]!, positive, blocks, arithmetic)[at - 1];
    if (!found) missing = true;
    return found;
  };
  const { grid: sizes } = inputs;
  const model = new SymbolicModel(
    ...([arithmetic, func, values, sizes, exact, sizeOf, multiples] as const),
  );
  if (missing) return undefined;
  const grid = [0, 1, 2].map((axis) => model.programs(axis));
  const ofGrid = grid.flatMap((poly, axis) =>
    poly.asConstant === undefined ? [{ value: inputs.grid[axis]!, poly, axis, ofGrid: true }] : [],
  );
  const cx = new Evaluator(func, arithmetic, model);
  const accesses = evaluateAll(cx, func);
  const scalars = scalarSymbols(values.map((_, i) => model.scalar(i)));
  const offsets = offsetsOf(accesses, model, arithmetic);
  const symbols = [...scalars, ...model.quotients].map((symbol) =>
    offsets.has(symbol.poly.key) ? { ...symbol, addend: true } : symbol,
  );
  const dimensions = symbols.filter((symbol) => !isStride(symbol, accesses, grid, arithmetic));
  const inside = new Set<Operation>();
  const extents = new Map<number, Extent>();
  const facts: Poly[] = [];
  for (const [root, list] of byRoot(accesses)) {
    const argument = inputs.args[root];
    if (argument?.kind !== 'pointer' || !argument.shape || !argument.strides) continue;
    const view = { shape: argument.shape, strides: argument.strides };
    const used = new Set(list.flatMap(({ pointer }) => pointer!.bytes.atoms));
    const factors = symbols.filter(({ poly }) => poly.atoms.some((id) => used.has(id)));
    const axes = ofGrid.filter(({ axis }) => model.program(axis).atoms.some((id) => used.has(id)));
    const others = ofGrid.filter((each) => !axes.includes(each));
    const all = extentsOf(view, [...dimensions, ...axes, ...others], factors, arithmetic);
    const left = effort.left;
    effort.left = Math.min(left, EFFORT_OF_TENSOR);
    const share = effort.left;
    const found = bestExtent(all, list, bytesOf(func, root), arithmetic);
    effort.left = left - (share - effort.left);
    if (!found) continue;
    extents.set(root, found.extent);
    facts.push(...found.extent.facts);
    for (const access of found.proved) inside.add(access.op);
  }
  const programs = [0, 1, 2].map((axis) => model.program(axis));
  const { unproved, multiples: stated } = model;
  const found = { arithmetic, accesses, facts, programs, inside, extents, grid, unproved };
  return { ...found, multiples: stated };
}

/** Scalars that a condition or a loop's bound adds to a program id, by their keys. */
function offsetsOf(
  accesses: ReadonlyMap<Operation, Access>,
  model: SymbolicModel,
  { terms }: Arithmetic,
): Set<string> {
  const ids = new Set([0, 1, 2].flatMap((axis) => model.program(axis).atoms));
  const conditions = [...accesses.values()].flatMap(({ when }) => alternatives(when).flat());
  const found = new Set<string>();
  for (const poly of [...conditions, ...terms.loopBounds()]) {
    const single = poly.list.filter(([atoms]) => atoms.length === 1);
    for (const [[program], times] of single)
      for (const [[other], same] of single)
        if (ids.has(program!) && !ids.has(other!) && same === times && terms.atom(other!).shared)
          found.add(Poly.atom(other!).key);
  }
  return found;
}

/** Whether addresses are multiplied by a scalar that bounds nothing: no mask, no loop, no grid. */
function isStride(
  { poly }: Symbol,
  accesses: ReadonlyMap<Operation, Access>,
  grid: readonly Poly[],
  { terms }: Arithmetic,
): boolean {
  const [scalar] = poly.atoms;
  const addresses = [...accesses.values()].flatMap(({ pointer }) => pointer?.bytes.atoms ?? []);
  if (scalar === undefined || !addresses.includes(scalar)) return false;
  const conditions = [...accesses.values()].flatMap(({ when }) => alternatives(when).flat());
  const bounding = terms.within([...conditions, ...grid, ...terms.loopBounds()]);
  return !bounding.has(scalar);
}

function byRoot(accesses: ReadonlyMap<Operation, Access>): Map<number, Access[]> {
  const roots = new Map<number, Access[]>();
  for (const access of accesses.values()) {
    if (!access.pointer) continue;
    const list = roots.get(access.pointer.root);
    if (list) list.push(access);
    else roots.set(access.pointer.root, [access]);
  }
  return roots;
}

const bytesOf = (func: Func, root: number): number => {
  const element = elementOf(func.body.args[root]!.type);
  return element.kind === 'pointer' ? byteSize(element.pointee) : 1;
};

/** The relation under which most of a tensor's accesses stay inside of it. */
function bestExtent(
  extents: readonly Extent[],
  accesses: readonly Access[],
  bytes: number,
  arithmetic: Arithmetic,
): { readonly extent: Extent; readonly proved: readonly Access[] } | undefined {
  let best: { extent: Extent; proved: Access[] } | undefined;
  // Most proofs are short, and most relations are wrong: all are tried a little before one is much.
  for (const steps of [FEW_STEPS, Infinity]) {
    arithmetic.terms.mostSteps = steps;
    for (const extent of extents) {
      const room = { low: Poly.ZERO, high: extent.elements.times(bytes) };
      const proved = accesses.filter((each) => staysInside(each, room, arithmetic, extent.facts));
      if (!best || proved.length > best.proved.length) best = { extent, proved };
      if (proved.length === accesses.length) break;
    }
    arithmetic.terms.mostSteps = Infinity;
    if (best?.proved.length === accesses.length) break;
  }
  return best;
}

/** The sizes of the kernel's ranges: what grids are rounded up to. */
function blocksOf(func: Func): number[] {
  const sizes = new Set<number>();
  walk(func.body, (op) => {
    if (op.name !== 'tt.make_range') return;
    const size = Number(op.attributes['end']) - Number(op.attributes['start']);
    if (size > 1) sizes.add(size);
  });
  return [...sizes];
}
