/**
 * From diagnostics and failed comparisons to what the editor draws. No Monaco code: only its
 * shapes.
 */
import type { editor } from 'monaco-editor/editor/editor.api.js';
import { noteText, type Diagnostic } from '../../compiler/diagnostics';
import { groupTiming, type LaunchGroup, type RunRecord } from '../state/record';
import { isTraceback } from '../traceback';
import { formatExact, formatNumber, formatSpread, formatTiming } from '../panels/common/format';

/** Monaco's `MarkerSeverity`, which cannot be imported without loading Monaco. */
const SEVERITY = { error: 8, warning: 4, info: 2 } as const;

function toMarker(diagnostic: Diagnostic): editor.IMarkerData {
  const { location, notes, code } = diagnostic;
  const hints = notes.filter((note) => !isTraceback(note.message));
  return {
    severity: SEVERITY[diagnostic.severity],
    message: [diagnostic.message, ...hints.map(noteText)].join('\n'),
    code,
    source: 'hippocamp',
    startLineNumber: location.line,
    startColumn: location.column,
    endLineNumber: location.endLine,
    endColumn: Math.max(location.endColumn, location.column + 1),
  };
}

export function markersOf(problems: readonly Diagnostic[], file: string): editor.IMarkerData[] {
  return problems.filter(({ location }) => location.file === file).map(toMarker);
}

/** Times of the launches of a file, one for each line that launches. */
export function launchTimesOf(
  record: RunRecord,
  file: string,
): { readonly line: number; readonly text: string; readonly hover: string }[] {
  const lines = new Map<number, LaunchGroup[]>();
  for (const group of record.groups) {
    const { site } = group.first;
    if (site.file !== file || group.first.benchmark) continue;
    lines.set(site.line, [...(lines.get(site.line) ?? []), group]);
  }
  return [...lines].flatMap(([line, groups]) => {
    const shown = groups.flatMap((group) => {
      const timing = groupTiming(group);
      if (!timing) return [];
      const { kernel, grid } = group.first;
      const times = group.count > 1 ? ` × ${group.count}` : '';
      const { text } = formatTiming(timing);
      const spread = formatSpread(timing);
      const hover = `${kernel}[${grid.join(', ')}]: ${text}${times}${spread ? ` (${spread})` : ''}`;
      return [{ text: `${text}${times}`, hover }];
    });
    const [first] = shown;
    if (!first) return [];
    const more = shown.length > 1 ? ` and ${shown.length - 1} more` : '';
    const hover = shown.map((each) => each.hover).join('\n\n');
    return [{ line, text: `${first.text}${more}`, hover }];
  });
}

export interface LineFailure {
  readonly line: number;
  readonly kind: 'error' | 'comparison';
  readonly message: string;
  /** The run failed there; else the text alone says so, perhaps while it is typed. */
  readonly ran: boolean;
}

/**
 * Lines of a file with an error, and those whose comparison failed, each once.
 * @param record the last run, where it was of this text
 */
export function failuresOf(
  problems: readonly Diagnostic[],
  record: RunRecord | null,
  file: string,
): LineFailure[] {
  const failures = new Map<number, LineFailure>();
  for (const comparison of record?.comparisons ?? []) {
    const { site, passed, first, mismatches, count } = comparison;
    if (passed || site.file !== file) continue;
    const where = first
      ? `First at [${first.index.join(', ')}]: ${formatExact(first.actual)}, ` +
        `expected ${formatExact(first.expected)}.`
      : '';
    const message =
      comparison.message ??
      `${comparison.kind} failed: ${mismatches} of ${count} elements differ, largest error ` +
        `${formatNumber(comparison.maxAbsolute)}. ${where}`;
    failures.set(site.line, { line: site.line, kind: 'comparison', message, ran: true });
  }
  for (const problem of problems) {
    const { severity, location, message } = problem;
    if (severity !== 'error' || location.file !== file) continue;
    const ran = record?.diagnostics.includes(problem) ?? false;
    if (failures.get(location.line)?.kind === 'error' && !ran) continue;
    failures.set(location.line, { line: location.line, kind: 'error', message, ran });
  }
  return [...failures.values()];
}
