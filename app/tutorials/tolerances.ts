/**
 * Errors of a program's comparisons beside what they allow. A tolerance fits where the largest
 * error on the worst adapter, or one step of the dtype if that is more, takes at least a tenth of
 * it.
 */
import type { AdapterInfo } from '../events';
import { slackOf } from '../inspection/slack';
import type { ComparisonEvent } from '../state/record';

/** Times the largest error that a tolerance may be. */
const LOOSEST = 10;

interface Line {
  readonly call: string;
  readonly event: ComparisonEvent;
  /** By adapter: the tolerance as a multiple of the largest error, and that error. */
  readonly reached: Map<string, { times: number; error: number }>;
}

export class Reached {
  private readonly lines = new Map<string, Line>();
  constructor(private readonly file: string) {}

  /** The comparisons of one run. */
  addAll(events: readonly ComparisonEvent[], adapter: Pick<AdapterInfo, 'name'>): void {
    const seen = new Map<number, number>();
    for (const event of events) {
      // A line in a loop compares more than once.
      const { line } = event.site;
      const nth = seen.get(line) ?? 0;
      seen.set(line, nth + 1);
      this.add(event, `${line}#${nth}`, adapter.name);
    }
  }

  private add(event: ComparisonEvent, key: string, adapter: string): void {
    // `torch.equal` has no tolerance.
    const slack = slackOf(event);
    if (slack === null) return;
    const call = event.call?.actual ?? event.kind;
    const line: Line = this.lines.get(key) ?? { call, event, reached: new Map() };
    this.lines.set(key, line);
    line.reached.set(adapter, { times: slack.times, error: Number(event.maxAbsolute ?? 0) });
  }

  tooLoose(): string[] {
    return [...this.lines.values()]
      .filter(({ reached }) => Math.min(...[...reached.values()].map((r) => r.times)) > LOOSEST)
      .map((line) => this.say(line));
  }

  table(): string {
    return [...this.lines.values()].map((line) => this.say(line)).join('\n');
  }

  private say({ call, event, reached }: Line): string {
    const { dtype, atol, rtol, site } = event;
    const all = [...reached].map(
      ([name, { times, error }]) =>
        `${name.split(' ')[0]} ${error.toExponential(1)} (${times.toPrecision(3)} ×)`,
    );
    return `${this.file}:${site.line} ${call} ${dtype} atol=${atol} rtol=${rtol}: ${all.join(', ')}`;
  }
}
