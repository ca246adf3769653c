/**
 * Time of a run as spans on tracks: compiling, encoding, uploads, waits, the GPU. Kept
 * only where somebody looks at it. Spans are reported in pieces, and counted only above a limit.
 *
 * The GPU's clock is another one. Its spans are put where the CPU's clock can have seen them: a
 * pass had ended when its results arrived, so of all offsets between the clocks the largest that
 * keeps every pass before its arrival is taken.
 */
import type { ProgramEvent, TraceSpan, TraceTrack } from '../events';

const MOST_SPANS = 20_000;
/** Reported at once. */
const PIECE = 500;
/** Milliseconds: shorter ones of the tracks with the most spans are left out. */
const SHORTEST_TORCH = 0.05;

interface GpuSpan {
  readonly name: string;
  readonly launch: number;
  /** Nanoseconds of the GPU's clock. */
  readonly begin: number;
  readonly end: number;
}

export class Trace {
  private spans: TraceSpan[] = [];
  private readonly gpu: GpuSpan[] = [];
  /** Milliseconds from the GPU's clock to ours; the least that was seen. */
  private offset = Infinity;
  private count = 0;
  private dropped = 0;
  private readonly origin = performance.now();

  constructor(private readonly send: (event: ProgramEvent) => void) {}

  /** @param start and @param end of `performance.now()`. */
  span(track: TraceTrack, name: string, start: number, end: number, launch?: number): void {
    if (track === 'torch' && end - start < SHORTEST_TORCH) return;
    if (++this.count > MOST_SPANS) {
      this.dropped++;
      return;
    }
    const at = { start: start - this.origin, duration: end - start };
    this.spans.push({ track, name, ...at, ...(launch === undefined ? {} : { launch }) });
    if (this.spans.length >= PIECE) this.flush();
  }

  /**
   * Runs, and is a span: to its promise's end, if it answers with one. No answer is none: there was
   * nothing to wait for.
   */
  over<T>(track: TraceTrack, name: string, run: () => T): T {
    const start = performance.now();
    const answer = run();
    if (answer === undefined) return answer;
    if (!(answer instanceof Promise)) {
      this.span(track, name, start, performance.now());
      return answer;
    }
    const end = (): void => this.span(track, name, start, performance.now());
    answer.then(end, end);
    return answer;
  }

  /** A pass on the GPU, known when its results came. @param begin, @param end nanoseconds. */
  pass(name: string, launch: number, begin: number, end: number, arrived: number): void {
    this.offset = Math.min(this.offset, arrived - end / 1e6);
    if (this.count + this.gpu.length >= MOST_SPANS) this.dropped++;
    else this.gpu.push({ name, launch, begin, end });
  }

  finish(): void {
    for (const { name, launch, begin, end } of this.gpu) {
      const start = begin / 1e6 + this.offset - this.origin;
      this.spans.push({ track: 'gpu', name, start, duration: (end - begin) / 1e6, launch });
    }
    this.gpu.length = 0;
    if (this.spans.length > 0 || this.dropped > 0) this.flush();
  }

  private flush(): void {
    this.send({ type: 'trace', spans: this.spans, dropped: this.dropped });
    this.spans = [];
  }
}

/** The operation that a request to `app/numerics` names: `binary add`. */
export function numericName(request: string): string {
  const [, op = 'numbers', f = ''] = /"op":"(\w+)"(?:,"f":"(\w*)")?/.exec(request) ?? [];
  return f === '' ? op : `${op} ${f}`;
}
