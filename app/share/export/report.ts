/**
 * The last run as Markdown: verdicts, times, charts as tables, what was printed, on which adapter.
 */
import {
  formatExact,
  formatMilliseconds,
  formatNumber,
  formatShape,
  formatSpread,
  formatTiming,
  plural,
} from '../../panels/common/format';
import type { ProgramFiles } from '../../events';
import { programText } from '../../state/document';
import { groupTiming, type BenchmarkEvent, type RunRecord } from '../../state/record';
import { isTraceback } from '../../traceback';
import { plain } from './plain';

/** A table of plain text; a column whose name begins with # is of numbers. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const texts = (cells: readonly string[]): string =>
    row(cells.map((cell) => plain(cell).replaceAll('|', '\\|')));
  const rule = head.map((name) => (name.startsWith('#') ? '---:' : '---'));
  return [texts(head.map((name) => name.replace(/^#/, ''))), row(rule), ...rows.map(texts)].join(
    '\n',
  );
}
/** A fence longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function chart(benchmark: BenchmarkEvent): string {
  const xs = [...new Set(benchmark.lines.flatMap((line) => line.points.map((point) => point.x)))];
  const unit = benchmark.yLabel ? ` (${benchmark.yLabel})` : '';
  const rows = xs.map((x) => [
    String(x),
    ...benchmark.lines.map((line) =>
      formatNumber(line.points.find((point) => point.x === x)?.y ?? null),
    ),
  ]);
  const head = [`#${benchmark.xName}`, ...benchmark.lines.map((line) => `#${line.name}${unit}`)];
  const notes = benchmark.notes.map((note) => `\n${plain(note)}`).join('');
  return `### ${plain(benchmark.name)}\n\n${table(head, rows)}\n${notes}`;
}

const OUTCOMES: Record<NonNullable<RunRecord['outcome']>, string> = {
  ok: 'The program ended.',
  error: 'The program ended with an error.',
  stopped: 'The program was stopped.',
};

function ended(record: RunRecord, outcome: NonNullable<RunRecord['outcome']>): string {
  const { errors } = record;
  if (outcome !== 'ok' || errors === 0) return OUTCOMES[outcome];
  return `The program ended; ${plural(errors, 'error was', 'errors were')} reported.`;
}

export function reportOf(report: {
  readonly name: string;
  readonly entry: string;
  readonly files: ProgramFiles;
  readonly link: string | null;
  readonly record: RunRecord | null;
  readonly browser: string;
  /** When it was made, for people. */
  readonly date: string;
}): string {
  const { name, entry, files, link, record, browser, date } = report;
  const parts = [
    `# ${plain(name)}`,
    `${link === null ? '' : `[Open it in Hippocamp](${link}) · `}${date} · ${browser}`,
  ];
  if (!record) parts.push('The program was not run.');
  else {
    const { adapter } = record;
    const where =
      adapter?.kind === 'webgpu'
        ? `On ${plain(adapter.name)} through WebGPU.`
        : 'On the interpreter, without a GPU.';
    const took =
      record.milliseconds === null ? '' : ` It took ${formatMilliseconds(record.milliseconds)}.`;
    const stale =
      record.text === programText({ files, entry }) ? '' : ' **The text was edited since.**';
    parts.push(
      `${where} ${record.outcome ? ended(record, record.outcome) : 'It still ran.'}${took}${stale}`,
    );
    if (record.comparisons.length > 0) {
      const rows = record.comparisons.map((one) => [
        one.passed ? '✓' : '✗',
        `${one.kind} ${one.dtype} ${formatShape(one.shape)}`,
        one.message ?? plural(one.mismatches, 'mismatch', 'mismatches'),
        formatNumber(one.maxAbsolute),
        formatNumber(one.maxRelative),
        one.first
          ? `[${one.first.index.join(', ')}]: ${formatExact(one.first.actual)}, expected ${formatExact(one.first.expected)}`
          : '',
        `${one.site.file}:${one.site.line}`,
      ]);
      const head = [
        '',
        'Comparison',
        'Says',
        '#max abs. error',
        '#max rel. error',
        'First',
        'Line',
      ];
      parts.push('## Comparisons', table(head, rows));
    }
    if (record.groups.length > 0) {
      const rows = record.groups.map((group) => {
        const timing = groupTiming(group);
        return [
          group.first.kernel,
          formatShape(group.first.grid),
          String(group.count),
          timing ? formatTiming(timing).text : 'not timed',
          timing && !formatTiming(timing).below ? formatSpread(timing) : '',
          timing ? timing.clock.toUpperCase() : '',
          `${group.first.site.file}:${group.first.site.line}`,
        ];
      });
      const head = ['Kernel', 'Grid', '#Launches', '#Median', 'Range (20–80 %)', 'Clock', 'Line'];
      parts.push('## Launches', table(head, rows));
    }
    if (record.benchmarks.length > 0)
      parts.push('## Benchmarks', ...record.benchmarks.map((benchmark) => chart(benchmark)));
    const printed = record.output.map((item) => (item.kind === 'print' ? item.text : '')).join('');
    if (printed.trim()) parts.push('## Printed', fenced(printed));
    if (record.diagnostics.length > 0) {
      const says = record.diagnostics.map(
        ({ severity, message, location }) =>
          `- ${severity} at ${plain(`${location.file}:${location.line}`)}: ` +
          plain(message.split('\n')[0] ?? ''),
      );
      parts.push('## Problems', says.join('\n'));
      for (const { message } of record.diagnostics.flatMap(({ notes }) => notes))
        if (isTraceback(message)) parts.push(fenced(message));
    }
  }
  parts.push('## Program');
  for (const [file, text] of Object.entries(files)) parts.push(plain(file), fenced(text, 'python'));
  return `${parts.join('\n\n')}\n`;
}
