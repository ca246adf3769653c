/**
 * A sum in subgroup matrices that goes to global memory leaves in bands of rows, each through
 * scratch, its casts, and out, before the next one is read. So few registers hold results at a
 * time: a matmul's epilogue then needs no more of them than its loop.
 *
 *     x = read f; y = cast x; store p, y
 *     x0 = read f[0]; y0 = cast x0; store p[0], y0; x1 = read f[1]; …
 */
import { Builder } from '../ir/builder';
import { type Func, Operation, type Value, walk } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { hasTrait } from '../ir/ops';
import type { FragmentsType, TensorType } from '../ir/types';
import { eraseDead } from './eraseDead';
import { fragmentChunks } from './fragmentChunks';

/** Most bytes of a band in workgroup memory: 16 rows of 256 with padding. */
const MOST_BAND_BYTES = 18_432;

export function banded_epilogue(func: Func): boolean {
  const reads: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'ttg.read_fragments') reads.push(op);
  });
  let changed = false;
  for (const read of reads) changed = split(read) || changed;
  if (changed) eraseDead(func.body);
  return changed;
}

function split(read: Operation): boolean {
  const path = pathToStore(read);
  const whole = read.result.type;
  if (!path || whole.kind !== 'tensor' || !whole.layout) return false;
  const { casts, store } = path;
  const fragments = read.operand(0).type as FragmentsType;
  const band = bandOf(fragments, whole, whole.layout);
  if (!band) return false;

  const builder = Builder.before(store);
  for (let row = 0; row < whole.shape[0]!; row += band.shape[0]!) {
    const origin = [row, 0];
    const slice = (value: Value): Value => {
      if (value.type.kind !== 'tensor') return value;
      const type = { ...band, element: value.type.element };
      return builder.value('ttg.extract_slice', [value], type, { origin });
    };
    builder.location = read.location;
    let value = builder.value('ttg.read_fragments', [read.operand(0)], band, { origin });
    for (const cast of casts) {
      builder.location = cast.location;
      const operands = cast.operands.map((x) => (onPath(x, read, casts) ? value : slice(x)));
      const { element } = cast.result.type as TensorType;
      value = builder.value(cast.name, operands, { ...band, element }, { ...cast.attributes });
      value.name = cast.result.name;
    }
    const operands = store.operands.map((x, i) => (i === 1 ? value : slice(x)));
    builder.insert(
      new Operation('tt.store', operands, [], { ...store.attributes }, [], store.location),
    );
  }
  store.erase();
  for (const cast of [...casts].reverse()) cast.erase();
  read.erase();
  return true;
}

function onPath(value: Value, read: Operation, casts: readonly Operation[]): boolean {
  const op = value.definition;
  return op !== undefined && (op === read || casts.includes(op));
}

/** The operations on the tile on its way to the one store that it goes to; all in one block. */
function pathToStore(read: Operation): { casts: Operation[]; store: Operation } | undefined {
  const casts: Operation[] = [];
  for (let value = read.result; ;) {
    const [user] = value.uses;
    if (!user || !value.hasOneUse || user.parent !== read.parent) return undefined;
    if (user.name === 'tt.store')
      return user.operand(1) === value ? { casts, store: user } : undefined;
    const result = user.results[0];
    if (user.results.length !== 1 || !result || !hasTrait(user.name, 'elementwise'))
      return undefined;
    if (!hasTrait(user.name, 'pure')) return undefined;
    casts.push(user);
    value = result;
  }
}

/**
 * The first rows of a tile that threads hold in registers of their own; undefined where it is all
 * of it.
 */
function bandOf(
  fragments: FragmentsType,
  whole: TensorType,
  layout: Layout,
): TensorType | undefined {
  let band = whole;
  for (;;) {
    const within = band.layout!;
    if (
      fragmentChunks({ ...fragments, shape: band.shape }, within, Infinity).bytes <= MOST_BAND_BYTES
    )
      break;
    const rows = band.shape[0]! / 2;
    const inside = (basis: readonly number[]): boolean => basis[0]! < rows;
    if (rows < fragments.matrix[0]) break;
    if (![...layout.lane, ...layout.subgroup].every(inside)) break;
    const outer = within.register.filter((basis) => !inside(basis));
    if (outer.length !== 1 || outer[0]![0] !== rows || outer[0]![1] !== 0) break;
    const register = within.register.filter(inside);
    band = { ...band, shape: [rows, band.shape[1]!], layout: { ...within, register } };
  }
  return band.shape[0] === whole.shape[0] ? undefined : band;
}
