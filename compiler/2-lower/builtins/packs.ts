/**
 * Tiles cut into packs of neighbours, and put together again: for functions of several elements.
 */
import type { Context } from '../context';
import { join, reshape, split } from '../semantics/shape';
import type { Tensor } from '../values';

/** The row-major elements of a tile in `pack` tiles: element i stands in tile i % pack. */
export function unpack(cx: Context, x: Tensor, pack: number): Tensor[] {
  if (pack === 1) return [x];
  const count = x.shape.reduce((p, q) => p * q, 1);
  const bits = Array<number>(Math.log2(pack)).fill(2);
  let parts = [reshape(cx, x, [count / pack, ...bits], false)];
  // Split by the lowest bit of the index first, joined by it last.
  while (parts[0]!.shape.length > 1) {
    const halves = parts.map((part) => split(cx, part));
    parts = [...halves.map(([even]) => even), ...halves.map(([, odd]) => odd)];
  }
  return parts;
}

/** Puts such tiles together again. */
export function repack(cx: Context, parts: readonly Tensor[], shape: readonly number[]): Tensor {
  let level = [...parts];
  if (level.length === 1) return level[0]!;
  while (level.length > 1) {
    const half = level.length / 2;
    level = level.slice(0, half).map((even, i) => join(cx, even, level[i + half]!));
  }
  return reshape(cx, level[0]!, shape, false);
}
