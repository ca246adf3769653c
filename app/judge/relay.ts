/**
 * Texts between the two sides of a check. Each side waits for the next text of the other; where one
 * has ended the other gets ''.
 */
export class Relay {
  readonly #sides = { harness: new Side(), solution: new Side() };

  /** Sends a side's `text`, unless it is empty, and waits for the next one of the other. */
  exchange(side: 'harness' | 'solution', text: string): Promise<string> {
    const other = side === 'harness' ? 'solution' : 'harness';
    if (text !== '') this.#sides[other].give(text);
    return this.#sides[side].take();
  }

  /** A side has ended: the other one waits for nothing more. */
  end(side: 'harness' | 'solution'): void {
    this.#sides[side === 'harness' ? 'solution' : 'harness'].end();
  }
}

class Side {
  #texts: string[] = [];
  #waiting: ((text: string) => void)[] = [];
  #ended = false;

  give(text: string): void {
    const next = this.#waiting.shift();
    if (next) next(text);
    else this.#texts.push(text);
  }

  take(): Promise<string> {
    const text = this.#texts.shift();
    if (text !== undefined) return Promise.resolve(text);
    if (this.#ended) return Promise.resolve('');
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    this.#ended = true;
    for (const next of this.#waiting.splice(0)) next('');
  }
}
