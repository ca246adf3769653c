/** The places in a kernel that print and assert; records name a place by its number. */
import type { DebugSite } from '../program';

export class DebugSites {
  readonly #list: DebugSite[] = [];

  /** @returns the site's number. */
  add(site: DebugSite): number {
    return this.#list.push(site) - 1;
  }
  /** By number. */
  get list(): readonly DebugSite[] {
    return this.#list;
  }
}
