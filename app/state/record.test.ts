import { describe, expect, it } from 'vitest';
import type { ProgramEvent, Timing } from '../events';
import { MAX_OUTPUT_CHARACTERS } from './printed';
import {
  emptyRecord,
  fold,
  groupTiming,
  MAX_OUTPUT_ITEMS,
  type LaunchEvent,
  type RunRecord,
} from './record';

const site = { file: 'add.py', line: 36 };
const launch = (id: number, benchmark = false): LaunchEvent => ({
  type: 'launch',
  id,
  kernel: 'add_kernel',
  grid: [97, 1, 1],
  key: 'k',
  site,
  arguments: ['x_ptr: *fp32 [98432]'],
  values: [],
  device: 'webgpu',
  benchmark,
});
const timing = (median: number): Timing => ({
  clock: 'gpu',
  median,
  low: median - 1,
  high: median + 2,
  samples: 3,
  quantum: 65.536,
});
const print = (text: string, stream: 'stdout' | 'stderr' = 'stdout'): ProgramEvent => ({
  type: 'print',
  stream,
  text,
});
const record = (events: readonly ProgramEvent[]): RunRecord => {
  const made = emptyRecord(1, 1, '');
  for (const event of events) fold(made, event);
  return made;
};

describe('the record of a run', () => {
  it('goes on with a line that has not ended, after launches', () => {
    const { output } = record([print('Once'), launch(1), print(' upon'), launch(2), print(' a\n')]);
    expect(output.map((item) => (item.kind === 'print' ? item.text : item.kind))).toEqual([
      'Once upon a\n',
      'launch',
    ]);
    const after = record([print('a\n'), launch(1), print('b'), print('c', 'stderr'), print('d')]);
    expect(after.output.map((item) => (item.kind === 'print' ? item.text : item.kind))).toEqual([
      'a\n',
      'launch',
      'b',
      'c',
      'd',
    ]);
  });

  it('counts launches of a loop in the rows that there are, after 32', () => {
    const at = (id: number, line: number): LaunchEvent => ({
      ...launch(id),
      site: { ...site, line },
    });
    const loop = Array.from({ length: 20 * 7 }, (_, i) => at(i, i % 7));
    const counts = record(loop).output.map((item) => (item.kind === 'launch' ? item.count : 0));
    expect(counts).toHaveLength(32);
    expect(counts.reduce((sum, count) => sum + count)).toBe(20 * 7);
    // Another kernel has a row of its own.
    expect(record([...loop, at(999, 99)]).output).toHaveLength(33);
  });

  it('joins prints of one stream and keeps the order of the program', () => {
    const { output } = record([
      print('a'),
      print('b\n'),
      launch(1),
      print('c'),
      print('d', 'stderr'),
    ]);
    expect(output.map((item) => (item.kind === 'print' ? item.text : item.kind))).toEqual([
      'ab\n',
      'launch',
      'c',
      'd',
    ]);
  });

  it('puts what a launch printed below it, also when it comes later', () => {
    const printed = (id: number, prefix: string): ProgramEvent => ({
      type: 'device-print',
      launch: id,
      kernel: 'add_kernel',
      prints: [
        {
          program: [0, 0, 0],
          location: { file: 'add.py', line: 9, column: 1, endLine: 9, endColumn: 2 },
          prefix,
          operand: 0,
          operands: 1,
          shape: [],
          values: ['1'],
        },
      ],
      dropped: 0,
    });
    const { output } = record([
      launch(1),
      print('after'),
      printed(1, ' x: '),
      printed(1, ' y: '),
      printed(7, ' unknown: '),
    ]);
    const shown = output.map((item) =>
      item.kind === 'device-print' ? item.prints[0]?.prefix : item.kind,
    );
    expect(shown).toEqual(['launch', ' x: ', ' y: ', 'print', ' unknown: ']);
  });

  it('counts repeated launches in one row, and benchmarks apart', () => {
    const { groups, output, launches } = record([
      launch(1),
      launch(2),
      ...Array.from({ length: 1000 }, (_, id) => launch(10 + id, true)),
    ]);
    expect(launches).toBe(1002);
    expect(groups.map((group) => group.count)).toEqual([2, 1000]);
    expect(output).toHaveLength(1);
  });

  it('reports each launch by its own arguments, and tensors of other shapes apart', () => {
    const size = (id: number, n: number, step = 0): ProgramEvent => ({
      ...launch(id),
      arguments: [`x: *fp32 [${n}]`, `step = ${step}`],
    });
    const { groups, output } = record([
      size(1, 127),
      size(2, 127, 1),
      size(3, 1023),
      print('-\n'),
      size(4, 127, 2),
    ]);
    const rows = output.flatMap((item) =>
      item.kind === 'launch' ? [[item.count, ...item.first.arguments]] : [],
    );
    expect(rows).toEqual([
      [2, 'x: *fp32 [127]', 'step = 0'],
      [1, 'x: *fp32 [1023]', 'step = 0'],
      [1, 'x: *fp32 [127]', 'step = 2'],
    ]);
    expect(groups.map(({ count }) => count)).toEqual([3, 1]);
  });

  it('gives times that come later to their launch, and the middle of several', () => {
    const made = record([launch(1), launch(2), launch(3)]);
    for (const [id, median] of [
      [3, 300],
      [1, 100],
      [2, 200],
    ] as const)
      fold(made, { type: 'launch-time', id, timing: timing(median) });
    expect(groupTiming(made.groups[0]!)).toMatchObject({
      median: 200,
      low: 99,
      high: 302,
      samples: 9,
    });
    expect(made.gpuTime).toBe(600);
    expect(made.byLaunch.size).toBe(0);
  });

  it('leaves times of benchmarks out of the GPU time', () => {
    const made = record([launch(1, true), { type: 'launch-time', id: 1, timing: timing(500) }]);
    expect(made.gpuTime).toBe(0);
  });

  it('replaces a benchmark that is sent again and lists it once', () => {
    const chart = (done: boolean): ProgramEvent => ({
      type: 'benchmark',
      name: 'add',
      xName: 'n',
      xLabel: 'n',
      yLabel: 'GB/s',
      xLog: true,
      yLog: false,
      lines: [],
      done,
      notes: [],
    });
    const { benchmarks, output } = record([chart(false), chart(false), chart(true)]);
    expect(benchmarks.map((benchmark) => benchmark.done)).toEqual([true]);
    expect(output).toEqual([{ kind: 'benchmark', name: 'add' }]);
  });

  it('breaks long prints at lines, and loses none of them', () => {
    const made = emptyRecord(1, 1, '');
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i}\n`).join('');
    for (let at = 0; at < lines.length; at += 1234) fold(made, print(lines.slice(at, at + 1234)));
    fold(made, print(lines));
    const texts = made.output.map((item) => (item.kind === 'print' ? item.text : ''));
    expect(texts.join('')).toBe(lines + lines);
    expect(texts.slice(0, -1).every((text) => text.endsWith('\n'))).toBe(true);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(8000);
  });

  it('keeps the end of an endless output and says how much is gone', () => {
    const made = emptyRecord(1, 1, '');
    const extra = 100;
    for (let i = 0; i < MAX_OUTPUT_ITEMS + extra; i++)
      fold(made, print(`${i}\n`, i % 2 ? 'stderr' : 'stdout'));
    expect(made.output.length).toBeLessThanOrEqual(MAX_OUTPUT_ITEMS);
    expect(made.output.length).toBeGreaterThan(MAX_OUTPUT_ITEMS * 0.8);
    expect(made.dropped + made.output.length).toBe(MAX_OUTPUT_ITEMS + extra);
    expect(made.output.at(-1)).toMatchObject({ text: `${MAX_OUTPUT_ITEMS + extra - 1}\n` });
  });

  it('keeps the end of an endless line, and of a text of any length, and counts what is gone', () => {
    const printed = ({ output }: RunRecord) =>
      output.map((item) => (item.kind === 'print' ? item : expect.unreachable()));
    const whole = printed(record([print('begun\n'), print(`${'x'.repeat(5_000_000)}|`)]));
    const pieces = printed(
      record([print('begun\n'), ...Array.from({ length: 1250 }, () => print('x'.repeat(4000)))]),
    );
    for (const items of [whole, pieces]) {
      const held = items.reduce((sum, { text }) => sum + text.length, 0);
      expect(held).toBeLessThanOrEqual(60_000);
      const omitted = items.reduce((sum, item) => sum + item.omitted, 0);
      expect(held + omitted).toBe(5_000_006 + (items === whole ? 1 : 0));
    }
    expect(whole.at(-1)!.text.endsWith('x|')).toBe(true);

    const many = emptyRecord(1, 1, '');
    const line = `${'y'.repeat(19_999)}\n`;
    for (let i = 0; i < 2000; i++) fold(many, print(line));
    const kept = printed(many);
    expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(
      MAX_OUTPUT_CHARACTERS,
    );
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.length + many.dropped).toBe(2000);
    expect(kept.every((item) => item.omitted === 0)).toBe(true);
  });

  it("leaves Python's traceback to the diagnostic that has it, and other prints where they were", () => {
    const reported = (stderr: string, note: string): unknown[] => {
      const location = { file: 'a.py', line: 2, column: 1, endLine: 3, endColumn: 1 };
      const diagnostic = { code: 'HC0900', severity: 'error', message: 'x', location } as const;
      const { output } = record([
        print(stderr, 'stderr'),
        { type: 'diagnostic', diagnostic: { ...diagnostic, notes: [{ message: note }] } },
      ]);
      return output.map((item) => (item.kind === 'print' ? item.text : item.kind));
    };
    const traceback = 'Traceback (most recent call last):\nValueError: x\n';
    expect(reported(traceback, traceback)).toEqual(['diagnostic']);
    expect(reported(`careful\n${traceback}`, traceback)).toEqual(['careful\n', 'diagnostic']);
    const syntax = '  File "a.py", line 2\n    (\nSyntaxError: x\n';
    expect(reported(syntax, syntax)).toEqual(['diagnostic']);
    expect(reported('careful\n', traceback)).toEqual(['careful\n', 'diagnostic']);
    expect(reported('hint\n', 'hint\n')).toEqual(['hint\n', 'diagnostic']);
  });

  it('ends', () => {
    const made = record([
      { type: 'progress', text: 'running', fraction: 0.5 },
      { type: 'finished', outcome: 'stopped', milliseconds: 12 },
    ]);
    expect(made).toMatchObject({ outcome: 'stopped', milliseconds: 12, progress: null });
  });

  it('keeps a note on hints without effect, and leaves it out of the output', () => {
    const location = { file: 'a.py', line: 1, column: 1, endLine: 1, endColumn: 1 };
    const note = { severity: 'info', message: 'x', location, notes: [] } as const;
    const made = record([
      { type: 'diagnostic', diagnostic: { ...note, code: 'HC0906' } },
      { type: 'diagnostic', diagnostic: { ...note, code: 'HC0901' } },
    ]);
    expect(made.diagnostics.map(({ code }) => code)).toEqual(['HC0906', 'HC0901']);
    const shown = made.output.map((item) => item.kind === 'diagnostic' && item.diagnostic.code);
    expect(shown).toEqual(['HC0901']);
  });
});
