import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { launchFor, ramp, requestFor } from '../../compiler/inspect/testing/launches';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { createCompiler, type Compiler } from '../../compiler/pipeline';
import type { Parser } from '../../compiler/1-parse/parser';
import { BASELINE_TARGET } from '../../compiler/target';
import { Inspector } from './inspector';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});
const inspector = (inputs: LaunchInputs): Inspector => {
  const made = new Inspector(compiler, parser, () => Promise.resolve());
  made.setLaunch(inputs);
  return made;
};
const GATHER = `def pick(i_ptr, x_ptr, BLOCK: tl.constexpr):
    i = tl.load(i_ptr + tl.arange(0, BLOCK))
    tl.store(x_ptr + i, 1.0)
`;
const COPY = `def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, tl.load(x_ptr + o))
`;
const copy = (): LaunchInputs =>
  launchFor(
    requestFor(
      parser,
      COPY,
      { x_ptr: '*fp32:16', y_ptr: '*fp32:16', BLOCK: 128 },
      { ...BASELINE_TARGET, subgroupSize: 32 },
    ),
    [2, 1, 1],
    [{ data: ramp(256) }, { data: new Float32Array(256) }],
  );
const without = (inputs: LaunchInputs): LaunchInputs => ({
  ...inputs,
  storages: inputs.storages.map((storage) => ({ ...storage, contents: null })),
});

describe('a launch whose contents were not kept', () => {
  it('is traced where addresses do not depend on them', async () => {
    const answer = await inspector(without(copy())).answer({ kind: 'memory', program: [1, 0, 0] });
    if ('refused' in answer) throw new Error(answer.refused);
    expect(answer.contents).toBe(false);
    expect(answer.tensors[0]).toMatchObject({ reads: 128, span: [128, 255] });
  });
  it('is refused where they do, and by the debugger', async () => {
    const request = requestFor(parser, GATHER, { i_ptr: '*i32', x_ptr: '*fp32', BLOCK: 16 });
    const inputs = launchFor(
      request,
      [1, 1, 1],
      [{ data: new Int32Array(16) }, { data: new Float32Array(16) }],
    );
    const asked = inspector(without(inputs));
    const memory = await asked.answer({ kind: 'memory', program: [0, 0, 0] });
    expect(memory).toHaveProperty('refused', expect.stringContaining('not kept'));
    const debug = await asked.answer({ kind: 'debug', program: [0, 0, 0], pass: 0 });
    expect(debug).toHaveProperty('refused', expect.stringContaining('not kept'));
    const kept = await inspector(inputs).answer({ kind: 'memory', program: [0, 0, 0] });
    expect(kept).not.toHaveProperty('refused');
  });
});

it('counts coalescing with the width of the shader’s declaration', async () => {
  const answer = await inspector(copy()).answer({
    kind: 'coalescing',
    program: [0, 0, 0],
    view: null,
  });
  if ('refused' in answer) throw new Error(answer.refused);
  expect(answer.end).toEqual({ kind: 'complete' });
  // 128 elements, 4 a thread: one subgroup of 32 reads 512 bytes with one instruction.
  expect(
    answer.accesses.map(({ kind, vector, instructions, segments, least }) => ({
      kind,
      vector,
      instructions,
      segments,
      least,
    })),
  ).toEqual([
    { kind: 'load', vector: 4, instructions: 1, segments: 4, least: 4 },
    { kind: 'store', vector: 4, instructions: 1, segments: 4, least: 4 },
  ]);
});

it('answers a raster and an element of the program that was traced', async () => {
  const asked = inspector(copy());
  await asked.answer({ kind: 'memory', program: [1, 0, 0] });
  const window = { pitch: 64, row: 0, column: 0, rows: 4, columns: 64, height: 4, width: 64 };
  const filter = { accesses: null, execution: null };
  const raster = await asked.answer({ kind: 'raster', parameter: 1, window, filter, races: false });
  expect([raster.flags[0], raster.flags[128]]).toEqual([0, 2]);
  const { accesses } = await asked.answer({ kind: 'element', parameter: 1, element: 200 });
  expect(accesses).toEqual([{ access: 1, flags: 2, times: 1, executions: [0] }]);
});

it('can be paused while it steps', async () => {
  const endless = `def spin(x_ptr):
    i = 0
    while i >= 0:
        i = (i + 1) % 1000
    tl.store(x_ptr, i)
`;
  const request = requestFor(parser, endless, { x_ptr: '*i32' });
  const inputs = launchFor(request, [1, 1, 1], [{ data: new Int32Array(1) }]);
  let breaths = 0;
  const asked: Inspector = new Inspector(compiler, parser, () => {
    if (++breaths === 3) asked.pause();
    return Promise.resolve();
  });
  asked.setLaunch(inputs);
  await asked.answer({ kind: 'debug', program: [0, 0, 0], pass: 0 });
  const state = await asked.answer({ kind: 'step', step: 'continue', breakpoints: [] });
  expect(breaths).toBe(3);
  expect(state.next).not.toBeNull();
});
