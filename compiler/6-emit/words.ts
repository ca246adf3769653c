/** The words of a launch: where a kernel reads each of them. */
import type { UniformWord } from '../program';

/** The words of a launch, in the order in which the kernel first uses them. */
export class Words {
  readonly list: UniformWord[] = [];
  readonly #index = new Map<string, number>();
  /** The u32 expression that reads a word. */
  text(word: UniformWord): string {
    const key = JSON.stringify(word);
    let index = this.#index.get(key);
    if (index === undefined) {
      index = this.list.length;
      this.#index.set(key, index);
      this.list.push(word);
    }
    return `args.v${index >> 2}.${'xyzw'[index & 3]}`;
  }
  /** The structure that holds the words; an immediate may be no array. */
  structure(): string {
    const vectors = Math.max(1, Math.ceil(this.list.length / 4));
    const members = Array.from({ length: vectors }, (_, i) => `v${i}: vec4<u32>`);
    return `struct Args { ${members.join(', ')} }`;
  }
}
