/**
 * The human report of a run: the program's own output on standard output as it comes, everything else
 * (launches, comparisons, errors, the summary) on standard error, so that output can be piped.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import { formatLocation } from '../../compiler/ir/location';
import type { ProgramEvent, Timing } from '../events';

export class Report {
  constructor(
    private readonly out: NodeJS.WritableStream,
    private readonly err: NodeJS.WritableStream,
  ) {}

  event(event: ProgramEvent): void {
    switch (event.type) {
      case 'started':
        this.line(
          `Running on ${event.adapter.name}` +
            (event.adapter.reason ? ` (${event.adapter.reason})` : ''),
        );
        return;
      case 'print':
        (event.stream === 'stdout' ? this.out : this.err).write(event.text);
        return;
      case 'comparison': {
        const what = `${event.kind} at ${event.site.file}:${event.site.line}`;
        if (event.passed) {
          this.line(`✓ ${what}: ${event.count} elements${largest(event.maxAbsolute)}`);
          return;
        }
        const first = event.first
          ? `; first at [${event.first.index.join(', ')}]: ` +
            `${event.first.actual} instead of ${event.first.expected}`
          : '';
        this.line(
          `✗ ${what}: ` +
            (event.message ?? `${event.mismatches} of ${event.count} elements differ${first}`),
        );
        return;
      }
      case 'diagnostic':
        this.diagnostic(event.diagnostic);
        return;
      case 'compile':
        for (const each of event.diagnostics) {
          if (each.severity === 'warning') this.diagnostic(each);
        }
        return;
      case 'benchmark':
        if (event.done) this.benchmark(event);
        return;
      case 'check':
        for (const pass of event.passes) {
          if (pass.verdict !== 'different' && pass.verdict !== 'failed') continue;
          this.line(`✗ check: pass ${pass.index} ${pass.name}: ${pass.message ?? pass.verdict}`);
        }
        return;
      case 'launch':
      case 'launch-time':
      case 'tensor':
      case 'progress':
      case 'finished':
        return;
      default:
        return unreachable(event);
    }
  }

  /** The launches by kernel and specialization, with their times. */
  end(events: readonly ProgramEvent[]): void {
    const rows = new Map<string, { label: string; launches: number; times: Timing[] }>();
    const rowOfLaunch = new Map<number, string>();
    for (const event of events) {
      if (event.type === 'launch') {
        const key = `${event.key} ${event.grid.join('×')}`;
        const row = rows.get(key) ?? {
          label: `${event.kernel}[${event.grid.join(', ')}]`,
          launches: 0,
          times: [],
        };
        row.launches++;
        rows.set(key, row);
        rowOfLaunch.set(event.id, key);
      } else if (event.type === 'launch-time') {
        rows.get(rowOfLaunch.get(event.id) ?? '')?.times.push(event.timing);
      }
    }
    for (const row of rows.values()) {
      const times = row.launches > 1 ? `, ${row.launches} launches` : '';
      this.line(`  ${row.label}  ${timeOf(row.times)}${times}`);
    }
    const finished = events.findLast((event) => event.type === 'finished');
    const comparisons = events.filter((event) => event.type === 'comparison');
    const failed = comparisons.filter((event) => !event.passed).length;
    const verdict =
      comparisons.length === 0
        ? ''
        : failed > 0
          ? `, ${failed} of ${comparisons.length} comparisons failed`
          : `, ${comparisons.length} comparison${comparisons.length === 1 ? '' : 's'} held`;
    if (finished) {
      this.line(`${finished.outcome} in ${(finished.milliseconds / 1000).toFixed(2)} s${verdict}`);
    }
  }

  private diagnostic(diagnostic: Diagnostic): void {
    const { severity, code, message, location } = diagnostic;
    this.line(`${formatLocation(location)}: ${severity} ${code}: ${message}`);
    for (const note of diagnostic.notes) {
      const where = note.location ? `${formatLocation(note.location)}: ` : '';
      this.line(`  ${where}${note.message.replaceAll('\n', '\n  ')}`);
    }
  }

  private benchmark(event: ProgramEvent & { type: 'benchmark' }): void {
    this.line(`${event.name} (${event.yLabel})`);
    for (const line of event.lines) {
      for (const point of line.points) {
        this.line(`  ${event.xName} = ${point.x}  ${line.name}: ${digits(point.y)}`);
      }
    }
    for (const note of event.notes) this.line(`  ${note}`);
  }

  private line(text: string): void {
    this.err.write(`${text}\n`);
  }
}

function largest(error: number | null): string {
  return error === null ? '' : `, largest error ${digits(error)}`;
}

/** Three significant digits. */
function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function timeOf(times: readonly Timing[]): string {
  const medians = times.map((timing) => timing.median).sort((a, b) => a - b);
  const median = medians[Math.floor(medians.length / 2)];
  const [first] = times;
  if (median === undefined || !first) return 'no time';
  const clock = first.clock === 'gpu' ? 'GPU' : 'CPU';
  if (first.clock === 'gpu' && median < first.quantum) {
    return `below the clock's resolution of ${digits(first.quantum)} µs`;
  }
  return median >= 1000 ? `${digits(median / 1000)} ms ${clock}` : `${digits(median)} µs ${clock}`;
}

function unreachable(event: never): never {
  throw new Error(`unknown event ${JSON.stringify(event)}`);
}
