/**
 * The operations that use a value, in order of insertion, each once. Most values have one user and
 * few have many, and a kernel has tens of thousands of values: a `Set` for each takes more memory
 * than all else in the IR.
 */

/** From so many users on, a `Set` finds one faster than a list. */
const MANY = 16;

export class Uses<T extends object> implements Iterable<T> {
  /** The user, where there is only one. */
  #only: T | undefined;
  /** All of them, where there were two at some time; a set once one was looked for among many. */
  #several: T[] | Set<T> | undefined;

  get size(): number {
    const several = this.#several;
    if (several === undefined) return this.#only ? 1 : 0;
    return several instanceof Set ? several.size : several.length;
  }
  has(user: T): boolean {
    const several = this.#searched();
    if (several === undefined) return this.#only === user;
    return several instanceof Set ? several.has(user) : several.includes(user);
  }
  /**
   * A user that is there already must be the one added last: an operation adds its operands in a
   * row.
   */
  add(user: T): void {
    const several = this.#several;
    if (several === undefined) {
      if (!this.#only) this.#only = user;
      else if (this.#only !== user) {
        this.#several = [this.#only, user];
        this.#only = undefined;
      }
    } else if (several instanceof Set) several.add(user);
    else if (several[several.length - 1] !== user) several.push(user);
  }
  delete(user: T): void {
    const several = this.#searched();
    if (several === undefined) {
      if (this.#only === user) this.#only = undefined;
    } else if (several instanceof Set) several.delete(user);
    else {
      const index = several.indexOf(user);
      if (index >= 0) several.splice(index, 1);
    }
  }
  #searched(): T[] | Set<T> | undefined {
    const several = this.#several;
    if (!Array.isArray(several) || several.length < MANY) return several;
    return (this.#several = new Set(several));
  }
  /** The user of a value that has just one. */
  get only(): T | undefined {
    if (this.#only || this.size !== 1) return this.#only;
    const [user] = this;
    return user;
  }
  /** The users of now: what is added or deleted meanwhile does not show. */
  [Symbol.iterator](): IterableIterator<T> {
    const users = this.#several ?? (this.#only ? [this.#only] : []);
    return [...users].values();
  }
}
