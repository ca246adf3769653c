import { expect, it } from 'vitest';
import { beginWait, pollPatiently } from './patientPolling';

/** Without a name and a text, as functions of native modules are. */
const native = (poll: () => void): (() => void) => new Proxy(poll, {});

/** Polls for `ms` as Dawn does, and how long after the start each poll came. */
function wait(ms: number): Promise<number[]> {
  return new Promise((resolve) => {
    const began = performance.now();
    const times: number[] = [];
    const ask = (): void =>
      void setImmediate(
        native(() => {
          const waited = performance.now() - began;
          times.push(waited);
          if (waited < ms) ask();
          else resolve(times);
        }),
      );
    ask();
  });
}

it('sleeps between the polls of a long wait, and polls the next one at once again', async () => {
  pollPatiently();
  for (let turn = 0; turn < 2; turn++) {
    const times = await wait(60);
    expect(times.filter((time) => time < 1).length).toBeGreaterThan(1);
    // A timer sleeps for a millisecond at least.
    expect(times.filter((time) => time > 3).length).toBeLessThan(60);
  }
});

it('polls at once for a wait that begins within another one', async () => {
  pollPatiently();
  const long = wait(200);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const began = performance.now();
  beginWait();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const waited = performance.now() - began;
  const times = await long;
  // Alone, the long wait sleeps for 8 ms at a time by then.
  const late = times.filter((time) => time >= 149 && time <= 150 + waited);
  expect(late.length).toBeGreaterThan(2);
});

it('leaves the immediates of others alone', async () => {
  pollPatiently();
  const given = await new Promise((resolve) => setImmediate((...all) => resolve(all), 1, 'b'));
  expect(given).toEqual([1, 'b']);
  const never = setImmediate(() => expect.unreachable());
  clearImmediate(never);
  await new Promise((resolve) => setTimeout(resolve, 5));
});
