import { expect, it } from 'vitest';
import { programText } from '../../state/document';
import { emptyRecord, fold } from '../../state/record';
import { excerpt, factsOf } from './card';
import { reportOf } from './report';

const TEXT =
  'import triton\n\n@triton.jit\ndef add(x_ptr):\n    # one | two\n    pass\n\n\nprint(1)\n';
const about = {
  name: 'Add',
  entry: 'a.py',
  files: { 'a.py': TEXT },
  link: 'https://h/#/s/2.A',
  browser: 'Chrome 156 on Linux',
  date: '1 January 2030',
};

it('says of a program that did not run that it did not', () => {
  const text = reportOf({ ...about, record: null });
  expect(text).toContain('The program was not run.');
  expect(text).toContain('```python\nimport triton');
  expect(factsOf(null)).toEqual([{ sign: '', text: 'not run yet' }]);
});

it('says that a program of several files was edited only where it was', () => {
  const several = { ...about, files: { 'a.py': TEXT, 'b.py': 'x = 1\n' } };
  const edited = { ...several, files: { ...several.files, 'b.py': 'x = 2\n' } };
  const record = emptyRecord(1, 1, programText(several));
  expect(reportOf({ ...several, record })).not.toContain('edited since');
  expect(reportOf({ ...edited, record })).toContain('**The text was edited since.**');
});

it('fences what holds fences, and says where the text was edited since', () => {
  const record = emptyRecord(1, 1, 'older text');
  fold(record, {
    type: 'print',
    stream: 'stdout',
    text: 'a table:\n```\n| x |\n```\n',
  });
  fold(record, {
    type: 'benchmark',
    name: 'speed',
    xName: 'n',
    xLabel: '',
    yLabel: 'GB/s',
    xLog: true,
    yLog: false,
    lines: [
      {
        name: 'a|b',
        color: null,
        dash: null,
        clock: 'gpu',
        points: [{ x: 1024, y: 12.3456, low: null, high: null }],
      },
      { name: 'c', color: null, dash: null, clock: 'cpu', points: [] },
    ],
    done: true,
    notes: ['c was left out'],
  });
  const traceback = 'Traceback (most recent call last):\nValueError: x\n';
  fold(record, { type: 'print', stream: 'stderr', text: traceback });
  const location = { file: 'a.py', line: 2, column: 1, endLine: 2, endColumn: 9 };
  fold(record, {
    type: 'diagnostic',
    diagnostic: {
      code: 'HC0900',
      severity: 'error',
      message: 'ValueError: x',
      location,
      notes: [{ message: traceback }, { message: 'Try another.' }],
    },
  });
  fold(record, { type: 'finished', outcome: 'ok', milliseconds: 1234 });
  const text = reportOf({ ...about, record });
  expect(text).toContain('````\na table:\n```\n| x |\n```\n````');
  expect(text).toContain('**The text was edited since.**');
  expect(text).toContain(
    '| n | a\\|b (GB/s) | c (GB/s) |\n| ---: | ---: | ---: |\n| 1024 | 12.35 | – |',
  );
  expect(text).toContain('c was left out');
  expect(text).toContain(
    `- error at a.py:2: ValueError: x\n\n\`\`\`\n${traceback.trimEnd()}\n\`\`\``,
  );
  expect(text).toContain('The program ended; 1 error was reported. It took 1.23 s');
  expect(factsOf(record)).toContainEqual({ sign: '✗', text: 'an error' });
});

it('writes the program’s words as text, not as Markdown', () => {
  const record = emptyRecord(1, 1, '');
  const location = { file: 'a.py', line: 2, column: 1, endLine: 2, endColumn: 9 };
  const message = '<img src=x onerror=alert(1)> [a](javascript:b)';
  fold(record, {
    type: 'diagnostic',
    diagnostic: { code: 'HC0900', severity: 'error', message, location, notes: [] },
  });
  const text = reportOf({ ...about, name: '<script>alert(1)</script>', record });
  expect(text).not.toMatch(/<(script|img)/);
  expect(text).not.toContain('[a](');
});

it('shows the kernel on the card, from its decorator to its end', () => {
  expect(excerpt(TEXT, 'add')).toEqual([
    '@triton.jit',
    'def add(x_ptr):',
    '    # one | two',
    '    pass',
  ]);
  expect(excerpt(TEXT, null)[0]).toBe('@triton.jit');
  expect(excerpt('print(1)\n', null)).toEqual(['print(1)']);
  const long = excerpt(`@triton.jit\ndef f(x):\n${'    x = 1\n'.repeat(40)}`, 'f');
  expect(long).toHaveLength(17);
  expect(long.at(-1)).toBe('    …');
});
