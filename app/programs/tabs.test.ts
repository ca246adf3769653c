import { afterEach, expect, it, vi, type Mock } from 'vitest';
import { hold, takeOver, type Holder } from './tabs';

afterEach(() => vi.unstubAllGlobals());

type Holding = (lock: Lock | null) => Promise<void> | undefined;

/** Locks whose answer the test gives. @returns how often they were asked for. */
function locks(answer: (options: LockOptions, holding: Holding) => Promise<unknown>): Mock {
  const request: Mock = vi.fn((_name: string, options: LockOptions, holding: Holding) =>
    // A caller that repeats without end fails its test instead of hanging it.
    request.mock.calls.length > 100 ? new Promise(() => {}) : answer(options, holding),
  );
  vi.stubGlobal('navigator', { locks: { request } });
  return request;
}
function holderOf(): { holder: Holder; states: boolean[]; taken: () => number } {
  const states: boolean[] = [];
  const onTakenOver = vi.fn();
  const holder = { onState: (elsewhere: boolean) => void states.push(elsewhere), onTakenOver };
  return { holder, states, taken: () => onTakenOver.mock.calls.length };
}
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
const LOCK = { name: 'x', mode: 'exclusive' } as Lock;

it.each([
  ['storage is blocked', new DOMException('The request was denied.', 'SecurityError')],
  ['the document is not active', new DOMException('', 'InvalidStateError')],
  ['an abort comes before the lock was held', new DOMException('', 'AbortError')],
  ['something else is thrown', new Error('no')],
])('counts a program as this tab’s where %s, and requests it once', async (_why, error) => {
  const request = locks(() => Promise.reject(error));
  const { holder, states, taken } = holderOf();
  await hold('p', holder);
  await settled();
  expect(request).toHaveBeenCalledTimes(1);
  await takeOver();
  await settled();
  expect(request).toHaveBeenCalledTimes(2);
  expect(states.at(-1)).toBe(false);
  expect(taken()).toBe(0);
});

it('waits for a lock that another tab took, and requests it once', async () => {
  let steal = (): void => {};
  const request = locks((options, holding) => {
    // The wait for the lock after it was taken has no end here.
    if (!options.ifAvailable) return new Promise(() => {});
    return new Promise((_resolve, reject) => {
      void holding(LOCK);
      steal = () => reject(new DOMException('stolen', 'AbortError'));
    });
  });
  const { holder, states, taken } = holderOf();
  await hold('q', holder);
  expect(states.at(-1)).toBe(false);
  steal();
  await settled();
  expect(states.at(-1)).toBe(true);
  expect(taken()).toBe(1);
  expect(request).toHaveBeenCalledTimes(2);
});
