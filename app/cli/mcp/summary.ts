/** A run's record as the tool `run` answers it: short enough to be read, and counted where cut. */
import { noteText, type Diagnostic } from '../../../compiler/diagnostics';
import { groupTiming, type RunRecord } from '../../state/record';
import type { ProgramEvent } from '../../events';
import { devicePrintText } from '../../runtime/devicePrint';
import { passed } from '../../passed';
import { clip, LIST_ITEMS } from './limits';
import type { DiagnosticResult, RunResult } from './results';

export function diagnosticResult(found: Diagnostic): DiagnosticResult {
  const { code, severity, message, location, notes, fix } = found;
  return {
    code,
    severity,
    message: clip(message, 10_000),
    file: location.file,
    line: location.line,
    column: location.column,
    notes: notes.slice(0, 20).map((note) => clip(noteText(note), 10_000)),
    fix: fix?.text ?? null,
  };
}

export function runResult(record: RunRecord, events: readonly ProgramEvent[]): RunResult {
  const text = (stream: 'stdout' | 'stderr'): string =>
    clip(
      events
        .flatMap((event) => (event.type === 'print' && event.stream === stream ? event.text : []))
        .join(''),
    );
  const { adapter, milliseconds, diagnostics, groups } = record;
  // Failures come first.
  const comparisons = record.comparisons.toSorted((a, b) => Number(a.passed) - Number(b.passed));
  const singles = groups.filter(({ first }) => !first.benchmark);
  const omitted = (list: readonly unknown[]): number => Math.max(0, list.length - LIST_ITEMS);
  return {
    version: 1,
    outcome: record.outcome ?? 'error',
    passed: passed(record),
    adapter: adapter && { ...adapter },
    milliseconds,
    stdout: text('stdout'),
    stderr: text('stderr'),
    device_print: clip(
      events
        .map((event) =>
          event.type === 'device-print' ? devicePrintText(event.prints, event.dropped) : '',
        )
        .join(''),
    ),
    diagnostics: diagnostics.slice(0, LIST_ITEMS).map(diagnosticResult),
    comparisons: comparisons.slice(0, LIST_ITEMS).map(comparisonResult),
    launches: singles.slice(0, LIST_ITEMS).map((group) => {
      const { kernel, grid, site, arguments: values } = group.first;
      const timing = groupTiming(group);
      return {
        kernel,
        grid: [...grid],
        file: site.file,
        line: site.line,
        count: group.count,
        arguments: [...values],
        clock: timing?.clock ?? null,
        median: timing?.median ?? null,
      };
    }),
    changed_by: changedBy(record),
    omitted: {
      diagnostics: omitted(diagnostics),
      comparisons: omitted(comparisons),
      launches: omitted(singles),
    },
  };
}

function comparisonResult(
  event: RunRecord['comparisons'][number],
): RunResult['comparisons'][number] {
  const { site, call, first, mismatches, count } = event;
  return {
    kind: event.kind,
    passed: event.passed,
    file: site.file,
    line: site.line,
    call: call && `${call.function}(${call.actual}, ${call.expected})`,
    shape: [...event.shape],
    dtype: event.dtype,
    rtol: event.rtol,
    atol: event.atol,
    elements: count,
    mismatches,
    largest_error: event.maxAbsolute,
    first: first && { ...first, index: [...first.index] },
    message: event.message,
  };
}

function changedBy({ checks, groups }: RunRecord): RunResult['changed_by'] {
  const names = new Map(groups.map(({ first }) => [first.key, first.kernel]));
  return checks.flatMap(({ key, passes }) =>
    passes
      .filter(({ verdict }) => verdict === 'different' || verdict === 'failed')
      .map(({ name, message, verdict }) => ({
        kernel: names.get(key) ?? key,
        pass: name,
        message: message ?? verdict,
      })),
  );
}
