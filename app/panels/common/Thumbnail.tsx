/**
 * A tensor's preview as a small picture, for lists. Decorative: the text beside it says what
 * counts.
 */
import { useEffect, useRef } from 'react';
import type { Preview } from '../../events';
import { colorOf, scaleFor } from './colormap';

const WIDTH = 48;
const HEIGHT = 20;

export function Thumbnail({ preview }: { readonly preview: Preview }): React.ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    context.clearRect(0, 0, WIDTH, HEIGHT);
    const { rows, columns, values } = preview;
    if (rows === 0 || columns === 0) return;
    const scale = scaleFor(values, false);
    // A vector is a strip over the whole height.
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++) {
        const row = Math.floor((y * rows) / HEIGHT);
        const column = Math.floor((x * columns) / WIDTH);
        const value = values[row * columns + column];
        if (value === undefined) continue;
        // No number: stripes, as in the large picture.
        context.fillStyle =
          typeof value === 'number'
            ? `rgb(${colorOf(value, scale).join(' ')})`
            : (x + y) % 3 === 0
              ? '#b3301a'
              : '#ffffff';
        context.fillRect(x, y, 1, 1);
      }
  }, [preview]);
  return (
    <canvas ref={canvas} className="thumbnail" width={WIDTH} height={HEIGHT} aria-hidden="true" />
  );
}
