/** Recordings: which are given back to be replayed, and with what. */
import { expect, it } from 'vitest';
import type { EngineLaunch } from '../engine';
import { Recordings } from './recordings';
import type { RecordedLaunch } from './replay';

const launches = [1, 2, 3].map((id) => ({ id }) as EngineLaunch);
const [first, second] = launches as [EngineLaunch, EngineLaunch];
const recorded = (launch: EngineLaunch) =>
  ({ launch, nanoseconds: null }) as unknown as RecordedLaunch;

it('gives back the launches, in order, with what they took', () => {
  const recordings = new Recordings();
  recordings.begin();
  expect(recordings.recording).toBe(true);
  for (const launch of launches) recordings.add(recorded(launch));
  recordings.took(second, 70);
  const given = recordings.end();
  expect(given?.map(({ launch }) => launch.id)).toEqual([1, 2, 3]);
  expect(given?.map(({ nanoseconds }) => nanoseconds)).toEqual([null, 70, null]);
  expect(recordings.recording).toBe(false);
});

it('gives nothing back where nothing was launched, something else happened, or it never began', () => {
  const recordings = new Recordings();
  recordings.begin();
  expect(recordings.end()).toBeNull();
  recordings.begin();
  recordings.add(recorded(first));
  recordings.breakOff();
  expect(recordings.end()).toBeNull();
  expect(recordings.end()).toBeNull();
});

it('keeps what is measured inside of a measurement apart, and the outer one is none any more', () => {
  const recordings = new Recordings();
  recordings.begin();
  recordings.add(recorded(first));
  recordings.begin();
  recordings.add(recorded(second));
  expect(recordings.end()?.map(({ launch }) => launch.id)).toEqual([2]);
  expect(recordings.recording).toBe(true);
  expect(recordings.end()).toBeNull();
});

it('counts a launch that is encoded again once', () => {
  const recordings = new Recordings();
  recordings.begin();
  recordings.add(recorded(first));
  recordings.again(second);
  recordings.again(first);
  recordings.add(recorded(first));
  expect(recordings.end()).toHaveLength(1);
});
