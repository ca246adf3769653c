import { describe, expect, it } from 'vitest';
import { GUESSED, type Diagnostic } from '../../compiler/diagnostics';
import type { CompileRequest, KernelProgram, Specialization } from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { KernelOutline } from '../workers/protocol';
import {
  chooseOption,
  describeSpecialization,
  specializationOptions,
  withoutGuesses,
} from './compilation';
import { emptyRecord, type LaunchEvent, type RunRecord } from './record';

const pointer = (group: number): Specialization['arguments'][number] => ({
  kind: 'pointer',
  dtype: 'float32',
  divisibleBy16: true,
  group,
});
const specialization = (block: number): Specialization => ({
  arguments: [
    pointer(0),
    pointer(1),
    { kind: 'constexpr', value: { kind: 'int', value: String(block) } },
  ],
  numWarps: 4,
  numStages: 3,
  numCtas: 1,
});
const program = (text: string, name = 'add'): KernelProgram => ({
  files: { 'a.py': text },
  functions: {
    f: { id: 'f', name, file: 'a.py', line: 1, globals: {}, defaults: {} },
  },
  entry: 'f',
});
const outline = (text: string, name = 'add'): KernelOutline => ({
  name,
  location: { file: 'a.py', line: 1, column: 1, endLine: 2, endColumn: 1 },
  parameters: ['x_ptr', 'out_ptr', 'BLOCK'].map((parameter) => ({
    name: parameter,
    constexpr: parameter === 'BLOCK',
  })),
  program: program(text, name),
  guess: specialization(128),
});
const request = (text: string, block: number): CompileRequest => ({
  program: program(text),
  specialization: specialization(block),
  target: BASELINE_TARGET,
  options: { verify: false, keepIr: false, checkBounds: true, linearGrid: false },
});
function ran(text: string, ...blocks: readonly number[]): RunRecord {
  const record = emptyRecord(1, 1, text);
  for (const block of blocks)
    record.specializations.push({
      key: `k${block}`,
      request: request(text, block),
      milliseconds: 1,
    });
  return record;
}

describe('the specialization in view', () => {
  it('is before any run the guess from the text', () => {
    const options = specializationOptions([outline('v1')], null, 'v1', null);
    expect(options.map((option) => option.label)).toEqual([
      'add · BLOCK=128 · guessed from the text',
    ]);
    expect(chooseOption(options, null)?.request.target).toBe(BASELINE_TARGET);
  });

  it('is after a run one of what ran; kernels that did not run keep their guess', () => {
    const kernels = [outline('v1'), outline('v1', 'other')];
    const options = specializationOptions(kernels, ran('v1', 256, 512), 'v1', null);
    expect(options.map((option) => [option.kernel, option.key])).toEqual([
      ['add', 'k256'],
      ['add', 'k512'],
      ['other', null],
    ]);
    expect(chooseOption(options, { kernel: 'add', key: 'k512' })?.key).toBe('k512');
    // The choice outlives the run whose key it had.
    expect(chooseOption(options, { kernel: 'other', key: 'gone' })?.kernel).toBe('other');
    expect(chooseOption(options, { kernel: 'gone', key: null })?.key).toBe('k256');
    expect(chooseOption([], null)).toBeNull();
  });

  it('is what was launched, before what tuning only tried', () => {
    const record = ran('v1', 128, 256, 512);
    const launch = { type: 'launch', kernel: 'add', key: 'k512' } as LaunchEvent;
    const tried = { type: 'launch', kernel: 'add', key: 'k256', benchmark: true } as LaunchEvent;
    record.groups.push({ first: tried, count: 9, timings: [] });
    record.groups.push({ first: launch, count: 1, timings: [] });
    const options = specializationOptions([outline('v1')], record, 'v1', null);
    expect(options.map((option) => [option.key, option.label])).toEqual([
      ['k512', 'add · BLOCK=512'],
      ['k256', 'add · BLOCK=256 · only tried'],
      ['k128', 'add · BLOCK=128 · only tried'],
    ]);
    expect(chooseOption(options, null)?.key).toBe('k512');
  });

  it('follows the text that was edited since, where its parameters still fit', () => {
    const [option] = specializationOptions([outline('v2')], ran('v1', 256), 'v2', null);
    expect(option!.request.program.files).toEqual({ 'a.py': 'v2' });
    expect(option!.request.specialization).toEqual(specialization(256));
    // The kernel is gone from the text: so is what it was.
    expect(specializationOptions([], ran('v1', 256), 'v2', null)).toEqual([]);
    expect(specializationOptions([], ran('v1', 256), 'v1', null)).toHaveLength(1);
  });

  it('is told apart by its constants', () => {
    expect(describeSpecialization(specialization(64), ['x', 'out', 'BLOCK'])).toBe('BLOCK=64');
    expect(describeSpecialization(specialization(64), [])).toBe('#2=64');
  });
});

describe('what a guess of types found', () => {
  const at = (line: number, ...notes: string[]): Diagnostic => ({
    code: 'HC0204',
    severity: 'warning',
    message: 'invalid operands',
    location: { file: 'a.py', line, column: 1, endLine: line, endColumn: 2 },
    notes: notes.map((message) => ({ message })),
  });
  const kernels = [
    outline('text'),
    { ...outline('text', 'other'), location: { ...outline('').location, line: 10 } },
  ];
  const guesses = [at(3, GUESSED), at(4), at(12, GUESSED)];
  const ended = (outcome: 'ok' | 'error'): RunRecord =>
    Object.assign(ran('text', 128), { outcome });

  it('is gone once the kernel has run as it stands', () => {
    expect(withoutGuesses(guesses, kernels, ended('ok'), 'text')).toEqual([at(4), at(12, GUESSED)]);
  });

  it('stays where nothing ran, where it failed, and for another text', () => {
    expect(withoutGuesses(guesses, kernels, null, 'text')).toBe(guesses);
    expect(withoutGuesses(guesses, kernels, ended('error'), 'text')).toBe(guesses);
    expect(withoutGuesses(guesses, kernels, ended('ok'), 'text two')).toBe(guesses);
  });
});
