/** Read-only code: Monaco where the screen allows, plain lines on phones and until Monaco is there. */
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { CodeViewProps } from '../../editor/MonacoView';
import { useSmallScreen } from './media';

const MonacoView = lazy(() => import('../../editor/MonacoView'));

function PlainLines(props: CodeViewProps): React.ReactNode {
  const { label, text, lit, colors, reveal, onLine } = props;
  const place = useRef<HTMLDivElement>(null);
  const set = new Set(lit);
  useEffect(() => {
    if (reveal)
      place.current?.querySelector('[data-lit=true]')?.scrollIntoView({ block: 'nearest' });
  }, [lit, reveal]);
  return (
    <div ref={place} className="code-lines" role="region" aria-label={label} tabIndex={0}>
      {text.split('\n').map((line, index) => (
        <div
          key={index}
          className={classOf(colors?.[index])}
          data-lit={set.has(index + 1)}
          onClick={() => onLine(index + 1)}
        >
          <span className="number" aria-hidden="true">
            {index + 1}
          </span>
          <span>{line}</span>
        </div>
      ))}
    </div>
  );
}

const classOf = (color: number | null | undefined): string | undefined =>
  typeof color === 'number' ? `line-color-${color}` : undefined;

export function CodeView(props: CodeViewProps): React.ReactNode {
  const small = useSmallScreen();
  const plain = <PlainLines {...props} />;
  if (small) return plain;
  return (
    <Suspense fallback={plain}>
      <MonacoView {...props} />
    </Suspense>
  );
}
