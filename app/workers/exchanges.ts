/**
 * The texts that a program in a worker exchanges with the other side of a check (`app/judge`): each
 * is a message to the page, which answers with the next text from there.
 */
import type { Exchanged, FromProgramWorker } from './protocol';

type Exchange = Extract<FromProgramWorker, { type: 'exchange' }>;

export class Exchanges {
  #run = 0;
  #waiting: ((text: string) => void)[] = [];

  constructor(private readonly post: (message: Exchange) => void) {}

  send(run: number, text: string): Promise<string> {
    // An earlier run waits in vain.
    if (run !== this.#run) this.#waiting = [];
    this.#run = run;
    this.post({ type: 'exchange', run, text });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  receive({ run, text }: Exchanged): void {
    if (run === this.#run) this.#waiting.shift()?.(text);
  }
}
