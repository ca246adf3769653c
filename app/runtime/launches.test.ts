/** Outcome of a request to launch, on an engine that only takes notes. */
import { beforeEach, expect, it } from 'vitest';
import type { CompileResult } from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { ProgramEvent } from '../events';
import type { LaunchRequest, LaunchResponse } from '../workers/bridge';
import { CompileCache } from './compileCache';
import type { Engine } from './engine';
import { diagnostic, RuntimeFault } from './errors';
import { InputKeeper } from './launchInputs';
import { Launches } from './launches';
import { PreparedLaunches } from './prepared';
import { RunReport } from './runReport';
import { StorageTable } from './storage';
import { ADD_REQUEST, addKernel, AT, fakeCompiler, program } from './testing';

const lines: string[] = [];
const events: ProgramEvent[] = [];
const storages = new StorageTable(2 ** 20);
const [a, b, out] = [storages.create(64), storages.create(64), storages.create(64)] as const;
let launches: Launches;
let ready: Promise<void> | undefined;
let lost: string | null;
/** The engine that runs now. */
let current: Engine;

function start(inputs: InputKeeper | null = null): void {
  const report = new RunReport(
    (event) => {
      events.push(event);
      lines.push(event.type);
    },
    false,
    () => null,
  );
  const engine: Partial<Engine> = {
    info: { kind: 'webgpu', name: 'notes', vendor: '', architecture: '', reason: null },
    target: BASELINE_TARGET,
    bindingLimit: 7,
    get lost() {
      return lost;
    },
    prepare: () => ready,
    launch: ({ id }) => void lines.push(`run ${id}`),
  };
  current = engine as Engine;
  const failing = (): CompileResult => ({
    kind: 'failed',
    log: [],
    diagnostics: [diagnostic('HC1', 'error', 'no such thing', AT)],
  });
  const compiler = fakeCompiler({ add: addKernel, failing });
  launches = new Launches({
    engine: () => current,
    storages,
    programs: [program('add'), program('failing')],
    compiler,
    cache: new CompileCache(compiler),
    prepared: new PreparedLaunches(),
    callConstexpr: undefined,
    report,
    inputs,
    check: false,
    verify: null,
    sample: null,
    tuner: null,
  });
}
beforeEach(() => {
  lines.length = events.length = 0;
  ready = undefined;
  lost = null;
  start();
});

function request(changed: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    program: 0,
    specialization: ADD_REQUEST.specialization,
    values: [...[a, b, out].map(({ id }) => ({ storage: id, byteOffset: 0 })), { scalar: '16' }],
    grid: [1, 1, 1],
    site: { file: 'a.py', line: 3 },
    labels: ['a', 'b', 'out', 'n'],
    warmup: false,
    ...changed,
  };
}
const launch = async (changed?: Partial<LaunchRequest>): Promise<LaunchResponse & { ok: true }> => {
  const response = await launches.launch(request(changed));
  if (!response.ok) throw new Error(response.message);
  return response;
};
const ids = [a, b, out].map(({ id }) => id);

it('reports a launch before it runs, at once where nothing has to be waited for', () => {
  expect(launches.launch(request())).not.toBeInstanceOf(Promise);
  expect(lines).toEqual(['compile', 'launch', 'run 1']);
  void launches.launch(request());
  expect(lines.slice(3)).toEqual(['launch', 'run 2']);
});

it('waits for its pipeline', async () => {
  let made = (): void => {};
  ready = new Promise((resolve) => (made = resolve));
  const answer = launches.launch(request());
  expect(lines).toEqual(['compile']);
  made();
  await answer;
  expect(lines).toEqual(['compile', 'launch', 'run 1']);
});

it('compiles only, where no more was requested', async () => {
  const answer = await launch({ warmup: true });
  expect(answer.prepared).toBeUndefined();
  ready = Promise.reject(new Error('reported when it is waited for'));
  await launch({ warmup: true, ahead: true });
  expect(lines).toEqual(['compile']);
  expect(launches.facts(answer.key).wgsl).toContain('fn main');
  expect(launches.facts('another').wgsl).toBe('');
});

it('names a specialization without compiling it', async () => {
  const named = await launch({ warmup: true, describe: true });
  await launch({ warmup: true, describe: true });
  expect(lines).toEqual(['specialization']);
  expect(events[0]).toMatchObject({ key: named.key, request: { specialization: { numWarps: 4 } } });
  const compiled = await launch({ warmup: true });
  expect(compiled.key).toBe(named.key);
  expect((await launch({ warmup: true, describe: true })).key).toBe(named.key);
  expect(lines).toEqual(['specialization', 'compile']);
});

it('answers with what the compiler found wrong', () => {
  expect(launches.launch(request({ program: 1 }))).toMatchObject({
    ok: false,
    kind: 'CompilationError',
    message: 'no such thing',
  });
  expect(() => launches.launch(request({ program: 9 }))).toThrow(RuntimeFault);
});

it('launches nothing for an empty grid, and warns of one that CUDA refuses', async () => {
  expect((await launch({ grid: [0, 1, 1] })).prepared).toBeUndefined();
  await launch({ grid: [1, 65_536, 1] });
  expect(lines).toEqual(['compile', 'diagnostic', 'compile', 'diagnostic', 'launch', 'run 1']);
  const codes = events.flatMap((e) => (e.type === 'diagnostic' ? [e.diagnostic.code] : []));
  expect(codes).toEqual(['HC8005', 'HC8006']);
});

it('launches again what it prepared, and requests anew where it cannot', async () => {
  const { prepared } = await launch();
  expect(launches.again(prepared!, ids)).toBeUndefined();
  expect(lines.slice(-2)).toEqual(['launch', 'run 2']);
  expect(launches.again(prepared! + 1, ids)).toBe('anew');
  expect(launches.again(prepared!, [a.id, a.id, out.id])).toBe('anew');
  lost = 'gone';
  expect(launches.again(prepared!, ids)).toBe('anew');
  expect(lines.at(-1)).toBe('run 2');
});

it('launches on the engine that the kernel was compiled for, whichever runs by then', async () => {
  const other = { ...current, info: { ...current.info, kind: 'interpreter' } } as Engine;
  other.launch = () => void lines.push('run elsewhere');
  let made = (): void => {};
  ready = new Promise((resolve) => (made = resolve));
  const answer = launches.launch(request());
  current = other;
  made();
  const response = await answer;
  expect(lines).toEqual(['compile', 'launch', 'run 1']);
  expect(launches.again((response.ok && response.prepared) || 0, ids)).toBe('anew');
});

it("keeps the inputs of the first launch outside of a benchmark, and says which are a benchmark's", async () => {
  const kept: number[] = [];
  start(new InputKeeper(({ launch: id }) => kept.push(id), false));
  launches.benchmark(true);
  launches.benchmark(true);
  const { prepared } = await launch();
  launches.benchmark(false);
  expect(launches.again(prepared!, ids)).toBeUndefined();
  launches.benchmark(false);
  expect(launches.again(prepared!, ids)).toBe('anew');
  await launch();
  expect(kept).toEqual([3]);
  const reported = events.flatMap((event) => (event.type === 'launch' ? [event.benchmark] : []));
  expect(reported).toEqual([true, true, false]);
});
