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
const added = (line: number): string[] => [
  `num_warps null , num_warps=@${line}`,
  `num_stages null , num_stages=@${line}`,
];
const ADDED = added(0);

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
  it('leave out a number that the grid repeats elsewhere, or beside a name or a default', () => {
    const rest = [GROUP, ...added(1)];
    expect(found('blocks = n // 128\nadd[(blocks,)](x, n, BLOCK=128)')).toEqual(rest);
    expect(found('SIZE = 128\nadd[(n // 128,)](x, n, SIZE)')).toEqual(rest);
    expect(found('add[(n // 8,)](x, n, BLOCK=128)')).toEqual(['BLOCK 128 128@0', ...ADDED]);
    const rows = 'x = torch.ones(128, 64)\nadd[(x.shape[0],)](x, n, BLOCK=128)';
    expect(found(rows)).toContain('BLOCK 128 128@1');
    const own = 'SIZE = 128\ndef grid(meta):\n    return (128 * n // SIZE,)\n';
    expect(found(`${own}add[grid](x, n, SIZE)`)).toContain('BLOCK 128 128@0');
  });
  it('are one for each place in the text', () => {
    const text = `@triton.jit
def mul(x_ptr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, num_warps: tl.constexpr):
    tl.store(x_ptr, 1)
SIZE = 16
mul[(n // SIZE,)](x, SIZE, BLOCK_N=SIZE, num_warps=4)`;
    expect(found(text, 'mul')).toEqual([
      'BLOCK_M=BLOCK_N 16 16@3',
      'num_warps 4 4@4',
      'num_stages null , num_stages=@4',
    ]);
  });
  it('have a name once: an option that is also a parameter is one setting', () => {
    const text = `@triton.jit
def mul(x_ptr, num_stages: tl.constexpr = 2):
    tl.store(x_ptr, 1)
mul[(1,)](x)`;
    expect(found(text, 'mul')).toEqual(['num_stages 2 2@1', 'num_warps null , num_warps=@3']);
  });
  it('are found beside comments and separators in the list of parameters', () => {
    const text = `@triton.jit
def mul(
    # Pointers
    x_ptr, /,
    n,  # how many
    BLOCK: tl.constexpr, TILE: tl.constexpr = 64,
):
    tl.store(x_ptr, 1)
mul[(1,)](x, n, 32, 16)`;
    expect(found(text, 'mul')).toEqual(['BLOCK 32 32@8', 'TILE 16 16@8', ...added(8)]);
  });
  it('leave out a default that a decorator replaces', () => {
    const text = `@triton.heuristics({"BLOCK": lambda args: 64})
@triton.jit
def mul(x_ptr, BLOCK: tl.constexpr = 32, TILE: tl.constexpr = 128):
    tl.store(x_ptr, 1)
mul[(1,)](x)`;
    expect(found(text, 'mul')).toEqual(['TILE 128 128@2']);
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
