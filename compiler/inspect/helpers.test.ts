/** The debugger in functions that a kernel calls: its own and our library's. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler } from '../pipeline';
import { constexprsOf } from './constexprs';
import { ConditionError, parseCondition } from './condition';
import { DebugSession } from './debugSession';
import { funcAfter } from './funcAfter';
import type { StepKind } from './moves';
import { HEADER, launchFor, ramp, requestFor } from './testing/launches';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const TEXT = `def scaled(x, factor):
    y = x * factor
    top = tl.max(y, axis=0)
    return y - top


@triton.jit
def k(x_ptr, out_ptr, f, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = scaled(x, f) + scaled(x, f + 1.0)
    tl.store(out_ptr + i, y)
`;
const lines = (HEADER + TEXT).split('\n');
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;
function lineOfText(program: string, text: string): number {
  return (HEADER + program).split('\n').findIndex((line) => line.includes(text)) + 1;
}
const [Y, TOP, RETURN] = [lineOf('y = x *'), lineOf('top ='), lineOf('return y')];
const [CALL, STORE] = [lineOf('y = scaled'), lineOf('tl.store')];

class Player {
  readonly debug: DebugSession;
  /** Address of the second tensor. */
  readonly out: number;
  constructor(text = TEXT) {
    const types = { x_ptr: '*fp32', out_ptr: '*fp32', f: 'fp32', BLOCK: 16 } as const;
    const request = requestFor(parser, text, types);
    const inputs = launchFor(request, [1, 1, 1], [{ data: ramp(16) }, { data: ramp(16) }, 2]);
    const found = funcAfter(createCompiler(parser), request, ({ phase }) => phase === 'lower');
    if (!found.ok) throw new Error(found.diagnostics.map(({ message }) => message).join('\n'));
    const constexprs = constexprsOf(parser, request);
    this.debug = new DebugSession(found.func, inputs, [0, 0, 0], constexprs);
    this.out = inputs.storages[1]!.address;
  }
  get stack(): string[] {
    const { frames } = this.debug.state();
    return frames.map(({ name, location }) => `${name} ${location?.line ?? 'ended'}`);
  }
  move(kind: StepKind, ...stops: readonly number[]): string[] {
    this.debug.begin(kind, new Map(stops.map((line) => [`k.py:${line}`, null])));
    return this.finish();
  }
  /** Continues to a line where a condition holds. */
  moveIf(line: number, condition: string): string[] {
    const parsed = parseCondition(parser, condition);
    this.debug.begin('continue', new Map([[`k.py:${line}`, parsed]]));
    return this.finish();
  }
  toStore(element: number): string[] {
    this.debug.beginStore(this.out + 4 * element);
    return this.finish();
  }
  back(to: 'stop' | 'op'): string[] {
    this.debug.beginBack(to);
    return this.finish();
  }
  private finish(): string[] {
    while (!this.debug.advance(50));
    return this.stack;
  }
}

describe('in a helper', () => {
  it('a breakpoint stops at its own line, with its callers and its own variables', () => {
    const player = new Player();
    expect(player.move('continue', TOP)).toEqual([`scaled ${TOP}`, `k ${CALL}`]);
    const { next, frames } = player.debug.state();
    expect(next).toMatchObject({ call: 'tl.max', location: { file: 'k.py', line: TOP } });
    expect(frames.map(({ variables }) => variables.map(({ name }) => name).toSorted())).toEqual([
      ['factor', 'x', 'y'],
      ['BLOCK', 'f', 'i', 'out_ptr', 'x', 'x_ptr'],
    ]);
    expect(player.debug.watch('y[3]')).toBe('6');
    // The second call is another activation, with another y.
    expect(player.move('continue', TOP)).toEqual([`scaled ${TOP}`, `k ${CALL}`]);
    expect(player.debug.watch('y[3]')).toBe('9');
    expect(player.debug.watch('i[3]')).toBe('3');
    player.move('continue');
    expect(player.stack).toEqual(['k ended']);
    expect(player.debug.watch('y[0]')).toBe(String(-(2 * 15) - 3 * 15));
  });

  it('lines are stepped over, into, and out of at the end', () => {
    const player = new Player();
    expect(player.move('continue', CALL)).toEqual([`k ${CALL}`]);
    expect(player.move('into')).toEqual([`scaled ${Y}`, `k ${CALL}`]);
    expect(player.move('over')).toEqual([`scaled ${TOP}`, `k ${CALL}`]);
    expect(player.move('over')).toEqual([`scaled ${RETURN}`, `k ${CALL}`]);
    expect(player.move('over')).toEqual([`k ${CALL}`]);
    // The other call of the same line.
    expect(player.move('into')).toEqual([`scaled ${Y}`, `k ${CALL}`]);
    expect(player.back('stop')).toEqual([`k ${CALL}`]);
    expect(player.move('over')).toEqual([`k ${STORE}`]);
  });
});

it('steps out of a helper into its caller, and out of the kernel to its end', () => {
  const player = new Player();
  expect(player.move('continue', TOP)).toEqual([`scaled ${TOP}`, `k ${CALL}`]);
  expect(player.move('out')).toEqual([`k ${CALL}`]);
  // The other call of the same line.
  expect(player.move('into')).toEqual([`scaled ${Y}`, `k ${CALL}`]);
  // A breakpoint on the way stops.
  expect(player.move('out', RETURN)).toEqual([`scaled ${RETURN}`, `k ${CALL}`]);
  expect(player.move('out')).toEqual([`k ${CALL}`]);
  expect(player.move('out')).toEqual(['k ended']);
});

describe('a breakpoint with a condition', () => {
  it('stops in the frame where it holds: the second call of a helper', () => {
    const player = new Player();
    expect(player.moveIf(TOP, 'factor > 2 and y[1] == 3')).toEqual([`scaled ${TOP}`, `k ${CALL}`]);
    expect(player.debug.watch('factor')).toBe('3');
    expect(player.debug.state().conditions).toEqual([]);
    expect(player.moveIf(STORE, 'BLOCK == 16 and program_id == 0')).toEqual([`k ${STORE}`]);
  });
  it('does not stop where it never holds', () => {
    expect(new Player().moveIf(TOP, 'factor > 3 or program_id(0) > 0')).toEqual(['k ended']);
  });
  it('stops where it cannot be computed, and says why', () => {
    const player = new Player();
    expect(player.moveIf(TOP, 'y > 2')).toEqual([`scaled ${TOP}`, `k ${CALL}`]);
    expect(player.debug.state().conditions).toEqual([
      { place: `k.py:${TOP}`, message: 'y is a tile of [16]: name an element, y[0]' },
    ]);
    // The next move begins without it.
    expect(player.move('continue')).toEqual(['k ended']);
    expect(player.debug.state().conditions).toEqual([]);
    const broken = new Player();
    broken.debug.begin('continue', new Map([[`k.py:${TOP}`, new ConditionError('no')]]));
    while (!broken.debug.advance(50));
    expect(broken.debug.state().conditions).toEqual([{ place: `k.py:${TOP}`, message: 'no' }]);
  });
});

const TWICE = `def twice(x_ptr, out_ptr, f, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(3):
        tl.store(out_ptr + i, tl.load(x_ptr + i) * k, mask=i != 5)
`;
describe('the store of an element', () => {
  const at = lineOfText(TWICE, 'tl.store');
  it('is found in the last iteration that makes it, with its place in the tile', () => {
    const player = new Player(TWICE);
    expect(player.toStore(7)).toEqual([`twice ${at}`]);
    expect(player.debug.watch('k')).toBe('2');
    expect(player.debug.state()).toMatchObject({
      next: { op: 'tt.store' },
      store: { index: [7], stores: 3 },
    });
    expect(player.move('out')).toEqual(['twice ended']);
    expect(player.debug.state().store).toBeNull();
  });
  it('is not found where a mask leaves it out', () => {
    const player = new Player(TWICE);
    expect(player.toStore(5)).toEqual(['twice ended']);
    expect(player.debug.state().store).toBeNull();
  });
});

describe('in triton.language', () => {
  it('a call is one operation at the user’s line', () => {
    const player = new Player();
    player.move('continue', TOP);
    const { steps } = player.debug.state();
    expect(player.move('op')).toEqual([`scaled ${RETURN}`, `k ${CALL}`]);
    expect(player.debug.state().steps).toBeGreaterThan(steps);
    expect(player.back('op')).toEqual([`scaled ${TOP}`, `k ${CALL}`]);
    expect(player.debug.state().steps).toBe(steps);
  });

  it('a call can be stepped into, and out of', () => {
    const player = new Player();
    player.move('continue', TOP);
    player.move('into');
    const [inside, ...callers] = player.debug.state().frames;
    expect(inside).toMatchObject({ name: 'tl.max', library: true, variables: [] });
    expect(inside!.location!.file).toBe('triton/language/standard.py');
    expect(callers.map(({ name, location }) => [name, location?.line])).toEqual([
      ['scaled', TOP],
      ['k', CALL],
    ]);
    let stack = player.stack;
    for (let i = 0; i < 20 && stack.length > 2; i++) stack = player.move('over');
    expect(stack).toEqual([`scaled ${RETURN}`, `k ${CALL}`]);
  });

  it('no line of it is shown by stepping over or into the lines around it', () => {
    const player = new Player();
    player.move('continue', CALL);
    const seen: string[] = [];
    for (let i = 0; i < 40 && player.debug.state().next; i++) {
      seen.push(player.stack[0]!);
      const { call } = player.debug.state().next!;
      player.move(call?.startsWith('tl.') ? 'over' : 'into');
    }
    expect(seen.filter((frame) => !/^(k|scaled) /.test(frame))).toEqual([]);
    expect(seen).toContain(`scaled ${TOP}`);
    expect(seen).toContain(`k ${STORE}`);
  });
});
