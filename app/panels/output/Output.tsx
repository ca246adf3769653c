/** What the program did, in its own order: prints, launches, tensors, comparisons, errors. */
import { Fragment, memo, useEffect, useRef, useState } from 'react';
import type { Diagnostic } from '../../../compiler/diagnostics';
import type { TensorSummary } from '../../events';
import { useCompilation } from '../../state/compilation';
import {
  groupTiming,
  type ComparisonEvent,
  type OutputItem,
  type RunRecord,
} from '../../state/record';
import { useSession } from '../../state/session';
import { useRunRecord } from '../../state/runRecord';
import { choosePanel, chooseSpecialization } from '../../state/view';
import { RunAction } from '../common/Empty';
import { formatNumber, formatShape, formatTiming, formatCount, plural } from '../common/format';
import { CodeChip } from '../common/Explanation';
import { Heatmap } from '../common/Heatmap';
import { Site, goTo } from '../common/Site';
import { DevicePrints } from './DevicePrints';
import { Values } from './Values';

function Launch({
  item,
}: {
  readonly item: Extract<OutputItem, { kind: 'launch' }>;
}): React.ReactNode {
  const { first } = item.group;
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

function Tensor({
  item,
}: {
  readonly item: Extract<OutputItem, { kind: 'tensor' }>;
}): React.ReactNode {
  const { tensor } = item;
  const [view, setView] = useState<'heatmap' | 'table'>('heatmap');
  const name = tensor.name ?? 'tensor';
  const label = `${name} ${formatShape(tensor.shape)}`;
  return (
    <section className="card" aria-label={label}>
      <header>
        <span className="mono">
          <b>{name}</b> {tensor.dtype} {formatShape(tensor.shape)}
        </span>
        <span className="muted grow">{tensor.device}</span>
        <span className="segmented" role="group" aria-label={`How to show ${name}`}>
          {(['heatmap', 'table'] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={view === kind}
              onClick={() => setView(kind)}
            >
              {kind === 'heatmap' ? 'Heatmap' : 'Table'}
            </button>
          ))}
        </span>
        {item.site ? <Site site={item.site} /> : null}
      </header>
      <div className="content stack" style={{ gap: 12 }}>
        <TensorFacts tensor={tensor} />
        {tensor.preview.values.length === 0 ? null : view === 'heatmap' ? (
          <Heatmap preview={tensor.preview} label={`Values of ${label}`} />
        ) : (
          <Values preview={tensor.preview} label={`Values of ${label}`} />
        )}
      </div>
    </section>
  );
}

function TensorFacts({ tensor }: { readonly tensor: TensorSummary }): React.ReactNode {
  return (
    <dl className="facts">
      <div>
        <dt>min</dt>
        <dd>{formatNumber(tensor.min)}</dd>
      </div>
      <div>
        <dt>max</dt>
        <dd>{formatNumber(tensor.max)}</dd>
      </div>
      <div>
        <dt>mean</dt>
        <dd>{formatNumber(tensor.mean)}</dd>
      </div>
      <div>
        <dt>NaN</dt>
        <dd className={tensor.nanCount > 0 ? 'sign fail' : ''}>{formatCount(tensor.nanCount)}</dd>
      </div>
      <div>
        <dt>inf</dt>
        <dd className={tensor.infCount > 0 ? 'sign fail' : ''}>{formatCount(tensor.infCount)}</dd>
      </div>
      <div>
        <dt>elements</dt>
        <dd>{formatCount(tensor.count)}</dd>
      </div>
    </dl>
  );
}

function Comparison({ comparison }: { readonly comparison: ComparisonEvent }): React.ReactNode {
  const { passed, kind, mismatches, count, maxAbsolute } = comparison;
  return (
    <div className="event">
      <span className={passed ? 'sign pass' : 'sign fail'} aria-hidden="true">
        {passed ? '✓' : '✗'}
      </span>
      <span className="grow">
        <button type="button" className="link" onClick={() => choosePanel('compare')}>
          {kind}
        </button>{' '}
        {passed ? 'holds' : 'failed'}
        {comparison.message === null ? ` on ${formatCount(count)} elements` : ''}
        {comparison.message
          ? `: ${comparison.message}`
          : passed
            ? `, largest error ${formatNumber(maxAbsolute, 3)}`
            : `: ${plural(mismatches, 'mismatch', 'mismatches')}, largest error ${formatNumber(maxAbsolute, 3)}`}
      </span>
      <Site site={comparison.site} />
    </div>
  );
}

export function ErrorCard({ diagnostic }: { readonly diagnostic: Diagnostic }): React.ReactNode {
  const { location, severity, notes, message } = diagnostic;
  const long = notes.filter((note) => note.message.includes('\n'));
  const short = notes.filter((note) => !note.message.includes('\n'));
  const word = severity === 'error' ? 'Error' : severity === 'warning' ? 'Warning' : 'Note';
  return (
    <div className={severity === 'error' ? 'error-card' : 'error-card warning'} role="alert">
      <div className="row">
        <span className={severity === 'error' ? 'sign fail' : 'sign warn'}>
          {severity === 'error' ? '✗' : '!'} {word}
        </span>
        <span className="grow">
          <CodeChip code={diagnostic.code} />
        </span>
        <Site site={location} />
      </div>
      <p className="message">{message}</p>
      {short.map((note, index) => (
        <p key={index} className="muted">
          {note.message}{' '}
          {note.location ? (
            <button
              type="button"
              className="site"
              onClick={() => note.location && goTo(note.location)}
            >
              {note.location.file}:{note.location.line}
            </button>
          ) : null}
        </p>
      ))}
      {long.map((note, index) => (
        <details key={index}>
          <summary>{note.message.startsWith('Traceback') ? 'Traceback' : 'Details'}</summary>
          <pre>{note.message}</pre>
        </details>
      ))}
    </div>
  );
}

function Item({ item }: { readonly item: OutputItem }): React.ReactNode {
  switch (item.kind) {
    case 'print':
      return <pre className={`print ${item.stream}`}>{item.text.replace(/\n$/, '')}</pre>;
    case 'launch':
      return <Launch item={item} />;
    case 'device-print':
      return <DevicePrints {...item} />;
    case 'tensor':
      return <Tensor item={item} />;
    case 'more-tensors':
      return <p className="muted">{plural(item.count, 'more tensor')} not shown.</p>;
    case 'comparison':
      return <Comparison comparison={item.comparison} />;
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

function hasContent(record: RunRecord): boolean {
  return record.output.length > 0 || record.dropped > 0;
}

/** Scrolls as a console does: with the output while its end is in view; at last to the error. */
function useFollow(list: React.RefObject<HTMLOListElement | null>, record: RunRecord | null): void {
  const atEnd = useRef(true);
  const run = record?.run;
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
    if (!box || !record) return;
    const error = record.outcome === 'error' ? box.querySelector('.error-card') : null;
    if (error) error.scrollIntoView({ block: 'nearest' });
    else if (atEnd.current && record.outcome === null) box.scrollTop = box.scrollHeight;
  }, [list, record]);
}

export const Output = memo(function Output(): React.ReactNode {
  const record = useRunRecord();
  const phase = useSession((state) => state.phase);
  const list = useRef<HTMLOListElement>(null);
  useFollow(list, record);
  if (!record) return <StartCard />;
  if (!hasContent(record))
    return (
      <div className="empty">
        <h3>{phase === 'running' ? 'Running…' : 'The program printed nothing'}</h3>
        <p>
          Whatever the program prints, and every kernel that it launches, is listed here in order.
        </p>
      </div>
    );
  return (
    <ol
      ref={list}
      className="output"
      style={{ padding: '8px 0' }}
      aria-label="Output of the program"
    >
      {record.dropped > 0 ? (
        <li className="muted">{plural(record.dropped, 'earlier item')} left out.</li>
      ) : null}
      {record.output.map((item, index) => (
        <li key={record.dropped + index}>
          <Item item={item} />
        </li>
      ))}
    </ol>
  );
});

/** Before the first run: what this is, and what to press. */
function StartCard(): React.ReactNode {
  const adapter = useSession((state) => state.adapter);
  const result = useCompilation((state) => state.result);
  const milliseconds = useCompilation((state) => state.milliseconds);
  const where =
    adapter === null
      ? 'in this browser'
      : adapter.kind === 'webgpu'
        ? `on ${adapter.name}, through WebGPU`
        : 'on the interpreter, because there is no WebGPU here';
  return (
    <div className="start-card">
      <h2>This is a Triton program. Run it {where}.</h2>
      <p>
        On the left is ordinary Python: kernels with <code>@triton.jit</code>, and the host code
        that allocates tensors, launches them and checks them against PyTorch. Nothing is installed
        and nothing leaves this machine.
      </p>
      <div className="actions">
        <RunAction />
      </div>
      <Guide />
      {result?.kind === 'compiled' ? (
        <dl className="facts">
          <div>
            <dt>already compiled</dt>
            <dd className="mono">{result.kernel.name}</dd>
          </div>
          {milliseconds === null ? null : (
            <div>
              <dt>in</dt>
              <dd>{formatNumber(milliseconds, 3)} ms</dd>
            </div>
          )}
          <div>
            <dd>
              <button type="button" className="link" onClick={() => choosePanel('passes')}>
                {plural(result.log.length, 'pass', 'passes')}
              </button>
            </dd>
          </div>
          <div>
            <dd>
              <button type="button" className="link" onClick={() => choosePanel('wgsl')}>
                {plural(result.kernel.sourceMap.length, 'line')} of WGSL
              </button>
            </dd>
          </div>
        </dl>
      ) : null}
    </div>
  );
}

const GUIDE = [
  ['compare', 'Compare', 'every check against PyTorch: errors, first mismatch, where'],
  ['timing', 'Timing', 'each launch on the GPU’s clock, and the benchmark’s chart'],
  ['passes', 'Passes', 'the kernel’s IR after every compiler pass, with diffs'],
  ['wgsl', 'WGSL', 'the shader that your browser runs, linked to your lines'],
] as const;

/** What the tabs are for, until there is something to show. */
function Guide(): React.ReactNode {
  return (
    <dl className="panel-guide">
      {GUIDE.map(([panel, title, what]) => (
        <Fragment key={panel}>
          <dt>
            <button type="button" className="link" onClick={() => choosePanel(panel)}>
              {title}
            </button>
          </dt>
          <dd>{what}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
