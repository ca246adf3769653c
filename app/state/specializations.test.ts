import { describe, expect, it } from 'vitest';
import type { CompileRequest, KernelProgram, Specialization } from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { Timing } from '../events';
import type { KernelOutline } from '../workers/protocol';
import { emptyRecord, type LaunchEvent, type RunRecord } from './record';
import { chooseOption, shortNames, specializationOptions } from './specializations';

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
    record.specializations.push({ key: `k${block}`, request: request(text, block) });
  return record;
}

describe('the specialization in view', () => {
  it('is before any run the guess from the text', () => {
    const options = specializationOptions([outline('v1')], null, 'v1', null);
    expect(options.map(({ label, note }) => [label, note])).toEqual([
      ['add · BLOCK=128', 'guessed (not run yet)'],
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
    const named = 'tried only while autotuning or in a benchmark';
    expect(options.map(({ key, label, note }) => [key, label, note])).toEqual([
      ['k512', 'add · BLOCK=512', ''],
      ['k256', 'add · BLOCK=256', named],
      ['k128', 'add · BLOCK=128', named],
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
    // With other parameters, it is another kernel: what ran before says nothing of it.
    const more = { ...outline('v2'), parameters: [...outline('v2').parameters].slice(1) };
    expect(specializationOptions([more], ran('v1', 256), 'v2', null)[0]!.key).toBeNull();
  });

  it('is named by what differs from the others of its kernel, with its time', () => {
    const record = ran('v1', 64, 128);
    const [first, second] = record.specializations.map(({ request: one }) => one);
    const warps = { ...first!, specialization: { ...first!.specialization, numWarps: 8 } };
    const [, ...rest] = first!.specialization.arguments;
    const half = { ...pointer(0), dtype: 'float16' } as const;
    const halves = { ...second!, specialization: { arguments: [half, ...rest], numWarps: 4 } };
    record.specializations.push({ key: 'warps', request: warps });
    record.specializations.push({ key: 'halves', request: halves });
    record.specializations.push({ key: 'linear', request: first! });
    const timing: Timing = { clock: 'gpu', median: 2, low: 1, high: 3, samples: 3, quantum: 1 };
    const launched = { type: 'launch', kernel: 'add', key: 'k64' } as LaunchEvent;
    record.groups.push({ first: launched, count: 1, timings: [timing] });
    const options = specializationOptions([outline('v1')], record, 'v1', null);
    expect(options.map(({ label, time }) => [label, time])).toEqual([
      ['add · BLOCK=64, warps=4, x_ptr=*float32', 2],
      ['add · BLOCK=128, warps=4, x_ptr=*float32', null],
      ['add · BLOCK=64, warps=8, x_ptr=*float32', null],
      ['add · BLOCK=64, warps=4, x_ptr=*float16', null],
      ['add · BLOCK=64, warps=4, x_ptr=*float32 (2)', null],
    ]);
  });

  it('has short names for the head of a column', () => {
    const sizes = ['BLOCK_SIZE_M', 'BLOCK_SIZE_N', 'GROUP_SIZE_M', 'num_warps', 'num_stages'];
    expect(shortNames(sizes)).toEqual(['M', 'N', 'GROUP_SIZE_M', 'warps', 'stages']);
    expect(shortNames(['A_M', 'A_N', 'B_M', 'B_N'])).toEqual(['A_M', 'A_N', 'B_M', 'B_N']);
    expect(shortNames(['BLOCK'])).toEqual(['BLOCK']);
  });
});
