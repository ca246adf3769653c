/**
 * Random functions on tiles without races, for comparing a GPU with the interpreter: inputs are
 * only read, each store has elements of the outputs for itself, and what nothing stores must keep
 * its poison. Floats are kept to small integers, so that no order of additions, no fusing and no
 * rounding shows; everything else about a value (its shape, layout, masks, control flow around it)
 * is random.
 */
import type { Func } from '../../ir/ir';
import { floatBits } from '../../ir/numbers';
import { seededRandom } from '../../ir/seededRandom';
import { bitWidth, byteSize, elementOf, isFloat, scalar } from '../../ir/types';
import type { DType } from '../../ir/types';
import type { LaunchArgument } from './run';
import { INPUT, TilesMaker } from './tiles/maker';
import { writeStatements } from './tiles/statements';

export interface RandomTiles {
  readonly make: () => Func;
  readonly args: readonly LaunchArgument[];
  readonly grid: readonly [number, number, number];
  /** The pointer arguments: index and bytes of an element. */
  readonly pointers: readonly { readonly index: number; readonly bytes: number }[];
  readonly divisible: readonly boolean[];
}

export interface RandomTilesOptions {
  /** The most elements of a tile. */
  readonly elements?: number;
  readonly statements?: number;
  /** Only what has a meaning in the ring of `prove`. */
  readonly ring?: boolean;
}

export function randomTiles(seed: number, options: RandomTilesOptions = {}): RandomTiles {
  const make = (): { maker: TilesMaker; func: Func } => {
    const maker = new TilesMaker(
      seededRandom(seed),
      options.elements ?? 1024,
      options.ring ?? false,
    );
    writeStatements(maker, options.statements ?? 14);
    return { maker, func: maker.finish() };
  };
  const { maker } = make();
  const random = seededRandom(seed + 77);
  const pointers: { index: number; bytes: number }[] = [];
  const args = maker.parameters.map((type, index): LaunchArgument => {
    const element = elementOf(type);
    if (element.kind !== 'pointer' || element.pointee.kind === 'pointer')
      return index === maker.parameters.length - 1 ? [7, 0] : [maker.count];
    const bytes = byteSize(element.pointee);
    pointers.push({ index, bytes });
    const { dtype } = element.pointee;
    const output = index - maker.inputs.length;
    return output < 0
      ? inputBytes(dtype, random)
      : poison(dtype, maker.outputElements(output) * maker.grid[0] * bytes);
  });
  return {
    make: () => make().func,
    args,
    grid: maker.grid,
    pointers,
    divisible: maker.divisible,
  };
}

/** At least `size` bytes that nothing stores; an i1 in memory is 0 or 1. */
function poison(dtype: DType, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size + 16 - (size % 16));
  if (isFloat(dtype)) return out.fill(0x41);
  return out.map((_, i) => (dtype === 'i1' ? i % 2 : (i * 37) & 0xff));
}

function inputBytes(dtype: DType, random: () => number): Uint8Array<ArrayBuffer> {
  const size = byteSize(scalar(dtype));
  const view = new DataView(new ArrayBuffer(INPUT * size));
  for (let i = 0; i < INPUT; i++) {
    let bits: bigint;
    if (isFloat(dtype)) bits = floatBits(dtype, Math.floor(random() * 17) - 8);
    else if (dtype === 'i1') bits = random() < 0.5 ? 0n : 1n;
    else {
      const range = 2 ** Math.floor(random() * Math.min(50, bitWidth(dtype)));
      bits = BigInt.asUintN(bitWidth(dtype), BigInt(Math.floor((random() - 0.5) * range)));
    }
    for (let byte = 0; byte < size; byte++)
      view.setUint8(i * size + byte, Number((bits >> BigInt(8 * byte)) & 0xffn));
  }
  return new Uint8Array(view.buffer);
}
