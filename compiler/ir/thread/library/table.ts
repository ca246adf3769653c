/** A helper function of the emitted module. */
export interface Helper {
  /** One WGSL function under the helper's name; which other helpers it calls is read off it. */
  readonly text: string;
  /** The same as software adapters do it faster: a CPU's vectors have no unsigned comparison. */
  readonly software?: string;
}
export type HelperTable = Readonly<Record<string, Helper>>;
