/**
 * Timers that call Python, counted: those that Python's event loop sets for a program. One that is
 * left after a run would call into the next one.
 */

/** A proxy of a Python function, or Pyodide's wrapper for one call: both can be destroyed. */
const callsPython = (callback: unknown): boolean =>
  typeof callback === 'function' && 'destroy' in callback;

/** From here on, timers are counted. @returns how many will call Python. */
export function countPythonTimers(): () => number {
  const pending = new Set<unknown>();
  const scope = globalThis as unknown as Record<string, (...args: unknown[]) => unknown>;
  const { setTimeout: later, setInterval: repeat, clearTimeout: clear } = scope;
  scope['setTimeout'] = (callback, ...rest) => {
    if (!callsPython(callback)) return later!(callback, ...rest);
    const timer = later!(
      (...args: unknown[]) => {
        pending.delete(timer);
        (callback as (...args: unknown[]) => void)(...args);
      },
      ...rest,
    );
    pending.add(timer);
    return timer;
  };
  scope['setInterval'] = (callback, ...rest) => {
    const timer = repeat!(callback, ...rest);
    if (callsPython(callback)) pending.add(timer);
    return timer;
  };
  // One list of timers serves both.
  scope['clearTimeout'] = scope['clearInterval'] = (timer) => {
    pending.delete(timer);
    clear!(timer);
  };
  return () => pending.size;
}
