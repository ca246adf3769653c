/**
 * Lets Dawn's Node module wait without burning a core. It requests finished work in a loop of
 * `setImmediate`, each with a function made anew, for as long as anything is under way: a software
 * adapter, which computes on the same cores, shares them with that loop and its garbage. Here the
 * loop runs free for the first milliseconds of a wait, then sleeps for a share of the time waited
 * so far: a wait ends at most an eighth late. One loop is for all that is under way, so a wait that
 * begins while others go on begins the time anew (`beginWait`).
 */

/**
 * Milliseconds that a wait is polled without a pause: a GPU's short launches are reported at once.
 * A timer, which sleeps for a millisecond at least, would be half of a token's time.
 */
const FREE_MS = { software: 1, hardware: 20 };
let free = FREE_MS.software;

/** The work is a GPU's, which shares no core with the loop. */
export function pollForHardware(): void {
  free = FREE_MS.hardware;
}
/** Share of the time waited, and the limit. */
const SHARE = 1 / 8;
const MOST_MS = 8;
const DONE = Symbol.for('hippocamp.patientPolling');

/**
 * Replaces the global `setImmediate` for the functions that Dawn's native module gives it; once.
 */
export function pollPatiently(): void {
  const scope = globalThis as typeof globalThis & { [DONE]?: true };
  if (scope[DONE]) return;
  scope[DONE] = true;
  const immediately = globalThis.setImmediate;
  let began = 0;
  /** The next poll, while it sleeps. */
  let asleep: { readonly timer: NodeJS.Timeout; readonly run: () => void } | null = null;
  begin = (): void => {
    began = performance.now();
    if (!asleep) return;
    clearTimeout(asleep.timer);
    immediately(asleep.run);
    asleep = null;
  };
  // A poll that finds work still under way requests the next one before it returns.
  let polling = false;
  const patiently = (poll: () => void): unknown => {
    const now = performance.now();
    if (!polling) began = now;
    const run = (): void => {
      asleep = null;
      polling = true;
      try {
        poll();
      } finally {
        polling = false;
      }
    };
    const waited = now - began;
    if (waited < free) return immediately(run);
    const timer = setTimeout(run, Math.min(MOST_MS, waited * SHARE));
    asleep = { timer, run };
    return timer;
  };
  const replaced = (callback: (...given: unknown[]) => void, ...given: unknown[]): unknown =>
    given.length === 0 && isNative(callback)
      ? patiently(callback)
      : immediately(callback, ...given);
  globalThis.setImmediate = Object.assign(replaced, immediately) as typeof setImmediate;
}

let begin = (): void => {};

/** Polls without a pause again: something is waited for from here on. */
export const beginWait = (): void => begin();

/** Functions of native modules have no name and no text; bound ones have a name. */
function isNative(callback: unknown): callback is () => void {
  return (
    typeof callback === 'function' &&
    callback.name === '' &&
    Function.prototype.toString.call(callback).includes('[native code]')
  );
}
