/** What a helper function of the emitted module is. */
export interface Helper {
  /** One WGSL function under the helper's name; which other helpers it calls is read off it. */
  readonly text: string;
}
export type HelperTable = Readonly<Record<string, Helper>>;
