/** The debugger on thread IR: steps of one thread, what registers and shared memory hold. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { REPORT_WORDS } from '../boundsReport';
import { Launch } from '../interpret/workgroup/launch';
import { runWorkgroups } from '../interpret/workgroup/index';
import { WorkgroupState } from '../interpret/workgroup/state';
import { SteppingWorkgroup } from '../interpret/workgroup/stepping';
import { createCompiler } from '../pipeline';
import { BASELINE_TARGET } from '../target';
import { kernelAfter } from './funcAfter';
import { argumentValues, memoryOf, type LaunchInputs } from './launch';
import { ThreadSession, type ThreadState, type ThreadStep } from './threadSession';
import { HEADER, launchFor, ramp, requestFor } from './testing/launches';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

// Sums cross the threads by shared memory; the loop and its branch walk generators.
const TEXT = `def k(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for step in range(n):
        x = tl.load(x_ptr + step * BLOCK + i)
        if step % 2 == 0:
            total += x
        else:
            total -= x * 0.5
    while n > 0:
        n -= 3
    top = tl.sum(total, axis=0)
    tl.store(out_ptr + i, total + top + n)
`;
const lines = (HEADER + TEXT).split('\n');
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;

const BLOCK = 256;
function launch(): { readonly inputs: LaunchInputs; readonly found: ReturnType<typeof find> } {
  const types = { x_ptr: '*fp32', out_ptr: '*fp32', n: 'i32', BLOCK } as const;
  const request = requestFor(parser, TEXT, types, { ...BASELINE_TARGET, subgroupSize: 'none' });
  const data = [{ data: ramp(4 * BLOCK) }, { data: ramp(BLOCK) }, 4] as const;
  return { inputs: launchFor(request, [1, 1, 1], data), found: find(request) };
}
function find(request: LaunchInputs['request']) {
  const found = kernelAfter(createCompiler(parser), request, ({ phase }) => phase === 'emit');
  if (!found.ok) throw new Error(found.diagnostics.map(({ message }) => message).join('\n'));
  return found;
}

class Player {
  readonly session: ThreadSession;
  constructor() {
    const { inputs, found } = launch();
    this.session = new ThreadSession({ ...found, inputs, program: [0, 0, 0] });
  }
  move(kind: ThreadStep, ...stops: readonly number[]): ThreadState {
    this.session.begin(kind, new Set(stops.map((line) => `k.py:${line}`)));
    return this.finish();
  }
  finish(): ThreadState {
    while (!this.session.advance(50));
    return this.session.state();
  }
}

it('computes what the workgroup interpreter computes', () => {
  const { inputs, found } = launch();
  const { kernel, parameters } = found;
  const { specialization } = inputs.request;
  const { grid } = inputs;
  const args = argumentValues(inputs);
  const expected = memoryOf(inputs);
  runWorkgroups({ kernel, parameters, specialization, args, memory: expected, grid });
  const memory = memoryOf(inputs);
  const sharedBytes = kernel.workgroupBytes;
  const stepped = new Launch({ parameters, specialization, args, memory, grid, sharedBytes });
  const state = new WorkgroupState(kernel, REPORT_WORDS, false, false, false, () => {});
  const run = new SteppingWorkgroup(state, stepped).start(kernel.threads);
  state.enter(0, grid);
  for (let stop = run.next(); !stop.done; stop = run.next());
  stepped.finish();
  expect(state.findings.list).toEqual([]);
  const floats = (of: typeof memory): number[] => [
    ...new Float32Array(of[1]!.bytes.slice().buffer),
  ];
  expect(floats(memory)).toEqual(floats(expected));
  // 0 − 256/2 + 512 − 768/2 + i·(1 − ½ + 1 − ½) = i, their sum, and n = 4 − 2·3.
  const top = (BLOCK * (BLOCK - 1)) / 2;
  expect(floats(memory)).toEqual(Array.from({ length: BLOCK }, (_, i) => i + top - 2));
});

describe('a thread', () => {
  it('stops at lines, with the operands of what comes next', () => {
    const player = new Player();
    const at = player.move('continue', lineOf('total -='));
    expect(at.next!.location.line).toBe(lineOf('total -='));
    expect(at.next!.operands.length).toBeGreaterThan(0);
    expect(at.findings).toEqual([]);
    const after = player.move('op');
    const [written] = after.registers;
    expect(written!.fresh).toBe(true);
    const text = player.session.text.ir.split('\n')[at.next!.line - 1]!;
    expect(text.trim().startsWith(written!.name)).toBe(true);
    // In every thread of the workgroup.
    const values = player.session.values(written!.name)!;
    expect(values.shape[0]).toBe(after.threads);
    player.move('continue');
    expect(player.session.state().next).toBeNull();
  });

  it('can be chosen, and sees its own registers', () => {
    const player = new Player();
    player.move('continue', lineOf('total -='));
    const first = player.session.state();
    player.session.choose(5);
    const other = player.finish();
    expect([other.thread, other.steps]).toEqual([5, first.steps]);
    const loaded = first.registers.find(({ name, text }) => {
      const there = other.registers.find((each) => each.name === name);
      return there !== undefined && there.text !== text;
    });
    expect(loaded).toBeDefined();
  });

  it('meets barriers, and what stands in shared memory there', () => {
    const player = new Player();
    const at = player.move('barrier');
    expect(at.next!.op).toBe('thread.barrier');
    expect(at.next!.active).toBe(at.threads);
    const array = at.arrays.find(({ space }) => space === 'workgroup')!;
    expect([...player.session.values(array.name)!.values].some((x) => x !== 0)).toBe(true);
  });

  it('goes back to where it stood', () => {
    const player = new Player();
    const first = player.move('line');
    player.move('line');
    player.session.beginBack();
    expect(player.finish().steps).toBe(first.steps);
    player.session.restart();
    expect(player.session.state().steps).toBe(0);
  });
});
