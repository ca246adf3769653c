/**
 * The panels, one entry each: add its name to `PANELS` in `state/view.ts` and its entry here.
 * Panels that a first visit does not show are loaded when they are first looked at.
 */
import { countVerdicts } from '../prove/report';
import { useCompilation } from '../state/compilation';
import { useProof } from '../state/proof';
import { useRun } from '../state/run';
import { PANELS, type PanelName } from '../state/view';
import { lazyView } from './common/lazyView';
import { Compare } from './compare/Compare';
import { Output } from './output/Output';

export interface PanelEntry {
  readonly title: string;
  /** For the palette: what one sees there. */
  readonly says: string;
  /**
   * Whether it is of the last run, so that it grows old when the text changes; others follow the
   * text.
   */
  readonly ofTheRun: boolean;
  /** It scrolls inside itself, and fills the height. */
  readonly fixed: boolean;
  readonly View: React.ComponentType;
  /** Beside the title in its tab. */
  readonly Badge?: React.ComponentType;
}

export const PANEL_ENTRIES: Record<PanelName, PanelEntry> = {
  output: {
    title: 'Output',
    says: 'what the program printed, launched and showed',
    ofTheRun: true,
    fixed: false,
    View: Output,
    Badge: OutputBadge,
  },
  compare: {
    title: 'Compare',
    says: 'each comparison with its largest errors and where they are',
    ofTheRun: true,
    fixed: false,
    View: Compare,
    Badge: CompareBadge,
  },
  timing: {
    title: 'Timing',
    says: 'every launch’s time, and charts of benchmarks',
    ofTheRun: true,
    fixed: false,
    View: lazyView(async () => ({ default: (await import('./timing/Timing')).Timing })),
  },
  passes: {
    title: 'Passes',
    says: 'the IR after every compiler pass, with diffs',
    ofTheRun: false,
    fixed: true,
    View: lazyView(async () => ({ default: (await import('./passes/Passes')).Passes })),
    Badge: PassesBadge,
  },
  wgsl: {
    title: 'WGSL',
    says: 'the shader that the kernel became',
    ofTheRun: false,
    fixed: true,
    View: lazyView(async () => ({ default: (await import('./wgsl/Wgsl')).Wgsl })),
  },
  memory: {
    title: 'Memory',
    says: 'what each load and store of a program touches, out of range, races',
    ofTheRun: true,
    fixed: true,
    View: lazyView(async () => ({ default: (await import('./memory/Memory')).Memory })),
  },
  layout: {
    title: 'Layout',
    says: 'which register, lane and subgroup holds each element; coalescing, bank conflicts',
    ofTheRun: false,
    fixed: true,
    View: lazyView(async () => ({ default: (await import('./layout/Layout')).Layout })),
  },
  debugger: {
    title: 'Debugger',
    says: 'a program step by step, with the values of its tiles',
    ofTheRun: true,
    fixed: true,
    View: lazyView(async () => ({ default: (await import('./debugger/Debugger')).Debugger })),
  },
  prove: {
    title: 'Prove',
    says: 'whether kernels are right for every program and every n, and compute what they should',
    ofTheRun: false,
    fixed: false,
    View: lazyView(async () => ({ default: (await import('./prove/Prove')).Prove })),
    Badge: ProveBadge,
  },
};

/** Alt+1 … Alt+9, by the order of the tabs. */
export function panelKeys(panel: PanelName): string | null {
  const place = PANELS.indexOf(panel) + 1;
  return place <= 9 ? `Alt+${place}` : null;
}

function OutputBadge(): React.ReactNode {
  const failed = useRun(
    ({ record }) => record !== null && (record.outcome === 'error' || record.errors > 0),
  );
  return failed ? <span className="badge sign fail">✗</span> : null;
}

function CompareBadge(): React.ReactNode {
  const comparisons = useRun((state) => state.record)?.comparisons ?? [];
  if (comparisons.length === 0) return null;
  const failed = comparisons.filter((comparison) => !comparison.passed).length;
  const passed = comparisons.length - failed;
  return (
    <span className="badge">
      {passed > 0 ? <span className="sign pass">✓{passed}</span> : null}
      {failed > 0 ? <span className="sign fail">✗{failed}</span> : null}
    </span>
  );
}

function PassesBadge(): React.ReactNode {
  const passes = useCompilation((state) => state.result?.log.length ?? 0);
  return passes > 0 ? <span className="badge">{passes}</span> : null;
}

function ProveBadge(): React.ReactNode {
  const report = useProof((state) => state.report);
  if (!report) return null;
  const { holds, fails } = countVerdicts(report.sections);
  if (fails > 0 || report.errors.length > 0) return <span className="badge sign fail">✗</span>;
  return holds > 0 ? <span className="badge sign pass">✓</span> : null;
}
