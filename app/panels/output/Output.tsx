/** Output of the program in its own order: prints, launches, tensors, comparisons, errors. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { lazy, memo, useEffect, useRef, Suspense } from 'react';
import { problemIn } from '../../state/checkable';
import { useDocument } from '../../state/document';
import { groupTiming, type OutputItem, type RunRecord } from '../../state/record';
import { useRunRecord } from '../../state/runRecord';
import { choosePanel, chooseSpecialization } from '../../state/view';
import { visibleText } from '../../state/visibleText';
import {
  formatCount,
  formatMilliseconds,
  formatShape,
  formatTiming,
  plural,
} from '../common/format';
import { Replaced } from '../common/Replaced';
import { Site } from '../common/Site';
import { Comparison } from './Comparison';
import { DevicePrints } from './DevicePrints';
import { ErrorCard } from './ErrorCard';
import { filtered, OUTPUT_KINDS, useOutput, type OutputKind } from './outputState';
import { StartCard } from './StartCard';
import { Sweep } from './Sweep';
import { TensorRow } from './TensorRow';
import './output.css';

function Launch({
  item,
}: {
  readonly item: Extract<OutputItem, { kind: 'launch' }>;
}): React.ReactNode {
  const { first } = item;
  const timing = groupTiming(item.group);
  return (
    <div className="event">
      <span aria-hidden="true">▸</span>
      <span className="grow" title={first.arguments.join(', ')}>
        <button
          type="button"
          className="link mono"
          title="Show the passes of this launch"
          onClick={() => {
            chooseSpecialization({ kernel: first.kernel, key: first.key });
            choosePanel('passes');
          }}
        >
          {first.kernel}
        </button>
        <span className="mono">{formatShape(first.grid)}</span>
        {item.count > 1 ? ` × ${formatCount(item.count)}` : ''} {first.arguments.join(', ')}
      </span>
      {timing ? (
        <span title={timing.clock === 'gpu' ? 'on the GPU’s clock' : 'on the CPU’s clock'}>
          {formatTiming(timing).text}
        </span>
      ) : null}
      <Site site={first.site} />
    </div>
  );
}

function Item(props: { readonly record: RunRecord; readonly item: OutputItem }): React.ReactNode {
  const { item } = props;
  switch (item.kind) {
    case 'print':
      return (
        <>
          {item.omitted > 0 ? (
            <p className="muted">{plural(item.omitted, 'earlier character')} left out.</p>
          ) : null}
          <Print text={visibleText(item.text.replace(/\n$/, ''))} stream={item.stream} />
        </>
      );
    case 'launch':
      return <Launch item={item} />;
    case 'device-print':
      return <DevicePrints {...item} />;
    case 'tensor':
      return <TensorRow item={item} />;
    case 'figure':
      return (
        <figure className="output-figure">
          <img src={item.image} alt={item.name} />
          <figcaption className="muted">
            <a href={item.image} download={fileOf(item)}>
              {item.name}
            </a>
          </figcaption>
        </figure>
      );
    case 'more-tensors':
      return <p className="muted">{plural(item.count, 'more tensor')} not shown.</p>;
    case 'comparison':
      return <Comparison record={props.record} comparison={item.comparison} />;
    case 'sweep':
      return <Sweep sweep={item.sweep} />;
    case 'benchmark':
      return (
        <div className="event">
          <span aria-hidden="true">◔</span>
          <span className="grow">
            Benchmark{' '}
            <button type="button" className="link" onClick={() => choosePanel('timing')}>
              {item.name}
            </button>
          </span>
        </div>
      );
    case 'diagnostic':
      return <ErrorCard diagnostic={item.diagnostic} />;
    default: {
      const unknown: never = item;
      return unknown;
    }
  }
}

function Print(props: { readonly text: string; readonly stream: string }): React.ReactNode {
  const { text, stream } = props;
  if (!isTable(text)) return <pre className={`print ${stream}`}>{text}</pre>;
  return (
    <pre className={`print ${stream} table`}>
      {partsOf(text).map((part, index) =>
        NOTE.test(part) ? (
          <span key={index} className="print-note">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </pre>
  );
}

/** Sentences under a chart's table: they wrap, where its lines scroll sideways. */
const NOTE = /^note: /;
/** Notes, and what stands between them; together they are the text. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const last = parts.at(-1);
    if (last === undefined || NOTE.test(line) || NOTE.test(last)) parts.push(line);
    else parts[parts.length - 1] = last + line;
  }
  return parts;
}

/** Whether lines have columns, which a wrapped line would break: such text scrolls sideways. */
function isTable(text: string): boolean {
  const columns = text
    .split('\n')
    .filter((line) => /\S {2,}\S/.test(line) || /^ *\[.*,/.test(line));
  return columns.length > 1;
}

/** Up to so many items are all in the page, where the browser's own search finds them. */
const ALL_DRAWN = 300;
/** And so many characters: a browser lays out a million in a fraction of a second. */
const CHARACTERS_DRAWN = 1_000_000;
/** Characters of a wide panel's line. */
const COLUMNS = 120;
/** A filter is offered from here on. */
const WORTH_FILTERING = 12;

/** Most programs are not checked. */
const Judged = lazy(async () => ({ default: (await import('./Judged')).Judged }));

const ProblemCard = lazy(async () => ({ default: (await import('./ProblemCard')).ProblemCard }));

/** The problem that the program in view came with. */
function Problem({ open }: { readonly open: boolean }): React.ReactNode {
  const has = useDocument(({ files }) => problemIn(files) !== null);
  if (!has) return null;
  return (
    <Suspense fallback={null}>
      <ProblemCard open={open} />
    </Suspense>
  );
}

export const Output = memo(function Output(): React.ReactNode {
  const record = useRunRecord();
  if (!record)
    return (
      <>
        <Problem open />
        <StartCard />
      </>
    );
  return (
    <>
      <Problem open={false} />
      {record.checking ? (
        <Suspense fallback={null}>
          <Judged record={record} />
        </Suspense>
      ) : null}
      <Replaced record={record} />
      <Listed record={record} />
    </>
  );
});

function Listed({ record }: { readonly record: RunRecord }): React.ReactNode {
  const kind = useOutput((state) => state.kind);
  const search = useOutput((state) => state.search);
  if (record.checking && record.output.length === 0) return null;
  if (record.output.length === 0 && record.dropped === 0)
    return (
      <div className="empty">
        <h3>{record.outcome === null ? 'Running…' : 'The program printed nothing'}</h3>
        <p>
          Whatever the program prints, and every kernel that it launches, is listed here in order.
        </p>
        <Stopped record={record} />
      </div>
    );
  const isFilter = record.output.length >= WORTH_FILTERING || kind !== 'all' || search !== '';
  const rows = filtered(record.output, kind, search);
  return (
    <>
      {isFilter ? <Filter shown={rows.length} all={record.output.length} /> : null}
      {rows.length > ALL_DRAWN || record.characters > CHARACTERS_DRAWN ? (
        <LongList record={record} rows={rows} />
      ) : (
        <ShortList record={record} rows={rows} />
      )}
    </>
  );
}

const KIND_TITLES: Record<OutputKind, string> = {
  all: 'All',
  prints: 'Prints',
  launches: 'Launches',
  tensors: 'Tensors',
  checks: 'Checks',
};

function Filter(props: { readonly shown: number; readonly all: number }): React.ReactNode {
  const kind = useOutput((state) => state.kind);
  const search = useOutput((state) => state.search);
  return (
    <div className="output-filter" role="search">
      <span className="segmented" role="group" aria-label="What to show">
        {OUTPUT_KINDS.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={kind === name}
            onClick={() => useOutput.setState({ kind: name })}
          >
            {KIND_TITLES[name]}
          </button>
        ))}
      </span>
      <input
        className="field"
        type="search"
        placeholder="Find in output"
        aria-label="Find in output"
        value={search}
        onChange={(event) => useOutput.setState({ search: event.target.value })}
      />
      {props.shown < props.all ? (
        <span className="muted">
          {formatCount(props.shown)} of {formatCount(props.all)}
        </span>
      ) : null}
    </div>
  );
}

/** A figure that was saved as something else than what it is gets the ending of what it is. */
const fileOf = ({ name, image }: OutputItem & { kind: 'figure' }): string =>
  `${name.replace(/\.\w+$/, '')}.${image.startsWith('data:image/png') ? 'png' : 'svg'}`;

type Rows = ReturnType<typeof filtered>;
/** Above the tensors of the module, which no line of the program showed. */
function Heading({ rows, at }: { readonly rows: Rows; readonly at: number }): React.ReactNode {
  const isLeft = (item: OutputItem | undefined): boolean =>
    item?.kind === 'tensor' && item.site === null;
  if (!isLeft(rows[at]?.item) || isLeft(rows[at - 1]?.item)) return null;
  return <h3 className="output-heading">Tensors at the end of the run</h3>;
}
interface ListProps {
  readonly record: RunRecord;
  readonly rows: Rows;
}

function Dropped({ record }: { readonly record: RunRecord }): React.ReactNode {
  return record.dropped > 0 ? (
    <p className="muted output-dropped">{plural(record.dropped, 'earlier item')} left out.</p>
  ) : null;
}

function Stopped({ record }: { readonly record: RunRecord }): React.ReactNode {
  if (record.outcome !== 'stopped') return null;
  const { milliseconds } = record;
  return (
    <p className="muted output-stopped">
      Stopped{milliseconds === null ? '' : ` after ${formatMilliseconds(milliseconds)}`}
    </p>
  );
}

function ShortList({ record, rows }: ListProps): React.ReactNode {
  const list = useRef<HTMLOListElement>(null);
  useFollow(list, record, () => {
    const card = list.current?.querySelector('.error-card');
    const room = card?.closest('.tabpanel')?.clientHeight ?? 0;
    // The sentence helps most if a card does not fit: it stands at its top.
    card?.scrollIntoView({ block: card.clientHeight > room ? 'start' : 'nearest' });
  });
  return (
    <>
      <Dropped record={record} />
      <ol ref={list} className="output" aria-label="Output of the program">
        {rows.map(({ item, index }, at) => (
          <li key={record.dropped + index}>
            <Heading rows={rows} at={at} />
            <Item record={record} item={item} />
          </li>
        ))}
      </ol>
      <Stopped record={record} />
    </>
  );
}

/** Only the items in view are in the page, and some around them. */
function LongList({ record, rows }: ListProps): React.ReactNode {
  const list = useRef<HTMLOListElement>(null);
  // Nothing of it is passed on to a component that memoizes.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current?.closest<HTMLElement>('.tabpanel') ?? null,
    estimateSize: (index) => estimatedHeight(rows[index]?.item),
    getItemKey: (index) => record.dropped + (rows[index]?.index ?? 0),
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  useFollow(list, record, () => {
    const error = rows.findIndex(
      ({ item }) => item.kind === 'diagnostic' && item.diagnostic.severity === 'error',
    );
    if (error >= 0) virtualizer.scrollToIndex(error, { align: 'start' });
  });
  return (
    <>
      <Dropped record={record} />
      <ol
        ref={list}
        className="output long"
        aria-label="Output of the program"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map((row) => (
          <li
            key={row.key}
            ref={virtualizer.measureElement}
            data-index={row.index}
            aria-posinset={row.index + 1}
            aria-setsize={rows.length}
            style={{
              transform: `translateY(${row.start - virtualizer.options.scrollMargin}px)`,
            }}
          >
            <Heading rows={rows} at={row.index} />
            <Item record={record} item={rows[row.index]!.item} />
          </li>
        ))}
      </ol>
      <Stopped record={record} />
    </>
  );
}

/** Pixels, before an item was measured. */
function estimatedHeight(item: OutputItem | undefined): number {
  if (item?.kind === 'print') {
    const lines = item.text.split('\n').map((line) => Math.ceil(line.length / COLUMNS) || 1);
    return 8 + 18 * lines.reduce((sum, rows) => sum + rows, 0);
  }
  return item?.kind === 'diagnostic' ? 96 : 28;
}

/** Scrolls as a console does: with the output while its end is in view; at last to the error. */
function useFollow(
  list: React.RefObject<HTMLOListElement | null>,
  record: RunRecord,
  showError: () => void,
): void {
  const atEnd = useRef(true);
  const { run, outcome } = record;
  useEffect(() => {
    const box = list.current?.closest('.tabpanel');
    if (!box) return;
    atEnd.current = true;
    const onScroll = (): void => {
      atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 32;
    };
    box.addEventListener('scroll', onScroll);
    return () => box.removeEventListener('scroll', onScroll);
  }, [list, run]);
  useEffect(() => {
    const box = list.current?.closest('.tabpanel');
    if (box && atEnd.current && outcome === null) box.scrollTop = box.scrollHeight;
  }, [list, record, outcome]);
  useEffect(() => {
    if (outcome === 'error') showError();
    // Once, when the run ends: what is shown changes with every event.
    // oxlint-disable-next-line exhaustive-deps
  }, [run, outcome]);
}
