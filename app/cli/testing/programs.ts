/**
 * For tests: programs that must fail well, with what each says (`expected.json`), and what a run's
 * events hold of that.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Diagnostic } from '../../../compiler/diagnostics';
import type { ProgramEvent } from '../../events';

const BAD = join(import.meta.dirname, '..', '..', '..', 'e2e', 'programs', 'bad');

export interface BadProgram {
  readonly file: string;
  readonly path: string;
  /** Text of the line that the diagnostic stands at. */
  readonly line?: string;
  readonly words?: readonly string[];
  /** It ends by itself. */
  readonly succeeds?: boolean;
  /** Severity of what is said where it ends by itself; absent for a warning. */
  readonly severity?: 'Error';
  readonly endless?: boolean;
  /** It breaks Python or takes the memory of its process. */
  readonly breaks?: boolean;
}

export function badPrograms(): BadProgram[] {
  const expected = JSON.parse(readFileSync(join(BAD, 'expected.json'), 'utf8')) as Record<
    string,
    Omit<BadProgram, 'file' | 'path'>
  >;
  return Object.entries(expected).map(([file, rest]) => ({ file, path: join(BAD, file), ...rest }));
}

export function ofType<T extends ProgramEvent['type']>(
  events: readonly ProgramEvent[],
  type: T,
): Extract<ProgramEvent, { type: T }>[] {
  return events.filter((event) => event.type === type) as Extract<ProgramEvent, { type: T }>[];
}

/** Exit code of `hippocamp run`. */
export function expectedExit({ succeeds, severity }: BadProgram): 0 | 1 {
  return succeeds && severity !== 'Error' ? 0 : 1;
}

/** Everything a run complained about, from its own events and from its compilations. */
export function diagnosticsOf(events: readonly ProgramEvent[]): Diagnostic[] {
  return events.flatMap((event) =>
    event.type === 'diagnostic'
      ? [event.diagnostic]
      : event.type === 'compile'
        ? event.diagnostics
        : [],
  );
}

/** An example held its comparisons on that adapter, and drew a chart. `words`: for a failure. */
export function expectHeld(
  events: readonly ProgramEvent[],
  adapter: 'webgpu' | 'interpreter',
  words = '',
): void {
  const complaints = diagnosticsOf(events).filter(({ severity }) => severity === 'error');
  expect(complaints, words).toEqual([]);
  const comparisons = ofType(events, 'comparison');
  expect(comparisons.length).toBeGreaterThan(0);
  expect(comparisons.filter((comparison) => !comparison.passed)).toEqual([]);
  const launches = ofType(events, 'launch');
  expect(launches.length).toBeGreaterThan(0);
  expect(new Set(launches.map((launch) => launch.device))).toEqual(new Set([adapter]));
  expect(ofType(events, 'benchmark').some((chart) => chart.done)).toBe(true);
}

/** The events say what is wrong with the program, at its line, in its words. */
export function expectSaid(program: BadProgram, events: readonly ProgramEvent[]): void {
  const lines = readFileSync(program.path, 'utf8').split('\n');
  const places = diagnosticsOf(events).map(({ location, message, notes }) => ({
    line: location.line,
    text: [message, ...notes.map((note) => note.message)].join('\n'),
  }));
  const right = places.filter(({ line }) => lines[line - 1]?.includes(program.line ?? ''));
  expect(right, JSON.stringify(places)).not.toEqual([]);
  for (const word of program.words ?? []) {
    expect(right.map(({ text }) => text).join('\n')).toContain(word);
  }
}
