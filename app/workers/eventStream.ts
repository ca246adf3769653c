/**
 * Sends a program's events, many in one message: a message costs more than a launch, and a
 * benchmark has tens of thousands. Only launches and their times wait, for one another; anything
 * else goes at once and takes along what waits, so the order stays. Used by the program worker and
 * the headless runner.
 */
import type { ProgramEvent } from '../events';

/** Events that wait at the most, and milliseconds. */
const MOST = 256;
const PATIENCE = 30;

export class EventStream {
  private waiting: ProgramEvent[] = [];
  private since = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly post: (events: readonly ProgramEvent[]) => void) {}

  send(event: ProgramEvent): void {
    if (this.waiting.length === 0) this.since = performance.now();
    this.waiting.push(event);
    const waits = event.type === 'launch' || event.type === 'launch-time';
    if (!waits || this.waiting.length >= MOST) this.flush();
    // While Python keeps the thread no timer runs: the next event looks at the clock.
    else if (this.waiting.length % 16 === 0 && performance.now() - this.since > PATIENCE)
      this.flush();
    else this.timer ??= setTimeout(() => this.flush(), PATIENCE);
  }

  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const events = this.waiting;
    if (events.length === 0) return;
    this.waiting = [];
    this.post(events);
  }
}
