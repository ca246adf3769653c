/** Numbers of a launch that can be changed in the text. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { Project } from './project';
import { settingsOf } from './settings';
import { allowedValue } from './settingValues';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const KERNEL = `import triton
import triton.language as tl

@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr, D: tl.constexpr = 64, GROUP_M: tl.constexpr = 8):
    for i in range(4):
        tl.store(x_ptr, n)

`;
const LINES = KERNEL.split('\n').length;

/** `name=value at its text`, of the launch in the last line. */
function found(text: string, kernel = 'add'): string[] | null {
  const files = { 'a.py': KERNEL + text };
  const all = settingsOf(
    new Project(files, parser),
    'a.py',
    kernel,
    LINES - 1 + text.split('\n').length,
  );
  const lines = files['a.py'].split('\n');
  return (
    all?.settings.map(({ name, value, location, before }) => {
      const { line, column, endColumn } = location;
      const at = lines[line - 1]!.slice(column - 1, endColumn - 1);
      return `${name} ${value} ${before}${at}@${line - LINES}`;
    }) ?? null
  );
}

const GROUP = 'GROUP_M 8 8@-4';
const ADDED = ['num_warps null , num_warps=@0', 'num_stages null , num_stages=@0'];

describe('the settings of a launch', () => {
  it('are its literals, its options, and defaults of the kernel', () => {
    expect(found('add[(4,)](x, n, BLOCK=128, num_warps=8)')).toEqual([
      'BLOCK 128 128@0',
      GROUP,
      'num_warps 8 8@0',
      'num_stages null , num_stages=@0',
    ]);
  });
  it('follow a name to the one number that it is bound to', () => {
    expect(found('SIZE = 256\nadd[(n // SIZE,)](x, n, SIZE)')).toContain('BLOCK 256 256@0');
    expect(found('SIZE = 256\nSIZE = 128\nadd[(n // SIZE,)](x, n, SIZE)')).not.toContain(
      'BLOCK 128 128@1',
    );
    expect(found('add[(1,)](x, n, BLOCK=triton.next_power_of_2(n))')).toEqual([GROUP, ...ADDED]);
  });
  it('leave out a number that the grid repeats, unless it reads the setting', () => {
    expect(found('add[(n // 128,)](x, n, BLOCK=128)')).toEqual([GROUP, ...ADDED]);
    expect(
      found('grid = lambda meta: (n // meta["BLOCK"],)\nadd[grid](x, n, BLOCK=128)'),
    ).toContain('BLOCK 128 128@1');
  });
  it('leave out what an unpacked argument may give', () => {
    expect(found('add[(1,)](*args, BLOCK=128)')).not.toContain('BLOCK 128 128@0');
    expect(found('add[(1,)](x, n, 128, **more)')).toEqual(['BLOCK 128 128@0']);
  });
  it('have no options where the kernel is autotuned: Triton refuses them', () => {
    const text = `@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=[])
@triton.jit
def mul(x_ptr, BLOCK: tl.constexpr, TILE: tl.constexpr):
    tl.store(x_ptr, 1)
mul[(1,)](x, TILE=32)`;
    expect(found(text, 'mul')).toEqual(['TILE 32 32@4']);
  });
  it('are none where the kernel is not launched', () => {
    expect(found('x = 3')).toBeNull();
  });
});

it('admits what real Triton takes', () => {
  expect(allowedValue('block', 96)).toBe(false);
  expect(allowedValue('block', 8)).toBe(false);
  expect(allowedValue('block', 64)).toBe(true);
  expect(allowedValue('warps', 64)).toBe(false);
  expect(allowedValue('warps', 3)).toBe(false);
  expect(allowedValue('stages', 0)).toBe(false);
});
