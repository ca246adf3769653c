/**
 * Read-only code: Monaco where the screen allows, plain lines on phones and until Monaco is there.
 */
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { CodeViewProps } from '../../editor/MonacoView';
import { highlight } from './highlight';
import { useSmallScreen } from './media';

const MonacoView = lazy(() => import('../../editor/MonacoView'));

const LINE_HEIGHT = 18;
/** Lines drawn above and below those in view. */
const MARGIN_LINES = 40;

/** Only the lines in view are in the page: a kernel's IR may have a hundred thousand. */
function PlainLines(props: CodeViewProps): React.ReactNode {
  const { label, language, text, lit, colors, reveal, start = 1, onLine } = props;
  const place = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const [shown, setShown] = useState(60);
  const lines = useMemo(() => text.split('\n'), [text]);
  const set = new Set(lit);
  const wanted = lit[0];
  useEffect(() => {
    if (place.current) place.current.scrollTop = (start - 1) * LINE_HEIGHT;
    // The reader's place stays when the text changes.
    // oxlint-disable-next-line exhaustive-deps
  }, []);
  useEffect(() => {
    const element = place.current;
    if (!reveal || wanted === undefined || !element) return;
    const top = (wanted - 1) * LINE_HEIGHT;
    const { scrollTop, clientHeight } = element;
    if (top < scrollTop || top + LINE_HEIGHT > scrollTop + clientHeight)
      element.scrollTop = Math.max(0, top - clientHeight / 2);
  }, [wanted, reveal]);
  const onScroll = (): void => {
    const { scrollTop, clientHeight } = place.current!;
    // In steps, so that not every pixel draws again.
    const step = MARGIN_LINES / 2;
    setFirst(Math.floor(scrollTop / LINE_HEIGHT / step) * step);
    setShown(Math.ceil(clientHeight / LINE_HEIGHT / step) * step);
  };
  const from = Math.max(0, first - MARGIN_LINES);
  const to = Math.min(lines.length, first + shown + MARGIN_LINES);
  return (
    <div
      ref={place}
      className="code-lines"
      role="region"
      aria-label={label}
      tabIndex={0}
      onScroll={onScroll}
    >
      <div aria-hidden="true" style={{ height: from * LINE_HEIGHT }} />
      {lines.slice(from, to).map((line, offset) => {
        const index = from + offset;
        return (
          <div
            key={index}
            className={classOf(colors?.[index])}
            data-lit={set.has(index + 1)}
            onClick={() => onLine(index + 1)}
          >
            <span className="number" aria-hidden="true">
              {index + 1}
            </span>
            <span>{coloredLine(language, line)}</span>
          </div>
        );
      })}
      <div aria-hidden="true" style={{ height: (lines.length - to) * LINE_HEIGHT }} />
    </div>
  );
}

const coloredLine = (language: string, line: string): React.ReactNode =>
  highlight(language, line).map(({ text, color }, index) => (
    <span key={index} style={color ? { color: `var(--code-${color})` } : undefined}>
      {text}
    </span>
  ));

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
