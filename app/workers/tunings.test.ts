/** Only what is a tuning or a calibration is kept, and only under a key of its kind. */
import { describe, expect, it } from 'vitest';
import { isKeepable, RemoteTunings, type ToTunings } from './tunings';

const TUNING = `example:a b.py ${'a'.repeat(64)}`;
const CALIBRATION = 'calibration-0123abcd';
const time = { quantiles: [1, 0.9, 1.1], samples: 5, clock: 'gpu', quantum: 0, dropped: false };
const tuning = { times: { 'BLOCK: 64': time }, choices: { unroll: 2, warpSlabs: false } };
const calibration = {
  adapter: 'one',
  bytesPerSecond: 1e11,
  f32PerSecond: 1e12,
  f16PerSecond: null,
  fromCache: false,
};
const keepable = (key: string, value: unknown): boolean => isKeepable(key, JSON.stringify(value));

describe('isKeepable', () => {
  it('takes what the runtime writes', () => {
    expect(keepable(TUNING, tuning)).toBe(true);
    expect(keepable(TUNING, { times: {}, choices: null })).toBe(true);
    expect(keepable(`example:a schedule-${'a'.repeat(64)}`, tuning)).toBe(true);
    expect(keepable(CALIBRATION, calibration)).toBe(true);
    expect(keepable(CALIBRATION, { ...calibration, f16PerSecond: 2e12 })).toBe(true);
  });

  it.each([
    ['no JSON', TUNING, 'garbage'],
    ['no object', TUNING, '[]'],
    ['null', TUNING, 'null'],
    ['no times', TUNING, '{"choices":null}'],
    ['a time that is none', TUNING, '{"times":{"x":1},"choices":null}'],
    [
      'a quantile that is a text',
      TUNING,
      JSON.stringify({ times: { x: { ...time, quantiles: ['1', 1, 1] } }, choices: null }),
    ],
    ['a choice that is a text', TUNING, '{"times":{},"choices":{"a":"b"}}'],
    ['another key', 'mine', JSON.stringify(tuning)],
    ['the key of no program', 'a'.repeat(64), JSON.stringify(tuning)],
    ['a schedule of no program', `schedule-${'a'.repeat(64)}`, JSON.stringify(tuning)],
    ['a tuning as a calibration', CALIBRATION, JSON.stringify(tuning)],
    ['a calibration as a tuning', TUNING, JSON.stringify(calibration)],
    ['a negative rate', CALIBRATION, JSON.stringify({ ...calibration, f32PerSecond: -1 })],
    ['an endless text', TUNING, `${' '.repeat(2 ** 20)}${JSON.stringify(tuning)}`],
  ])('refuses %s', (_name, key, text) => {
    expect(isKeepable(key, text)).toBe(false);
  });
});

it('queries the page, and gives each answer to its question', async () => {
  const asked: ToTunings[] = [];
  const tunings = new RemoteTunings((message) => asked.push(message));
  const first = tunings.get('one');
  const second = tunings.get('two');
  tunings.receive({ type: 'tuning', id: 2, text: 'b' });
  tunings.receive({ type: 'tuning', id: 1, text: 'a' });
  expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  tunings.set('one', 'c');
  expect(asked.at(-1)).toEqual({ type: 'keep-tuning', key: 'one', text: 'c' });
});
