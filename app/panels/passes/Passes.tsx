/**
 * Every pass of the compiler over the kernel in view: the list on the left, the IR after the chosen
 * pass on the right, alone or as a diff with the IR before it. Keys: j and k step, d diff, c
 * changed only, a what the pass does.
 */
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from 'react';
import type { Diagnostic } from '../../../compiler/diagnostics';
import type { PassRecord } from '../../../compiler/program';
import type { CheckedPass } from '../../events';
import { TILE_IR } from '../../editor/tileIr';
import { useAsIf } from '../../state/asIf';
import { registerCommands } from '../../state/commands';
import { compareWith, useCompared } from '../../state/compared';
import { useCompilation } from '../../state/compilation';
import { useCompiler } from '../../state/compiler';
import { useDocument } from '../../state/document';
import { useRun } from '../../state/run';
import { isRecorded, REAL_LEVELS, type RealLevel } from '../../state/recorded';
import { AsIfNotice, AsIfSelect } from '../common/AsIf';
import { ComparedSelect } from '../common/Compared';
import { Empty } from '../common/Empty';
import { formatNumber } from '../common/format';
import { LinkedCode } from '../common/LinkedCode';
import { ErrorCard } from '../output/ErrorCard';
import { PassPage } from './PassPage';
import { findPass, irBefore, stepPass, visiblePasses } from './select';
import { comparableTtir } from './traceTtir';
import { select, selectReal, setDiff, usePasses, type DiffMode } from './state';
import { Coverage, GpuVerdict, SIGNS, useElementNames, Verdict } from './Verdicts';

const MonacoDiff = lazy(async () => ({
  default: (await import('../../editor/MonacoView')).MonacoDiff,
}));

const RealTriton = lazy(() => import('./RealTriton'));
const ALL_LEVELS = Object.keys(REAL_LEVELS) as RealLevel[];
const NO_LEVELS: readonly RealLevel[] = [];

const NONE: readonly Diagnostic[] = [];

const PHASES: Record<PassRecord['phase'], string> = {
  lower: 'Lower',
  optimize: 'Optimize',
  distribute: 'Distribute',
  threads: 'Threads',
  emit: 'Emit',
};

export function Passes(): React.ReactNode {
  const result = useCompilation((state) => state.result);
  const checked = useCompilation((state) => state.checked);
  const kernels = useCompilation((state) => state.kernels);
  const busy = useCompilation((state) => state.busy);
  const loaded = useCompiler((state) => state.loaded);
  if (!result || result.log.length === 0) {
    const failed = result?.kind === 'failed';
    const title = failed
      ? 'The kernel does not compile'
      : !loaded
        ? 'Downloading the compiler…'
        : busy || !checked
          ? 'Compiling…'
          : kernels.length === 0
            ? 'There is no kernel in the text'
            : 'The kernel’s types are not known yet';
    return (
      <Empty title={title}>
        {failed
          ? (result.diagnostics[0]?.message ?? 'See the problems below.')
          : kernels.length === 0
            ? 'A function decorated with @triton.jit appears here with its IR after every pass.'
            : 'They come from the launch: run the program once, and its passes appear here.'}
      </Empty>
    );
  }
  return <Viewer log={result.log} failed={result.kind === 'failed'} />;
}

function Viewer(props: {
  readonly log: readonly PassRecord[];
  readonly failed: boolean;
}): React.ReactNode {
  const { log, failed } = props;
  const state = usePasses();
  const inView = useCompilation((compilation) => compilation.inView);
  const diagnostics = useCompilation((compilation) => compilation.result?.diagnostics ?? NONE);
  const pass = findPass(log, state.selection);
  const visible = useMemo(
    () => visiblePasses(log, state.changedOnly, state.search),
    [log, state.changedOnly, state.search],
  );
  const checks = useRun((session) => session.record?.checks);
  // Check mode is of what ran.
  const asIf = useAsIf(({ profile }) => profile !== null);
  const check = asIf ? undefined : checks?.findLast(({ key }) => key === inView?.key);
  const checked = check?.passes ?? [];
  const list = useRef<HTMLDivElement>(null);
  const search = state.search.trim().toLowerCase();
  const recorded = useDocument(isRecorded);
  const levels = useMemo(
    () => (recorded ? ALL_LEVELS.filter((level) => level.includes(search)) : NO_LEVELS),
    [recorded, search],
  );
  const real = recorded ? state.real : null;
  const step = useCallback(
    (by: 1 | -1): void => {
      // Triton's levels follow the last pass.
      const place = real ? levels.indexOf(real) : visible.at(-1) === pass ? -1 : null;
      const level = place === null ? undefined : levels[place + by];
      if (level) selectReal(level);
      else if (!real) select(stepPass(visible, pass, by));
      else if (by < 0) select(visible.at(-1) ?? null);
    },
    [visible, pass, real, levels],
  );

  useEffect(
    () =>
      registerCommands('passes', () => [
        {
          id: 'pass-next',
          title: 'Next pass',
          group: 'Inspect',
          keys: ['j'],
          run: () => step(1),
        },
        {
          id: 'pass-previous',
          title: 'Previous pass',
          group: 'Inspect',
          keys: ['k'],
          run: () => step(-1),
        },
        {
          id: 'pass-diff',
          title: state.diff === 'off' ? 'Show the pass as a diff' : 'Show the IR after the pass',
          group: 'Inspect',
          keys: ['d'],
          run: () => setDiff(state.diff === 'off' ? state.lastDiff : 'off'),
        },
        {
          id: 'pass-about',
          title: state.about ? 'Hide what the pass does' : 'What does this pass do?',
          group: 'Inspect',
          keys: ['a'],
          run: () => usePasses.setState({ about: !state.about }),
        },
        {
          id: 'pass-changed',
          title: state.changedOnly ? 'List all passes' : 'List only passes that changed the IR',
          group: 'Inspect',
          keys: ['c'],
          run: () => usePasses.setState({ changedOnly: !state.changedOnly }),
        },
      ]),
    [step, state.diff, state.lastDiff, state.changedOnly, state.about],
  );
  /** Arrows belong to the code, or to the tabs, wherever the list has not the focus. */
  const onArrow = (event: React.KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    step(event.key === 'ArrowDown' ? 1 : -1);
  };
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [pass?.index, real]);

  return (
    <div className="passes">
      <div className="pass-side">
        <div className="tools">
          <input
            className="field"
            type="search"
            placeholder="Search passes and IR"
            aria-label="Search passes and IR"
            value={state.search}
            onChange={(event) => usePasses.setState({ search: event.target.value })}
          />
          <label>
            <input
              type="checkbox"
              checked={state.changedOnly}
              onChange={(event) => usePasses.setState({ changedOnly: event.target.checked })}
            />
            Changed only
          </label>
        </div>
        <div
          ref={list}
          className="pass-list"
          role="listbox"
          aria-label="Passes"
          tabIndex={0}
          onKeyDown={onArrow}
          aria-activedescendant={real ? `real-${real}` : pass ? `pass-${pass.index}` : undefined}
        >
          {visible.map((one, position) => (
            <PassRow
              key={one.index}
              pass={one}
              selected={one === pass && !real}
              heading={visible[position - 1]?.phase !== one.phase}
              verdict={checked.find((check) => check.index === one.index) ?? null}
            />
          ))}
          {visible.length === 0 ? <p className="phase">No pass matches.</p> : null}
          {levels.length > 0 ? (
            <div className="phase" role="presentation">
              Real Triton
            </div>
          ) : null}
          {levels.map((level) => (
            <div
              key={level}
              id={`real-${level}`}
              role="option"
              aria-selected={level === real}
              className="level-row"
              title={`${REAL_LEVELS[level]} that real Triton made of this kernel, recorded`}
              onClick={() => selectReal(level)}
            >
              <span className="name">{REAL_LEVELS[level]}</span>
            </div>
          ))}
        </div>
        <GpuVerdict checked={checked} />
        <FirstBroken log={log} checked={checked} />
        {check ? <Coverage check={check} /> : null}
        <p className="keys">
          <b>j</b> <b>k</b> step · <b>d</b> diff · <b>c</b> changed · <b>a</b> about
        </p>
      </div>
      <div className="pass-main">
        <AsIfNotice />
        {failed
          ? diagnostics.map((one, index) => <ErrorCard key={index} diagnostic={one} />)
          : null}
        {real ? (
          <Suspense fallback={null}>
            <RealTriton level={real} />
          </Suspense>
        ) : pass ? (
          <PassView log={log} pass={pass} diff={state.diff} checked={checked} />
        ) : null}
      </div>
    </div>
  );
}

/** The one line that check mode is for: which pass broke which element. */
function FirstBroken(props: {
  readonly log: readonly PassRecord[];
  readonly checked: readonly CheckedPass[];
}): React.ReactNode {
  const nameOf = useElementNames();
  const broken = props.checked.find(({ verdict }) => verdict === 'different');
  const pass = broken && props.log.find(({ index }) => index === broken.index);
  if (!broken || !pass) return null;
  const element = broken.first ? nameOf(broken.first) : null;
  return (
    <button type="button" className="first-broken" onClick={() => select(pass)}>
      <span className="sign fail">✗</span> Pass {pass.index + 1}, {pass.name},{' '}
      {element ? `broke element ${element}` : 'changed the result'}
    </button>
  );
}

function PassRow(props: {
  readonly pass: PassRecord;
  readonly selected: boolean;
  readonly heading: boolean;
  readonly verdict: CheckedPass | null;
}): React.ReactNode {
  const { pass, selected, heading, verdict } = props;
  const sign = verdict ? SIGNS[verdict.verdict] : null;
  return (
    <>
      {heading ? (
        <div className="phase" role="presentation">
          {PHASES[pass.phase]}
        </div>
      ) : null}
      <div
        id={`pass-${pass.index}`}
        role="option"
        aria-selected={selected}
        className={pass.changed ? 'pass-row changed' : 'pass-row'}
        title={`${pass.name}: ${pass.changed ? 'changed the IR' : 'left the IR as it was'}`}
        onClick={() => select(pass)}
      >
        <span className="name">{pass.name}</span>
        {sign ? (
          <span className={`sign ${sign[1]}`} title={`Check: ${sign[2]}`}>
            {sign[0]}
          </span>
        ) : null}
        <span className="time">
          {pass.milliseconds < 0.05 ? '' : `${pass.milliseconds.toFixed(1)} ms`}
        </span>
      </div>
    </>
  );
}

function PassView(props: {
  readonly log: readonly PassRecord[];
  readonly pass: PassRecord;
  readonly diff: DiffMode;
  readonly checked: readonly CheckedPass[];
}): React.ReactNode {
  const { log, pass, diff, checked } = props;
  const files = useDocument((state) => state.files);
  const verdict = checked.find((check) => check.index === pass.index);
  const about = usePasses((state) => state.about);
  const compared = useCompared();
  // The same pass of the other specialization; of one that does not compile there may be none.
  const other = compared.result && findPass(compared.result.log, pass);
  const kernel = useCompilation((state) => state.inView?.kernel ?? '');
  const trace = files[`${kernel}.ttir`];
  const comparable = useMemo(() => comparableTtir(trace ?? ''), [trace]);
  const mode = diff === 'trace' && trace === undefined ? 'off' : diff;
  const shown = compared.choice && mode === 'off' ? 'split' : mode;
  const before =
    shown === 'trace' ? comparable : compared.choice ? (other?.ir ?? '') : irBefore(log, pass);
  const label = `IR after ${pass.name}`;
  return (
    <>
      <div className="panel-bar">
        <span className="mono">
          <b>{pass.name}</b>
        </span>
        <span className="muted">
          {pass.changed ? 'changed the IR' : 'no change'} · {formatNumber(pass.milliseconds, 3)} ms
        </span>
        <span className="grow" />
        <AsIfSelect />
        <ComparedSelect />
        <button
          type="button"
          className="button quiet small"
          aria-pressed={about}
          onClick={() => usePasses.setState({ about: !about })}
        >
          About
        </button>
        <span className="segmented" role="group" aria-label="How to show the IR">
          {(
            [
              ['off', 'IR'],
              ['split', 'Diff'],
              ['inline', 'Inline'],
              ...(trace === undefined ? [] : ([['trace', 'Trace’s TTIR']] as const)),
            ] as const
          ).map(([one, name]) => (
            <button
              key={one}
              type="button"
              aria-pressed={shown === one}
              onClick={() => {
                if (one === 'off') void compareWith(null);
                // Ours as it is when the passes on TTIR are done.
                if (one === 'trace')
                  select(
                    log.findLast(({ phase }) => phase === 'lower' || phase === 'optimize') ?? pass,
                  );
                setDiff(one);
              }}
            >
              {name}
            </button>
          ))}
        </span>
      </div>
      {verdict && verdict.verdict !== 'same' ? <Verdict verdict={verdict} /> : null}
      {about ? <PassPage name={pass.name} /> : null}
      <div className="code-host">
        {pass.ir === '' ? (
          <Empty title="No IR after this step">Its result is WGSL, which has its own panel.</Empty>
        ) : shown === 'off' ? (
          <LinkedCode
            label={label}
            language={TILE_IR}
            text={pass.ir}
            locations={pass.locations}
            from="passes"
          />
        ) : (
          <Suspense fallback={null}>
            <MonacoDiff
              label="IR"
              language={TILE_IR}
              before={before}
              after={pass.ir}
              inline={shown === 'inline'}
            />
          </Suspense>
        )}
      </div>
    </>
  );
}
