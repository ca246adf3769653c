/**
 * A tensor in the output: one line with a small picture, and everything about it when it is opened.
 */
import type { TensorSummary } from '../../events';
import type { OutputItem } from '../../state/record';
import { formatCount, formatNumber, formatShape } from '../common/format';
import { Site } from '../common/Site';
import { Thumbnail } from '../common/Thumbnail';
import { toggleTensor, useOutput } from './outputState';
import { TensorView } from './TensorView';

export function TensorRow({
  item,
}: {
  readonly item: Extract<OutputItem, { kind: 'tensor' }>;
}): React.ReactNode {
  const { tensor } = item;
  const name = tensor.name ?? 'tensor';
  const open = useOutput((state) => state.open.has(name));
  const label = `${name} ${formatShape(tensor.shape)}`;
  return (
    <section className="tensor" aria-label={label} data-open={open}>
      <h4 className="tensor-head">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => toggleTensor(name)}
          title={tensor.also.length > 0 ? `also ${tensor.also.join(', ')}` : undefined}
        >
          <span className="turner" aria-hidden="true" />
          <Thumbnail preview={tensor.preview} />
          <span className="mono name">{name}</span>
          <span className="mono type">
            {tensor.dtype} {formatShape(tensor.shape)}
          </span>
          <span className="muted range">{rangeText(tensor)}</span>
          <Oddities tensor={tensor} />
        </button>
        {item.site ? <Site site={item.site} /> : null}
      </h4>
      {open ? <TensorView tensor={tensor} label={label} /> : null}
    </section>
  );
}

function rangeText({ count, min, max, preview, dtype }: TensorSummary): string {
  if (count === 0) return 'empty';
  if (min === null || max === null) return 'nothing finite';
  if (count === 1 && typeof preview.values[0] === 'number')
    return dtype === 'bool' ? (max === 1 ? 'True' : 'False') : formatNumber(max, 6);
  if (min === max) return `all ${formatNumber(min)}`;
  return `${formatNumber(min)} … ${formatNumber(max)}`;
}

/** Flags that a healthy tensor does not have. */
function Oddities({ tensor }: { readonly tensor: TensorSummary }): React.ReactNode {
  const { nanCount, infCount } = tensor;
  if (nanCount === 0 && infCount === 0) return null;
  return (
    <span className="sign fail odd">
      {nanCount > 0 ? `! ${formatCount(nanCount)} NaN` : ''}
      {nanCount > 0 && infCount > 0 ? ', ' : ''}
      {infCount > 0 ? `! ${formatCount(infCount)} inf` : ''}
    </span>
  );
}
