/** Each rule of thread IR, with a small kernel that breaks it. */
import { describe, expect, it } from 'vitest';
import { parseThreads } from './parser';
import { verifyThreads } from './verifier';

const PARAMETERS = [
  '%in: memref<?xu32, storage> {group = 0, written = false}',
  '%out: memref<?xu32, storage> {group = 1, written = true}',
  '%n: u32 {word = {kind = "grid", axis = 0}}',
];
const VALUES = `
  %tid = thread.thread_id : u32
  %sub = thread.subgroup_id : u32
  %zero = thread.constant 0 : u32
  %one = thread.constant 1 : u32
  %f = thread.constant 0.5 : f32
  %mine = thread.alloc : memref<4xu32, private>
  %words = thread.alloc : memref<64xvec4<u32>, workgroup>
  %count = thread.alloc : memref<atomic<u32>, workgroup>
  %cell = thread.alloc : memref<u32, workgroup>
  %flag = thread.alloc : memref<bool, private>
  %low = thread.lt %tid, %n : bool
  %few = thread.lt %sub, %n : bool
  %all = thread.lt %zero, %n : bool`;
const BARRIER = 'thread.barrier {workgroup = true, storage = false}';

function problems(
  lines: string,
  { parameters = PARAMETERS, attributes = 'threads = 64, subgroupSize = 32' } = {},
): string[] {
  const text = `thread.func @k(
${parameters.map((each) => `  ${each}`).join(',\n')}
) attributes {${attributes}} {${lines}
  thread.return
}`;
  return verifyThreads(parseThreads(text)).map(({ message }) => message);
}
const among = (lines: string): string[] => problems(`${VALUES}\n  ${lines}`);
const when = (condition: string, ...body: readonly string[]): string => `thread.if ${condition} {
    ${body.join('\n    ')}
    thread.yield
  } else {
    thread.yield
  }`;

it('has nothing against a kernel that keeps every rule', () => {
  expect(
    among(`${BARRIER}
  thread.store %out, %tid, %one
  thread.store_component %words, %zero, %tid, %one
  %old = thread.atomic_rmw %count, %one {kind = "add"} : u32
  %same = thread.workgroup_uniform %cell, %tid : u32
  %go = thread.lt %same, %n : bool
  ${when('%go', BARRIER)}
  ${when('%few', '%v = thread.subgroup_shuffle_xor %tid, %one : u32')}`),
  ).toEqual([]);
});

describe('types and attributes', () => {
  it.each([
    ['operands of other types', '%x = thread.add %f, %one : u32', 'u32 and f32 do not mix'],
    ['a result of another type', '%x = thread.add %one, %one : i32', 'gives i32'],
    ['a missing operand', '%x = thread.add %one : u32', '1 operands'],
    ['a missing attribute', '%x = thread.program_id : u32', 'attribute axis is missing'],
    ['an axis that there is none of', '%x = thread.program_id {axis = 3} : u32', 'axis is 3'],
    ['a negative u32', '%x = thread.constant -1 : u32', '-1 is no u32'],
    ['a number that no f32 is', '%x = thread.constant 0.1 : f32', '0.1 is no f32'],
    [
      'an update without a name',
      '%x = thread.atomic_rmw %count, %one {kind = "nand"} : u32',
      'nand',
    ],
    [
      'a component that there is none of',
      '%x = thread.extract %one {index = 1} : u32',
      'no component',
    ],
    ['an unknown function', '%x = thread.call %one {callee = "f"} : u32', 'no function f'],
    [
      'arguments of another type',
      '%x = thread.call %one {callee = "f32_exp"} : f32',
      'takes (f32)',
    ],
    ['a barrier that orders nothing', BARRIER.replace('true', 'false'), 'orders no memory'],
  ])('refuses %s', (_, line, message) => {
    const found = among(line);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });
});

describe('regions', () => {
  const loop = (args: string, end: string): string =>
    `%s = thread.for %n, %one {test = "top"} : u32 {\n  ^(${args}):\n    ${end}\n  }`;
  it.each([
    ['a body that takes others', loop('%k: u32, %a: f32', 'thread.yield %one'), 'takes? others'],
    ['a body that yields others', loop('%k: u32, %a: u32', 'thread.yield %f'), 'yields others'],
    [
      'a body that returns',
      loop('%k: u32, %a: u32', 'thread.return %one'),
      'ends in thread.return',
    ],
    ['a terminator inside a block', 'thread.yield', 'stands inside a block'],
    [
      'a block without a terminator',
      when('%all').replace('thread.yield', 'thread.print_iteration'),
      'must end',
    ],
    [
      'a while that does not test',
      'thread.while {\n    thread.yield\n  } do {\n    thread.yield\n  }',
      'region',
    ],
  ])('refuses %s', (_, line, message) => {
    expect(among(line).join('\n')).toMatch(new RegExp(message));
  });
  it('refuses a value that another branch defines', () => {
    const func = parseThreads(`thread.func @k() {
  %c = thread.constant true : bool
  thread.if %c {
    %x = thread.thread_id : u32
    thread.yield
  } else {
    %y = thread.not %x : u32
    thread.yield
  }
  thread.return
}`);
    expect(verifyThreads(func).map(({ message, location }) => [message, location.line])).toEqual([
      ['thread.not: operand 0 (x) is used before its definition', 7],
    ]);
  });
  it('refuses a function that does not return', () => {
    const func = parseThreads('thread.func @k() {\n  thread.yield\n}');
    expect(verifyThreads(func)[0]?.message).toContain('a function ends in thread.return');
  });
});

describe('address spaces', () => {
  it.each([
    ['a store to a buffer that is read', 'thread.store %in, %tid, %one', 'read-only buffer'],
    [
      'an atomic update of a plain array',
      '%x = thread.atomic_rmw %out, %tid, %one {kind = "add"} : u32',
      'no atomic memory',
    ],
    ['a plain store to an atomic variable', 'thread.store %count, %one', 'atomic memory'],
    ['a store of another type', 'thread.store %out, %tid, %f', 'does not fit'],
    ['an index that is no u32', '%x = thread.load %out, %f : u32', 'f32 is no index'],
    ['a missing index', '%x = thread.load %out : u32', '1 indices are needed'],
    ['a memory as a value', 'thread.store %out, %tid, %mine', 'does not fit|no value'],
    [
      'a branch that gives a memory',
      '%m = thread.if %all : memref<4xu32, private> {\n    thread.yield %mine\n  } else {\n    thread.yield %mine\n  }',
      'gives a memory',
    ],
    ['a declared buffer', '%m = thread.alloc : memref<4xu32, storage>', 'bound, not declared'],
    [
      'an array without a length',
      '%m = thread.alloc : memref<?xu32, workgroup>',
      'length of an array',
    ],
    [
      'workgroup memory in a branch',
      when('%all', '%m = thread.alloc : memref<4xu32, workgroup>'),
      'declared at the top',
    ],
    [
      'workgroup memory with a first value',
      '%m = thread.alloc %one : memref<u32, workgroup>',
      'no first value',
    ],
    [
      'an array with a first value',
      '%m = thread.alloc %one : memref<4xu32, private>',
      'an array has no first value',
    ],
    [
      'atomic memory of one thread',
      '%m = thread.alloc : memref<atomic<u32>, private>',
      'is not atomic',
    ],
    ['an atomic float', '%m = thread.alloc : memref<atomic<f32>, workgroup>', 'no atomic f32'],
    [
      'the length of an array that has one',
      '%x = thread.array_length %words : u32',
      'the length is known',
    ],
    [
      "a matrix in a thread's own memory",
      '%m = thread.matrix_load %mine, %zero {stride = 1, transposed = false} : !thread.left<f16, 8x8>',
      'own memory',
    ],
    [
      'a matrix at no place',
      '%m = thread.matrix_load %words {stride = 1, transposed = false} : !thread.left<f16, 8x8>',
      'an index for each dimension',
    ],
  ])('refuse %s', (_, line, message) => {
    expect(among(line).join('\n')).toMatch(new RegExp(message));
  });
  it.each([
    [
      'truth values in storage',
      '%x: memref<?xbool, storage> {group = 0, written = true}',
      'no truth values',
    ],
    [
      'a buffer in workgroup memory',
      '%x: memref<4xu32, workgroup> {group = 0, written = true}',
      'a buffer is in storage',
    ],
    [
      'a buffer of a fixed length',
      '%x: memref<4xu32, storage> {group = 0, written = true}',
      'of any length',
    ],
    ['a word of another type', '%x: f32 {word = {kind = "zero"}}', 'a word is a u32'],
  ])('refuse %s', (_, parameter, message) => {
    expect(problems('', { parameters: [parameter] })[0]).toContain(message);
  });
});

describe('matrices and subgroups', () => {
  const load = (name: string, type: string): string =>
    `%${name} = thread.matrix_load %words, %zero {stride = 1, transposed = false} : !thread.${type}`;
  it.each([
    ['roles', 'left<f16, 8x16>', 'left<f16, 16x8>', 'result<f32, 8x8>'],
    ['depths', 'left<f16, 8x16>', 'right<f16, 8x8>', 'result<f32, 8x8>'],
    ['rows', 'left<f16, 8x16>', 'right<f16, 16x8>', 'result<f32, 16x8>'],
  ])('must fit in their %s', (_, a, b, c) => {
    const lines = [load('a', a), load('b', b), `%c = thread.matrix_zero : !thread.${c}`];
    lines.push(`%d = thread.matrix_multiply_accumulate %a, %b, %c : !thread.${c}`);
    expect(among(lines.join('\n  '))[0]).toContain('matrices do not fit');
  });
  it('need a size of subgroups', () => {
    const lines = `${VALUES}\n  %x = thread.subgroup_shuffle_xor %tid, %one : u32`;
    const found = problems(lines, { attributes: 'threads = 64' });
    expect(found[0]).toContain('the size of subgroups is not known');
  });
});

describe('uniform control flow', () => {
  const shuffle = '%x = thread.subgroup_shuffle_xor %tid, %one : u32';
  const flow = 'stands in control flow that';
  const loop = (trips: string, body: string): string =>
    `thread.for ${trips} {test = "top"} {\n  ^(%k: u32):\n    ${body}\n    thread.yield\n  }`;
  it.each([
    ["a barrier where the thread's number decides", when('%low', BARRIER), flow],
    ["a barrier where the subgroup's number decides", when('%few', BARRIER), flow],
    ['a barrier in a loop that threads leave at different times', loop('%tid', BARRIER), flow],
    ['a shuffle where lanes part', when('%low', shuffle), flow],
    [
      'a mask of a shuffle that differs',
      '%x = thread.subgroup_shuffle_xor %tid, %tid : u32',
      'a mask',
    ],
    [
      'a place of a matrix that differs',
      '%m = thread.matrix_load %words, %tid {stride = 1, transposed = false} : !thread.left<f16, 8x8>',
      'a place of a matrix',
    ],
  ])('is demanded of %s', (_, line, message) => {
    const found = among(line);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });
  it('lets lanes shuffle where one word decides, which they read at once', () => {
    const word = '%trips = thread.load %out, %zero : u32';
    expect(among(`${word}\n  ${loop('%trips', shuffle)}`)).toEqual([]);
    expect(among(`${word}\n  ${loop('%trips', BARRIER)}`)).toHaveLength(1);
  });
  it.each([
    ['memory that the kernel writes', '%v = thread.load %out, %zero : u32', 1],
    ['memory that nobody writes', '%v = thread.load %in, %zero : u32', 0],
    ['a place that differs', '%v = thread.load %in, %tid : u32', 1],
    ['shared memory', '%v = thread.load_component %words, %zero, %zero : u32', 1],
    ['shared memory, made uniform', '%v = thread.workgroup_uniform %cell, %tid : u32', 0],
    [
      'a variable that holds a uniform value',
      'thread.store %mine, %zero, %n\n  %v = thread.load %mine, %zero : u32',
      0,
    ],
    [
      'a variable that holds another',
      'thread.store %mine, %zero, %tid\n  %v = thread.load %mine, %zero : u32',
      1,
    ],
    [
      'a variable written in a branch',
      `${when('%low', 'thread.store %mine, %zero, %n')}\n  %v = thread.load %mine, %zero : u32`,
      1,
    ],
    [
      'a choice by a condition that differs',
      '%v = thread.if %low : u32 {\n    thread.yield %n\n  } else {\n    thread.yield %zero\n  }',
      1,
    ],
    ...[0, 1].map((count): [string, string, number] => [
      `a guard whose ${count === 0 ? 'count' : 'mask'} differs`,
      `%yes = thread.constant true : bool\n  %some = thread.guard ${
        count === 0 ? '%yes, %low' : '%low, %yes'
      }, %n, %n, %n {access = 0, by = "length", half = 0, operation = 0, times = 1, vector = 1} : bool\n  %v = thread.select %some, %n, %zero : u32`,
      count,
    ]),
    [
      'a sum that a loop carries',
      '%v = thread.for %n, %zero {test = "top"} : u32 {\n  ^(%k: u32, %a: u32):\n    %b = thread.add %a, %n : u32\n    thread.yield %b\n  }',
      0,
    ],
    [
      'a sum that becomes different on the way',
      '%v = thread.for %n, %zero {test = "top"} : u32 {\n  ^(%k: u32, %a: u32):\n    %b = thread.add %a, %tid : u32\n    thread.yield %b\n  }',
      1,
    ],
  ])('is proved, or not, by a condition from %s', (_, lines, count) => {
    const barrier = `\n  %c = thread.lt %v, %n : bool\n  ${when('%c', BARRIER)}`;
    expect(among(lines + barrier)).toHaveLength(count);
  });
  it('is not there where each thread has a program of its own', () => {
    const lines = `\n  %id = thread.program_id {axis = 0} : u32\n  ${BARRIER}`;
    expect(problems(lines)).toEqual([]);
    expect(problems(lines, { attributes: 'threads = 1, programs = 64' })[0]).toContain(flow);
  });
});
