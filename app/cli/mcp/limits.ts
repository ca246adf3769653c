/** Limits of `hippocamp mcp`: what a client may send, and what a tool may take. */

/** Bytes of one message. A longer one is read past, and answered with an error. */
export const MESSAGE_BYTES = 8 * 2 ** 20;
/** Characters of a program: its source and the modules beside it. */
export const SOURCE_CHARACTERS = 4 * 2 ** 20;
/** Modules beside a program. */
export const FILES = 200;
/** Characters of a text in a result (output, IR, WGSL); the rest is cut, and counted. */
export const TEXT_CHARACTERS = 100_000;
/** Entries of a list in a result; the rest is counted. */
export const LIST_ITEMS = 200;
/** Seconds of a tool call: without `timeout_seconds`, and at most. */
export const DEFAULT_SECONDS = 120;
export const MOST_SECONDS = 3600;
/** Bytes of a process: without `max_memory_bytes`, and at most. */
export const DEFAULT_MEMORY = 4 * 2 ** 30;
export const MOST_MEMORY = 64 * 2 ** 30;
/** Sessions over HTTP at one time. */
export const SESSIONS = 16;

/** A text with what does not fit cut off. */
export function clip(text: string, most = TEXT_CHARACTERS): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n… ${text.length - most} characters left out`;
}
