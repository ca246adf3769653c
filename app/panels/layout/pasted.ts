/**
 * A layout that somebody pastes, as a tile of the Layout panel; or the sentence that says why not.
 */
import type { TileReport } from '../../../compiler/inspect/layouts';
import {
  isSupported,
  linearOf,
  naturalShape,
  parseLayout,
  rankOf,
} from '../../../compiler/ir/authoredLayout';
import { isPowerOfTwo } from '../../../compiler/ir/layoutAlgebra';
import { UNKNOWN_LOCATION } from '../../../compiler/ir/location';

/** As of Triton's tiles. */
const MOST_ELEMENTS = 1_048_576;

export type Pasted =
  { readonly tile: TileReport } | { readonly refused: string } | { readonly empty: true };

/** `shape` as `32x64` or `[32, 64]`; empty: the layout's own, in which nothing repeats. */
export function pastedTile(text: string, shape: string): Pasted {
  if (text.trim() === '') return { empty: true };
  try {
    const authored = parseLayout(text);
    const sizes = shape.trim() === '' ? naturalShape(authored) : sizesOf(shape);
    const rank = rankOf(authored);
    if (rank !== sizes.length)
      return { refused: `The layout has ${rank} dimensions, the shape ${sizes.length}.` };
    if (!sizes.every(isPowerOfTwo) || sizes.reduce((a, b) => a * b, 1) > MOST_ELEMENTS)
      return { refused: 'Sizes are powers of two, and a tile has at most 1,048,576 elements.' };
    const layout = linearOf(authored, sizes);
    if (!isSupported(layout, sizes))
      return {
        refused:
          'One bit of a register or thread changes several coordinates, or not every element is held: ' +
          'such a layout is not drawn.',
      };
    return { tile: tileWith(layout, sizes) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { refused: `This is not read as a layout: ${words}.` };
  }
}

function sizesOf(text: string): number[] {
  const sizes = (text.match(/\d+/g) ?? []).map(Number);
  if (sizes.length === 0) throw new Error('a shape is sizes, such as 32x64');
  return sizes;
}

function tileWith(layout: TileReport['layout'], shape: readonly number[]): TileReport {
  const type = `tensor<${shape.join('x')}>`;
  const place = { line: 1, location: UNKNOWN_LOCATION, from: 'paste', variable: null };
  return { id: -1, name: 'the pasted layout', ...place, shape, type, layout };
}
