/**
 * Which register, lane and subgroup holds each element of each tile of the kernel in view; what
 * conversions between layouts cost; how well its accesses coalesce, and the bank conflicts of its
 * accesses to shared memory. All of it from the compiled kernel itself and from a launch's own
 * addresses.
 */
import './layout.css';
import { useEffect, useState } from 'react';
import type { ConversionReport, LayoutReport, TileReport } from '../../../compiler/inspect/layouts';
import { blockedName, blockedOf, linearName } from '../../../compiler/inspect/naming';
import { describeLayout } from '../../../compiler/ir/layoutAlgebra';
import { useCompilation } from '../../state/compilation';
import { select, useLocation } from '../../state/location';
import { useRun } from '../../state/run';
import { Empty, RunAction } from '../common/Empty';
import { formatBytes, plural } from '../common/format';
import { Site } from '../common/Site';
import { Accesses } from './Accesses';
import { PastedLayout } from './PastedLayout';
import { SharedAccesses } from './SharedAccesses';
import { tileInView, useLayout, useLayouts } from './state';
import { holderText, TileMap, type Pointed } from './TileMap';

type Report = Extract<LayoutReport, { ok: true }>;

export function Layout(): React.ReactNode {
  const shown = useReport();
  if ('report' in shown) return <Shown report={shown.report} />;
  return (
    <div className="layout-empty">
      {shown.empty}
      <PastedLayout />
    </div>
  );
}

/** The report in view, or what the panel says in its place. */
function useReport(): { readonly report: Report } | { readonly empty: React.ReactNode } {
  useLayouts();
  const report = useLayout((state) => state.report);
  const failure = useLayout((state) => state.failure);
  const result = useCompilation((state) => state.result);
  const busy = useCompilation((state) => state.busy);
  const ran = useRun((state) => state.record !== null);
  if (failure !== null)
    return { empty: <Empty title="The layouts could not be read">{failure}</Empty> };
  if (!report || result?.kind !== 'compiled') {
    const waits = busy || result?.kind === 'compiled';
    const text =
      result?.kind === 'failed'
        ? (result.diagnostics[0]?.message ?? 'The kernel does not compile.')
        : 'A kernel that compiles has its tiles’ layouts here. Some kernels’ types are only known after a run.';
    return {
      empty: (
        <Empty
          title={waits ? 'Compiling…' : 'There is no layout to show'}
          action={ran || result?.kind === 'failed' ? null : <RunAction />}
        >
          {text}
        </Empty>
      ),
    };
  }
  if (report.ok) return { report };
  const message = report.diagnostics[0]?.message ?? 'See the problems below.';
  return { empty: <Empty title="The kernel does not compile">{message}</Empty> };
}

function Shown({ report }: { readonly report: Report }): React.ReactNode {
  const name = useLayout((state) => state.tile);
  const tile = tileInView(report.tiles, name);
  return (
    <div className="layout-panel">
      <TileList report={report} shown={tile} />
      <div className="layout-main">
        <dl className="facts">
          <div>
            <dt>threads</dt>
            <dd>{report.threads}</dd>
          </div>
          <div>
            <dt>subgroup</dt>
            <dd>
              {report.subgroupSize === null ? 'size not known' : `${report.subgroupSize} lanes`}
            </dd>
          </div>
          <div>
            <dt>workgroup memory</dt>
            <dd>{formatBytes(report.workgroupBytes)}</dd>
          </div>
        </dl>
        {tile ? (
          <TileView key={tile.name} report={report} tile={tile} />
        ) : (
          <p className="muted pad">The kernel has no tiles, only scalars.</p>
        )}
        <Accesses />
        <SharedAccesses report={report} />
        <PastedLayout />
      </div>
    </div>
  );
}

function TileList(props: {
  readonly report: Report;
  readonly shown: TileReport | null;
}): React.ReactNode {
  const { report, shown } = props;
  const search = useLayout((state) => state.search);
  const selected = useLocation((state) => state.selected);
  const onLine = ({ location }: TileReport): boolean =>
    selected !== null && location.file === selected.file && location.line === selected.line;
  // A line chosen elsewhere brings its tile into view.
  useEffect(() => {
    if (!selected || selected.from === 'layout') return;
    const found = report.tiles.filter(
      ({ location }) => location.file === selected.file && location.line === selected.line,
    );
    const wanted = found.find(({ from }) => from === 'tt.load') ?? found.at(-1);
    if (wanted) useLayout.setState({ tile: wanted.name });
  }, [selected, report]);
  const wanted = search.trim().toLowerCase();
  const tiles = report.tiles.filter(
    ({ name, variable, from }) =>
      wanted === '' || `${name} ${variable ?? ''} ${from}`.toLowerCase().includes(wanted),
  );
  const choose = (tile: TileReport): void => {
    useLayout.setState({ tile: tile.name });
    select({ file: tile.location.file, line: tile.location.line, from: 'layout' });
  };
  return (
    <div className="layout-side">
      <input
        className="field"
        type="search"
        placeholder="Search tiles"
        aria-label="Search tiles"
        value={search}
        onChange={(event) => useLayout.setState({ search: event.target.value })}
      />
      <div
        className="tile-list"
        role="listbox"
        aria-label="Tiles"
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          const at = tiles.findIndex(({ name }) => name === shown?.name);
          const next = tiles[at + (event.key === 'ArrowDown' ? 1 : -1)];
          if (next) choose(next);
        }}
      >
        {tiles.map((tile) => (
          <div
            key={tile.id}
            role="option"
            aria-selected={tile.name === shown?.name}
            className={tile.from === 'ttg.convert_layout' ? 'tile-row conversion' : 'tile-row'}
            data-lit={onLine(tile)}
            title={`${tile.from}, line ${tile.location.line}`}
            onClick={() => choose(tile)}
          >
            <span className="name">{tile.name}</span>
            <span className="shape">{tile.shape.join('×')}</span>
          </div>
        ))}
        {tiles.length === 0 ? <p className="muted pad">No tile matches.</p> : null}
      </div>
    </div>
  );
}

function TileView(props: { readonly report: Report; readonly tile: TileReport }): React.ReactNode {
  const { report, tile } = props;
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const subgroups = report.subgroupSize !== null;
  const conversion =
    report.conversions.find(({ target }) => target === tile.id) ??
    report.conversions.find(({ source }) => source === tile.id);
  const source = conversion && report.tiles[conversion.source];
  const target = conversion && report.tiles[conversion.target];
  const blocked = blockedOf(tile.layout, tile.shape);
  const shared = { subgroups, pointed, onPoint: setPointed };
  return (
    <section className="tile-view" aria-label={`Tile ${tile.name}`}>
      <p className="layout-facts">
        <b className="mono">{tile.name}</b> <span className="mono">{tile.type}</span> by{' '}
        <span className="mono">{tile.from}</span> <Site site={tile.location} />
        <br />
        <span className="muted">Elements: {describeLayout(tile.layout, tile.shape)}.</span>
      </p>
      {conversion && source && target ? (
        <>
          <p className="layout-facts">{conversionText(conversion, source, target)}</p>
          <div className="side-by-side">
            <TileMap tile={source} title="from" height={280} {...shared} />
            <TileMap tile={target} title="to" height={280} {...shared} />
          </div>
          <p className="readout" role="status">
            {pointed
              ? `${holderText(source, pointed, subgroups)}  →  ${holderText(target, pointed, subgroups).replace(/^\S.*? ↔ /, '')}`
              : 'Point at an element to see it on both sides.'}
          </p>
        </>
      ) : (
        <>
          <TileMap tile={tile} {...shared} />
          <p className="readout" role="status">
            {pointed
              ? holderText(tile, pointed, subgroups)
              : `Colour: ${subgroups ? 'lane. Hatch: subgroup' : 'thread'}. Number: register. Point at an element to see who holds it.`}
          </p>
        </>
      )}
      <details className="layout-name" open>
        <summary>As Triton writes it</summary>
        {blocked ? <pre>{blockedName(blocked)}</pre> : null}
        <pre>{linearName(tile.layout)}</pre>
      </details>
    </section>
  );
}

function conversionText(
  { kind, bytes, scratchBytes, chunks }: ConversionReport,
  source: TileReport,
  target: TileReport,
): string {
  const names = `${source.name} → ${target.name}`;
  switch (kind) {
    case 'registers':
      return `${names}: a permutation of registers. Nothing moves between threads.`;
    case 'shuffle':
      return `${names}: shuffles within each subgroup, no memory.`;
    case 'memory':
      return (
        `${names}: through workgroup memory, ${formatBytes(bytes)} written and read, ` +
        `in ${plural(chunks, 'chunk')} of ${formatBytes(scratchBytes)}.`
      );
    default:
      return kind satisfies never;
  }
}
