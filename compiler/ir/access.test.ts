/** The memory that pointers reach: through loops, and where arguments share a tensor. */
import { expect, it } from 'vitest';
import { memoryOf, rootOf, WrittenMemory } from './access';
import { type Operation, walk } from './ir';
import { parseFunc } from './parser';
import { printFunc } from './printer';

const LOOP = (yielded: string, x = '', y = ''): string => `
tt.func @kernel(%x: !tt.ptr<f32>${x}, %y: !tt.ptr<f32>${y}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a, %b = scf.for %zero, %n, %one, %x, %y : !tt.ptr<f32>, !tt.ptr<f32> {
  ^(%i: i32, %p: !tt.ptr<f32>, %q: !tt.ptr<f32>):
    %r = tt.addptr %p, %one : !tt.ptr<f32>
    scf.yield ${yielded}
  }
  %value = tt.load %a : f32
  tt.store %y, %value
  tt.return
}`;

const access = (text: string) => {
  const func = parseFunc(text);
  const found: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.load' || op.name === 'tt.store') found.push(op);
  });
  const [load, store] = found.map((op) => op.operand(0));
  return { func, load: load!, store: store! };
};

it.each([
  ['moves its pointer', '%r, %q', 0, false],
  ['hands its pointers on', '%p, %q', 0, false],
  ['exchanges its pointers', '%q, %p', -1, true],
  ['takes another pointer', '%q, %q', -1, true],
])('a loop that %s', (_, yielded, root, written) => {
  const { func, load, store } = access(LOOP(yielded));
  expect(rootOf(load, func.body.args)).toBe(root);
  expect(rootOf(store, func.body.args)).toBe(1);
  expect(new WrittenMemory(func).has(load)).toBe(written);
});

it('arguments that share a tensor are one memory', () => {
  const shared = ' {tensor = 0}';
  const { func, load, store } = access(LOOP('%p, %q', shared, shared));
  expect([memoryOf(load, func), memoryOf(store, func)]).toEqual([0, 0]);
  expect(new WrittenMemory(func).has(load)).toBe(true);
  const { text } = printFunc(func);
  expect(printFunc(parseFunc(text)).text).toBe(text);
});

it('follows a pointer through any number of steps', () => {
  const steps = Array.from({ length: 20_000 }, (_, i) => i);
  const moves = steps.map((i) => `  %p${i + 1} = tt.addptr %p${i}, %n : !tt.ptr<f32>`);
  const { func, load } = access(`
tt.func @kernel(%p0: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
${moves.join('\n')}
  %value = tt.load %p20000 : f32
  tt.store %y, %value
  tt.return
}`);
  expect(rootOf(load, func.body.args)).toBe(0);
});
