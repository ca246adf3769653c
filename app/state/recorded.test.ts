/** Recordings of real Triton: they are of the gallery as it is, and a kernel gets its own. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ArgumentSpec, Specialization } from '../../compiler/program';
import {
  locationsOf,
  otherwiseAligned,
  REAL_LEVELS,
  recordedFor,
  type RealLevel,
  type Recording,
} from './recorded';

const EXAMPLES = join('public', 'examples');
const RECORDED = join('public', 'real-triton');
const programs = readdirSync(EXAMPLES).filter((name) => name.endsWith('.py'));
const recordingOf = (program: string): Recording =>
  JSON.parse(readFileSync(join(RECORDED, program.replace(/\.py$/, '.json')), 'utf8')) as Recording;

const pointer: ArgumentSpec = { kind: 'pointer', dtype: 'float32', divisibleBy16: true, group: 0 };
const size: ArgumentSpec = { kind: 'scalar', dtype: 'int32', divisibleBy16: false };
const constant = (value: string): ArgumentSpec => ({
  kind: 'constexpr',
  value: { kind: 'int', value },
});

describe('recordings', () => {
  it('are there for every program of the gallery, and for no other', () => {
    expect(readdirSync(RECORDED).sort()).toEqual(
      programs.map((name) => name.replace(/\.py$/, '.json')).sort(),
    );
  });
  it.each(programs)('are of the text of %s', (program) => {
    const text = readFileSync(join(EXAMPLES, program), 'utf8');
    const recording = recordingOf(program);
    // Else: scripts/real_triton/record.py, as docs/testing.md says.
    expect(recording.digest).toBe(createHash('sha256').update(text).digest('hex'));
    const names = [...text.matchAll(/@triton\.jit[^\n]*\n(?:@[^\n]*\n)*def (\w+)/g)].map(
      ([, name]) => name,
    );
    expect(recording.kernels.length).toBeGreaterThan(0);
    const last = text.split('\n').length;
    for (const kernel of recording.kernels) {
      expect(names).toContain(kernel.kernel);
      expect(kernel.registers).toBeGreaterThan(0);
      for (const level of Object.keys(REAL_LEVELS) as RealLevel[]) {
        const { text: code, lines } = kernel[level];
        expect(lines).toHaveLength(code.split('\n').length);
        expect(code).not.toMatch(/\bloc\(|\.loc\b|\/tmp\//);
        expect(Math.max(...lines)).toBeGreaterThan(0);
        expect(Math.max(...lines)).toBeLessThanOrEqual(last);
      }
      expect(kernel.ttgir.text).toContain('#ttg.blocked');
      expect(kernel.ptx.text).toContain('.target sm_90');
    }
  });
  it('belong to a specialization by types, constants and warps', () => {
    const recording = recordingOf('vector_add.py');
    const [first] = recording.kernels;
    expect(first!.signature).toEqual({
      x_ptr: '*fp32:16',
      y_ptr: '*fp32:16',
      out_ptr: '*fp32:16',
      n: 'i32:16',
      BLOCK_SIZE: '=1024',
    });
    const specialization: Specialization = {
      arguments: [pointer, pointer, pointer, size, constant('1024')],
      numWarps: 4,
    };
    const find = (change: Partial<Specialization>): unknown =>
      recordedFor(recording, 'add_kernel', { ...specialization, ...change });
    expect(find({})).toBe(first);
    expect(find({ numWarps: 8 })).toBeNull();
    const block = constant('512');
    expect(find({ arguments: [...specialization.arguments.slice(0, 4), block] })).toBeNull();
    const half: ArgumentSpec = { ...pointer, dtype: 'float16' };
    expect(find({ arguments: [half, ...specialization.arguments.slice(1)] })).toBeNull();
    expect(recordedFor(recording, 'another', specialization)).toBeNull();
    // No constant that was recorded: a dtype.
    const dtype: ArgumentSpec = { kind: 'constexpr', value: { kind: 'dtype', name: 'float16' } };
    expect(find({ arguments: [...specialization.arguments.slice(0, 4), dtype] })).toBeNull();
    // The recorded n is a multiple of 16.
    expect(otherwiseAligned(first!, specialization)).toEqual(['n']);
    const aligned = { ...size, divisibleBy16: true };
    const args = specialization.arguments.with(3, aligned);
    expect(otherwiseAligned(first!, { ...specialization, arguments: args })).toEqual([]);
  });
  it('link lines of code with lines of the program', () => {
    const [first] = recordingOf('vector_add.py').kernels;
    const places = locationsOf(first!.ttgir, 'vector_add.py');
    const lines = first!.ttgir.text.split('\n');
    const source = readFileSync(join(EXAMPLES, 'vector_add.py'), 'utf8').split('\n');
    const store = lines.findIndex((line) => line.includes('tt.store'));
    expect(source[places[store]!.line - 1]).toContain('tl.store');
    const assembly = first!.ptx.text.split('\n');
    const stored = assembly.findIndex((line) => line.includes('st.global'));
    expect(source[first!.ptx.lines[stored]! - 1]).toContain('tl.store');
  });
});
