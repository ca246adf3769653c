/**
 * The human report of a run: the program's own output on standard output as it comes, everything
 * else (launches, comparisons, errors, the summary) on standard error, so that output can be piped.
 */
import { verificationText } from '../runtime/verificationText';
import { noteText, type Diagnostic } from '../../compiler/diagnostics';
import { formatLocation } from '../../compiler/ir/location';
import type { KernelProgram } from '../../compiler/program';
import { checkCoverage } from '../checkCoverage';
import type { ProgramEvent, Timing } from '../events';
import { judged, passed } from '../passed';
import { namesOf } from '../panels/timing/configurations';
import { derivedText } from '../inspection/derived';
import { looseText } from '../inspection/slack';
import { devicePrintText } from '../runtime/devicePrint';
import { isTraceback } from '../traceback';

/** A kernel with more grids than this is reported in one line. */
const MOST_GRIDS = 6;

export class Report {
  /** Whether the program's last print did not end its line. */
  private unended = false;
  /** Charts whose table the program has not printed itself. */
  private readonly charts = new Map<string, ProgramEvent & { type: 'benchmark' }>();
  /** Names of the kernels, by the keys of their specializations. */
  private readonly kernels = new Map<string, string>();

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
        if (event.text !== '') this.unended = !event.text.endsWith('\n');
        for (const name of this.charts.keys()) {
          if (event.text.includes(`${name}:\n`)) this.charts.delete(name);
        }
        return;
      case 'device-print':
        if (this.unended) this.out.write('\n');
        this.unended = false;
        this.out.write(devicePrintText(event.prints, event.dropped));
        return;
      case 'comparison': {
        const what = `${event.kind} at ${event.site.file}:${event.site.line}`;
        if (event.passed) {
          const caveat = event.caveat ? ` (${event.caveat})` : '';
          this.line(`✓ ${what}: ${event.count} elements${largest(event.maxAbsolute)}${caveat}`);
          for (const text of [derivedText(event), looseText(event)])
            if (text !== null) this.line(`  ${text}`);
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
        const derived = derivedText(event);
        if (derived !== null) this.line(`  ${derived}`);
        return;
      }
      case 'verdict':
        this.line(
          `${event.passed ? '✓' : '✗'} ${event.name}${event.message ? `: ${event.message}` : ''}`,
        );
        return;
      case 'figure':
        this.line(`figure ${event.name}: an image, in --json and in the page`);
        return;
      case 'sweep':
        // The program has printed its table.
        if (event.failure)
          this.line(`✗ sweep of ${event.name} at ${event.site.file}:${event.site.line} fails`);
        return;
      case 'diagnostic':
        this.diagnostic(event.diagnostic);
        return;
      case 'compile':
        this.kernels.set(event.key, nameOf(event.request.program));
        for (const each of event.diagnostics) {
          if (each.severity === 'warning') this.diagnostic(each);
        }
        return;
      case 'benchmark':
        if (event.done) this.charts.set(event.name, event);
        return;
      case 'check':
        for (const pass of event.passes) {
          if (pass.verdict !== 'different' && pass.verdict !== 'failed') continue;
          this.line(`✗ check: pass ${pass.index} ${pass.name}: ${pass.message ?? pass.verdict}`);
        }
        this.coverage(event);
        return;
      case 'autotune':
        if (event.done && !event.fromCache) this.tuning(event);
        return;
      case 'verification':
        this.line(verificationText(event));
        return;
      case 'measured':
        this.line(`${event.name}: ${event.milliseconds.toPrecision(3)} ms`);
        return;
      case 'specialization':
      case 'launch':
      case 'launch-time':
      case 'calibration':
      case 'tensor':
      case 'more-tensors':
      case 'trace':
      case 'progress':
      case 'finished':
        return;
      default:
        return unreachable(event);
    }
  }

  /**
   * Charts that the program did not print, and the launches by kernel and grid, with their times.
   */
  end(events: readonly ProgramEvent[]): void {
    for (const chart of this.charts.values()) this.benchmark(chart);
    const rows = new Map<string, Row>();
    const rowOfLaunch = new Map<number, string>();
    for (const event of events) {
      if (event.type === 'launch') {
        const key = `${event.kernel}[${event.grid.join(', ')}]`;
        const row = rows.get(key) ?? {
          kernel: event.kernel,
          label: key,
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
    const kernels = new Set([...rows.values()].map((row) => row.kernel));
    for (const kernel of kernels) {
      const group = [...rows.values()].filter((row) => row.kernel === kernel);
      if (group.length > MOST_GRIDS) this.manyGrids(group);
      else for (const row of group) this.line(`  ${row.label}  ${timeOf(row.times)}${times(row)}`);
    }
    const finished = events.findLast((event) => event.type === 'finished');
    const comparisons = events.filter((event) => event.type === 'comparison');
    const failed = comparisons.filter((event) => !event.passed).length;
    const verdict =
      comparisons.length === 0
        ? ''
        : failed > 0
          ? `, ${failed} of ${comparisons.length} comparisons failed`
          : `, ${comparisons.length} comparison${comparisons.length === 1 ? '' : 's'} held` +
            // One order of programs and lanes: the page's Compare panel checks others.
            (rows.size > 0 ? '; races not checked' : '');
    if (finished) {
      const run = judged(events);
      const { errors } = run;
      // A program that ended by itself may not have passed; another outcome says so.
      const failing = finished.outcome === 'ok' && !passed(run);
      const found = failing && errors > 0 ? `, ${errors} error${errors === 1 ? '' : 's'}` : '';
      const seconds = (finished.milliseconds / 1000).toFixed(2);
      this.line(`${failing ? 'failed' : finished.outcome} in ${seconds} s${found}${verdict}`);
    }
  }

  private diagnostic(diagnostic: Diagnostic): void {
    const { severity, code, message, location } = diagnostic;
    this.line(`${formatLocation(location)}: ${severity} ${code}: ${message}`);
    for (const note of diagnostic.notes) {
      // Python has printed it already, on standard error.
      if (isTraceback(note.message)) continue;
      this.line(`  ${noteText(note).replaceAll('\n', '\n  ')}`);
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

  /** Passes and programs beyond the limits of the check mode. */
  private coverage(event: ProgramEvent & { type: 'check' }): void {
    const text = checkCoverage(event);
    if (text) this.line(`  check of ${this.kernels.get(event.key) ?? 'a kernel'}: ${text}`);
  }
  /**
   * Each configuration with its time, or with the one whose code it is; the chosen one is marked.
   */
  private tuning(event: ProgramEvent & { type: 'autotune' }): void {
    const { kernel, key, configurations, best, schedule } = event;
    const { own, common } = namesOf(configurations);
    this.line(
      schedule
        ? `Schedules of ${kernel}, ${key}`
        : `Autotuning of ${kernel}${common === '' ? '' : `, all with ${common}`}`,
    );
    configurations.forEach(({ state, timing, reference, sameAs, error }, i) => {
      const found =
        sameAs !== undefined
          ? `same code as ${own[sameAs]}`
          : timing
            ? `${timeOf([timing])}${shareOf(timing, reference)}${error === null ? '' : `; ${error}`}`
            : `${state}${error === null ? '' : `: ${error}`}`;
      this.line(`${i === best ? '✓' : ' '} ${own[i]}  ${found}`);
    });
  }

  /** One line for a kernel that was launched with many grids: a chart, mostly. */
  private manyGrids(rows: readonly Row[]): void {
    const [first] = rows;
    if (!first) return;
    const launches = rows.reduce((sum, row) => sum + row.launches, 0);
    const sorted = rows.filter((row) => row.times.length > 0);
    sorted.sort((a, b) => median(a.times) - median(b.times));
    const [least, most] = [sorted[0], sorted.at(-1)];
    const range =
      least && most ? `${timeOf(least.times)} to ${timeOf(most.times)}` : timeOf(first.times);
    this.line(`  ${first.kernel}  ${range}, ${launches} launches on ${rows.length} grids`);
  }

  private line(text: string): void {
    this.err.write(`${this.unended ? '\n' : ''}${text}\n`);
    this.unended = false;
  }
}

function largest(error: number | string | null): string {
  if (error === null) return '';
  return `, largest error ${typeof error === 'string' ? error : digits(error)}`;
}

/** Three significant digits. */
function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

interface Row {
  readonly kernel: string;
  readonly label: string;
  launches: number;
  readonly times: Timing[];
}

function times(row: Row): string {
  return row.launches > 1 ? `, ${row.launches} launches` : '';
}

function median(times: readonly Timing[]): number {
  const medians = times.map((timing) => timing.median).sort((a, b) => a - b);
  return medians[Math.floor(medians.length / 2)] ?? 0;
}

function timeOf(times: readonly Timing[]): string {
  const [first] = times;
  if (!first) return 'no time';
  const middle = median(times);
  const clock = first.clock === 'gpu' ? 'GPU' : 'CPU';
  if (first.clock === 'gpu' && middle < first.quantum) {
    return `below the clock's resolution of ${digits(first.quantum)} µs`;
  }
  return middle >= 1000 ? `${digits(middle / 1000)} ms ${clock}` : `${digits(middle)} µs ${clock}`;
}

function nameOf({ functions, entry }: KernelProgram): string {
  return functions[entry]?.name ?? entry;
}

function unreachable(event: never): never {
  throw new Error(`unknown event ${JSON.stringify(event)}`);
}

/** A schedule's time beside the default's in the same rounds. */
function shareOf({ median }: Timing, reference: number | undefined): string {
  return reference ? `, × ${(median / reference).toPrecision(3)} of the default beside it` : '';
}
