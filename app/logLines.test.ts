import { expect, it } from 'vitest';
import { withoutLogPrefix } from './logLines';

const MODULE = [
  '# AOT ID: ["0_inference"]',
  'import torch',
  '',
  'def call(args):',
  '    return []',
  '',
];

function logged(prefix: string, lines: readonly string[]): string {
  return lines.map((line) => `${prefix}${line}`.trimEnd()).join('\n');
}

it('takes the prefix of each version from the lines of a module', () => {
  for (const prefix of [
    'V0603 05:58:59.123000 1403 torch/_inductor/graph.py:2104] [0/0] [__output_code] ',
    '[rank0]:V0603 05:58:59.123000 1403 site-packages/torch/_inductor/graph.py:1] [1/0_1] [__output_code] ',
    'V1124 04:13:29.442000 140347829 torch/_inductor/codecache.py:1372] [__kernel_code] ',
    '[2024-01-30 12:00:00,123] [0/0] torch._inductor.graph.__output_code: [DEBUG] ',
  ]) {
    const text = logged(prefix, ['Output code: ', ...MODULE, 'Output code written to: /tmp/a.py']);
    expect(withoutLogPrefix(text)).toBe(MODULE.join('\n'));
  }
});

it('leaves out what else was logged', () => {
  const other = 'I0603 05:58:59.123000 1403 torch/_inductor/compile_fx.py:9] [0/0] Step 3\n';
  const code = 'V0603 05:58:59.123000 1403 torch/_inductor/graph.py:2104] [0/0] [__output_code] ';
  expect(withoutLogPrefix(`${other}${logged(code, ['x = 1', 'y = 2'])}\n${other}`)).toBe(
    'x = 1\ny = 2\n',
  );
});

it('leaves a program alone, and one that quotes a log', () => {
  const quoting = `import torch\nx = 1\ny = """\nV0603 05:58:59.1 3 a.py:1] [__output_code] z\n"""\n`;
  for (const text of ['', 'import torch\n', quoting]) expect(withoutLogPrefix(text)).toBe(text);
});
