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
import { integerArgument, LaunchModel, SymbolicModel, type Scalar } from './model';
import { Poly } from './polynomial';
import { extentsOf, gridSizes, type Extent, type Symbol } from './sizes';
import { Terms } from './terms';

type PointerArgument = Extract<LaunchArgument, { kind: 'pointer' }>;

/** Steps of proofs, for all hypotheses together: a few seconds. */
const EFFORT = 60_000;
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
  for (const choice of gridChoices(inputs)) {
    const setting = settingOf(func, inputs, exact, choice, effort);
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
  return a.unproved.size === 0 && b.unproved.size > 0;
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
  effort: { left: number },
): EverySetting | undefined {
  const arithmetic = new Arithmetic(new Terms(effort));
  const blocks = blocksOf(func);
  const values = scalarsOf(inputs);
  let missing = false;
  const scalarSymbols = (polys: readonly (Poly | undefined)[]): Symbol[] =>
    polys.flatMap((poly, i) => {
      const value = integerArgument(func, values, i);
      return poly && value !== undefined && value > 0 ? [{ value, poly }] : [];
    });
  let symbols: Symbol[] = [];
  const model = new SymbolicModel(arithmetic, func, values, inputs.grid, exact, (axis, polys) => {
    symbols = scalarSymbols(polys);
    const at = choice[axis]!;
    if (at === 0) return undefined;
    const found = gridSizes(inputs.grid[axis]!, symbols, blocks, arithmetic)[at - 1];
    if (!found) missing = true;
    return found;
  });
  if (missing) return undefined;
  symbols = scalarSymbols(values.map((_, i) => model.scalar(i)));
  const grid = [0, 1, 2].map((axis) => model.programs(axis));
  const ofGrid = grid.flatMap((poly, axis) =>
    poly.asConstant === undefined ? [{ value: inputs.grid[axis]!, poly, axis, ofGrid: true }] : [],
  );
  const cx = new Evaluator(func, arithmetic, model);
  const accesses = evaluateAll(cx, func);
  const sizes = symbols.filter((symbol) => !isStride(symbol, accesses, grid, arithmetic));
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
    const all = extentsOf(view, [...sizes, ...axes, ...others], factors, arithmetic);
    const found = bestExtent(all, list, bytesOf(func, root), arithmetic);
    if (!found) continue;
    extents.set(root, found.extent);
    facts.push(...found.extent.facts);
    for (const access of found.proved) inside.add(access.op);
  }
  const programs = [0, 1, 2].map((axis) => model.program(axis));
  const { unproved } = model;
  return { arithmetic, accesses, facts, programs, inside, extents, grid, unproved };
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
  for (const extent of extents) {
    const room = { low: Poly.ZERO, high: extent.elements.times(bytes) };
    const proved = accesses.filter((access) => staysInside(access, room, arithmetic, extent.facts));
    if (!best || proved.length > best.proved.length) best = { extent, proved };
    if (proved.length === accesses.length) break;
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
