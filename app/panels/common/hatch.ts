/** Hatches for cells without a number, never a colour: NaN in diagonals, infinities crossed. */
const TILE = 6;

function brushTile(cross: boolean): HTMLCanvasElement | null {
  const tile = document.createElement('canvas');
  tile.width = tile.height = TILE;
  const brush = tile.getContext('2d');
  if (!brush) return null;
  brush.fillStyle = '#ffffff';
  brush.fillRect(0, 0, TILE, TILE);
  brush.fillStyle = '#b3301a';
  for (let i = 0; i < TILE; i++) {
    brush.fillRect(i, TILE - 1 - i, 1, 1);
    brush.fillRect(i, (2 * TILE - 2 - i) % TILE, 1, 1);
    if (cross) brush.fillRect(i, i, 1, 1);
  }
  return tile;
}

export interface Hatches {
  readonly nan: CanvasPattern | null;
  readonly infinity: CanvasPattern | null;
}
export function hatches(context: CanvasRenderingContext2D): Hatches {
  const make = (cross: boolean): CanvasPattern | null => {
    const tile = brushTile(cross);
    return tile ? context.createPattern(tile, 'repeat') : null;
  };
  return { nan: make(false), infinity: make(true) };
}
