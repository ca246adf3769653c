/** The builder makes valid thread IR, folds constants, and the verifier finds what is wrong. */
import { describe, expect, it } from 'vitest';
import { UNKNOWN_LOCATION } from '../location';
import { ThreadBuilder } from './builder';
import { newOperation } from './ir';
import { registerPressure } from './pressure';
import { printThreads } from './printer';
import { F32, I32, memory, number, U32 } from './types';
import { verifyThreads } from './verifier';

const start = (): ThreadBuilder => new ThreadBuilder('k', UNKNOWN_LOCATION);
/** A kernel that doubles the elements below a bound. */
function double(): ThreadBuilder {
  const b = start();
  const type = memory('storage', F32, [0]);
  const x = b.buffer(type, { kind: 'buffer', group: 0, written: true }, 'x');
  const n = b.word({ kind: 'grid', axis: 0 });
  const [v] = b.if(
    b.x`tid < ${n}`,
    () => [b.load(x, b.threadId())],
    () => [b.f32(0)],
    ['v'],
  );
  b.store(x, b.threadId(), b.x`${v!} * 2.0f`);
  b.create('thread.return', []);
  return b;
}

describe('the builder of thread IR', () => {
  it('makes a kernel that prints and verifies', () => {
    const func = double().finish();
    expect(verifyThreads(func)).toEqual([]);
    expect(printThreads(func)).toMatchInlineSnapshot(`
      "thread.func @k(
        %x: memref<?xf32, storage> {group = 0, written = true},
        %grid_x: u32 {word = {kind = "grid", axis = 0}}
      ) {
        %cst = thread.constant 0.0 : f32
        %cst_0 = thread.constant 2.0 : f32
        %tid = thread.thread_id : u32
        %0 = thread.lt %tid, %grid_x : bool
        %v = thread.if %0 : f32 {
          %1 = thread.load %x, %tid : f32
          thread.yield %1
        } else {
          thread.yield %cst
        }
        %2 = thread.mul %v, %cst_0 : f32
        thread.store %x, %tid, %2
        thread.return
      }
      "
    `);
    // The thread's number and the value.
    expect(registerPressure(func)).toBe(2);
  });
  it('drops a modulo that the number of threads makes needless', () => {
    const b = start();
    b.func.attributes['threads'] = 128;
    const tid = b.threadId();
    expect(b.x`tid % 128u`).toBe(tid);
    const row = b.x`tid / 32u`;
    expect(b.x`${row} % 4u`).toBe(row);
    expect(b.x`${row} % 3u`).not.toBe(row);
    expect(b.x`tid % 64u`).not.toBe(tid);
  });
  it('writes WGSL expressions as operations of the right types', () => {
    const b = start();
    const x = b.buffer(
      memory('storage', number('u32', 4), [0]),
      { kind: 'buffer', group: 0, written: false },
      'x',
    );
    const v = b.load(x, b.u32(1));
    expect(b.x`bitcast<vec4<f32>>(${v})`.type).toBe(number('f32', 4));
    expect(b.x`i32(${v}.y) + 3i`.type).toBe(I32);
    expect(b.x`select(1.0f, 2.0f, ${v}.x == 7u)`.type).toBe(F32);
    expect(b.x`i64_add(${v}.xy, ${v}.zw)`.type).toBe(number('u32', 2));
    expect(() => b.x`${v}.x + 1.0f`).toThrow('f32 and u32 do not mix');
    expect(() => b.x`nothing(1u)`).toThrow('no function nothing');
  });
  it.each([
    ['3u - 5u', (b: ThreadBuilder) => b.x`3u - 5u`, 0xfffffffe],
    ['7i / 0i', (b: ThreadBuilder) => b.x`7i / 0i`, 7],
    ['-7i % 4i', (b: ThreadBuilder) => b.x`-7i % 4i`, -3],
    ['1u << 33u', (b: ThreadBuilder) => b.x`1u << 33u`, 2],
    ['-8i >> 1u', (b: ThreadBuilder) => b.x`-8i >> 1u`, -4],
    ['max(2u, 3u)', (b: ThreadBuilder) => b.x`max(2u, 3u)`, 3],
    ['u32(-1i)', (b: ThreadBuilder) => b.x`u32(-1i)`, 0xffffffff],
  ])('folds %s', (_, make, expected) => {
    expect(make(start()).definition?.attributes['value']).toBe(expected);
  });
  it('drops operations that change nothing, and keeps those that do', () => {
    const b = start();
    const x = b.word({ kind: 'grid', axis: 0 });
    expect(b.x`${x} + 0u`).toBe(x);
    expect(b.x`0u - ${x}`).not.toBe(x);
    expect(b.x`1u * ${x}`).toBe(x);
    expect(b.x`min(0xffffffffu, ${x})`).toBe(x);
  });
});

describe('the verifier of thread IR', () => {
  it('finds a use before the definition, and types that do not fit', () => {
    const func = double().finish();
    const store = func.body.ops.find((op) => op.name === 'thread.store')!;
    const product = store.operands.at(-1)!.definition!;
    func.body.remove(product);
    func.body.insertAfter(store, product);
    expect(verifyThreads(func).map(({ message }) => message)).toEqual([
      'thread.store: operand 2 (unnamed) is used before its definition',
    ]);
    func.body.remove(product);
    func.body.insertBefore(store, product);
    const bad = newOperation('thread.add', [func.body.args[1]!], [U32], {}, [], UNKNOWN_LOCATION);
    func.body.insertBefore(store, bad);
    expect(verifyThreads(func)[0]?.message).toContain('thread.add: 1 operands');
  });
});
