/** What a helper function of the emitted module is: its text, and which others it calls. */
export interface Helper {
  readonly text: string;
  readonly uses?: readonly string[];
}
export type HelperTable = Readonly<Record<string, Helper>>;
