import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../compiler/diagnostics';
import { emptyRecord, fold } from '../state/record';
import { failuresOf, launchTimesOf, markersOf } from './markers';

const diagnostic = (line: number, message = 'wrong', file = 'a.py'): Diagnostic => ({
  code: 'HC0001',
  severity: 'error',
  message,
  location: { file, line, column: 5, endLine: line, endColumn: 5 },
  notes: [{ message: 'Try the other.' }, { message: 'Traceback (most recent call last):\n …' }],
});

describe('markers', () => {
  it('show each complaint in its own file, and are never empty', () => {
    const problems = [diagnostic(3), diagnostic(4, 'other'), diagnostic(9, 'w', 'b.py')];
    const markers = markersOf(problems, 'a.py');
    expect(markers.map((marker) => marker.startLineNumber)).toEqual([3, 4]);
    expect(markers[0]).toMatchObject({ severity: 8, startColumn: 5, endColumn: 6 });
    expect(markers[0]!.message).toBe('wrong\nTry the other.');
  });
});

describe('lines that failed', () => {
  it('are errors and failed comparisons; an error wins', () => {
    const record = emptyRecord(1, 1, '');
    const comparison = (line: number, passed: boolean): void =>
      fold(record, {
        type: 'comparison',
        id: line,
        kind: 'allclose',
        passed,
        site: { file: 'a.py', line },
        shape: [8],
        dtype: 'float32',
        rtol: 0,
        atol: 0,
        count: 8,
        mismatches: passed ? 0 : 3,
        maxAbsolute: 0.5,
        maxRelative: 0.1,
        nanMismatches: 0,
        toleranceUsed: null,
        roundingShare: null,
        first: passed ? null : { index: [2], actual: 1.5, expected: 'nan' },
        heatmap: null,
        equalNan: false,
        call: null,
        actual: null,
        expected: null,
        message: null,
      });
    comparison(1, true);
    comparison(2, false);
    comparison(3, false);
    fold(record, { type: 'diagnostic', diagnostic: diagnostic(3) });
    const problems = [...record.diagnostics, diagnostic(5), diagnostic(6, 'w', 'b.py')];
    const failures = failuresOf(problems, record, 'a.py');
    expect(failures.map(({ line, kind, ran }) => [line, kind, ran])).toEqual([
      [2, 'comparison', true],
      [3, 'error', true],
      [5, 'error', false],
    ]);
    // After an edit, only what is still wrong is.
    expect(failuresOf([diagnostic(5)], null, 'a.py').map(({ line }) => line)).toEqual([5]);
    expect(failures[0]!.message).toContain('3 of 8 elements differ');
    expect(failures[0]!.message).toContain('First at [2]: 1.5, expected nan.');
    expect(failuresOf([], record, 'b.py')).toEqual([]);
  });
});

describe('times of launches', () => {
  it('stand at their lines, one text for all launches there', () => {
    const record = emptyRecord(1, 1, '');
    const launch = (id: number, line: number, key: string, median: number): void => {
      fold(record, {
        type: 'launch',
        id,
        kernel: 'add',
        grid: [4, 1, 1],
        key,
        site: { file: 'a.py', line },
        arguments: [],
        device: 'webgpu',
        benchmark: false,
        values: [],
      });
      const timing = { clock: 'gpu', median, low: median, high: median, samples: 1, quantum: 0 };
      fold(record, { type: 'launch-time', id, timing: { ...timing, clock: 'gpu' } });
    };
    launch(1, 5, 'small', 40);
    launch(2, 5, 'small', 42);
    launch(3, 9, 'small', 10);
    launch(4, 9, 'large', 20);
    const times = launchTimesOf(record, 'a.py');
    expect(times.map(({ line, text }) => [line, text])).toEqual([
      [5, '42 µs × 2'],
      [9, '10 µs and 1 more'],
    ]);
    expect(times[1]!.hover).toContain('add[4, 1, 1]: 20 µs');
    expect(launchTimesOf(record, 'helpers.py')).toEqual([]);
  });
});
