/** Taking a tensor along: to the clipboard as text, or as a file. */
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import type { TensorSummary } from '../../events';
import { isWidened } from '../../inspection/exports';
import { planeSize, type Plane } from '../../inspection/planes';
import type { Dtype } from '../../numerics/dtypes';
import { askData } from '../../state/tensorData';
import { copyText, fileName, saveFile } from '../common/files';
import { formatCount } from '../common/format';

/** Elements that are copied as text: some megabytes. */
const MOST_COPIED = 200_000;

export function Exports(props: {
  readonly tensor: TensorSummary;
  readonly data: string;
  readonly plane: Plane;
}): React.ReactNode {
  const { tensor, data, plane } = props;
  const [said, setSaid] = useState('');
  const whole = tensor.count <= MOST_COPIED;
  const slice = planeSize(tensor.shape, { ...plane, wrap: null });
  const sliced = tensor.shape.length > 2;
  const fits = slice.rows * slice.columns <= MOST_COPIED;
  const name = fileName(tensor.name ?? 'tensor');

  const copy = async (as: 'csv' | 'numpy', all: boolean): Promise<void> => {
    setSaid('Copying…');
    const blob = askData({ kind: 'export', data, as, plane: all ? null : plane });
    const done = await copyText(blob.then((found) => found.text()));
    setSaid(done ? 'Copied.' : 'The browser did not allow copying.');
  };
  const save = async (as: 'csv' | 'npy'): Promise<void> => {
    setSaid('Writing…');
    try {
      const blob = await askData({ kind: 'export', data, as, plane: as === 'csv' ? plane : null });
      saveFile(`${name}.${as}`, blob);
      setSaid(`Saved ${name}.${as}.`);
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const item = (text: string, act: () => Promise<void>, disabled = false): React.ReactNode => (
    <DropdownMenu.Item className="menu-item" disabled={disabled} onSelect={() => void act()}>
      {text}
    </DropdownMenu.Item>
  );
  const widened = isWidened(tensor.place.dtype as Dtype) ? ' (as float32, exactly)' : '';
  const limit = `more than ${formatCount(MOST_COPIED)} elements: save a file`;
  return (
    <span className="exports">
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="button small">Copy or save</DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
            {item(
              whole ? 'Copy as NumPy' : `Copy as NumPy (${limit})`,
              () => copy('numpy', true),
              !whole,
            )}
            {sliced ? item('Copy this slice as NumPy', () => copy('numpy', false), !fits) : null}
            {item(
              fits ? `Copy ${sliced ? 'this slice ' : ''}as CSV` : `Copy as CSV (${limit})`,
              () => copy('csv', false),
              !fits,
            )}
            {item(`Save ${name}.npy${widened}`, () => save('npy'))}
            {item(`Save ${sliced ? 'this slice as ' : ''}${name}.csv`, () => save('csv'))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <span className="muted" aria-live="polite">
        {said}
      </span>
    </span>
  );
}
