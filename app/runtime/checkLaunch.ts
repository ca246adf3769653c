/**
 * The check mode of a launch: the interpreter runs the IR after every pass on the launch's real
 * inputs, and what the GPU computed is compared with the last IR. Bounded: large launches are
 * checked on their first programs, and then not against the GPU, which ran them all; huge tensors
 * not at all. Each verdict states of how many programs it is. A wrong result of the GPU behind
 * passes that are all right is a finding on `emit`, which prints what the GPU runs.
 */
import { checkPasses, compareMemory } from '../../compiler/interpret/checkPasses';
import type { CheckOptions } from '../../compiler/interpret/checkPasses';
import { describeFailure, runInterpreter, type MemoryStorage } from '../../compiler/interpret';
import type { Func } from '../../compiler/ir/ir';
import type { Compiler, PassObserver } from '../../compiler/pipeline';
import type { CompileRequest, CompilerServices } from '../../compiler/program';
import type { CheckedPass } from '../events';
import { arenaOf, type Engine, type EngineLaunch } from './engine';
import { interpreterArguments, interpreterMemory } from './interpretation';
import { cpuCopy } from './storage';

/** Bytes of all of a launch's tensors, and programs, that are checked. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PROGRAMS = 256;
/** Operations of one pass's run: some seconds. */
const BUDGET = 20_000_000;

export interface LaunchCheck {
  /** To be called when the launch was made. */
  finish(): Promise<readonly CheckedPass[]>;
}

/** Takes the launch's inputs; null where they are too large. Call before the launch. */
export async function checkLaunch(
  engine: Engine,
  launch: EngineLaunch,
  compiler: Compiler,
  request: CompileRequest,
  services: CompilerServices,
): Promise<LaunchCheck | null> {
  const arena = arenaOf(launch);
  const storages = new Set([
    ...launch.leaves.flatMap((leaf) => (leaf.kind === 'pointer' ? [leaf.storage] : [])),
    ...arena,
  ]);
  const bytes = [...storages].reduce((sum, storage) => sum + storage.bytes, 0);
  if (bytes > MOST_BYTES) return null;
  for (const storage of storages) await engine.read(storage);
  const memory = interpreterMemory(launch.leaves, (each) => cpuCopy(each).slice(), arena);
  return {
    finish: async () => {
      for (const storage of storages) await engine.read(storage);
      const results = interpreterMemory(launch.leaves, (each) => cpuCopy(each).slice(), arena);
      return judge(engine, launch, compiler, request, services, memory, results);
    },
  };
}

function judge(
  engine: Engine,
  launch: EngineLaunch,
  compiler: Compiler,
  request: CompileRequest,
  services: CompilerServices,
  memory: readonly MemoryStorage[],
  results: readonly MemoryStorage[],
): CheckedPass[] {
  const { grid } = launch;
  const programs = grid[0] * grid[1] * grid[2];
  const args = interpreterArguments(launch.leaves);
  const all = programs <= MOST_PROGRAMS;
  // `tl.static_print` has printed when the launch was compiled.
  const { print: _, ...quiet } = services;
  let last: Func | null = null;
  let length = 0;
  const passes: CheckedPass[] = checkPasses({
    specialization: request.specialization,
    instrumented: request.options.instrumentation !== undefined,
    compile: (observe, observeThreads) => {
      const each: PassObserver = (record, func) => {
        observe(record, func);
        last = func;
      };
      const result = compiler.compile(request, quiet, each, observeThreads);
      if (result.kind === 'compiled') length = result.log.length;
    },
    args,
    memory,
    grid,
    budget: BUDGET,
    ...(all ? {} : { range: { first: 0, end: MOST_PROGRAMS } }),
  });
  if (!last || length === 0 || !all || engine.info.kind !== 'webgpu') return passes;
  return blameEmit(passes, judgeGpu(last, { args, memory, grid }, results, length));
}

/**
 * The verdicts with the GPU's at their end. Where every pass is right up to the last IR of threads,
 * interpreted for every program that the GPU ran, and the GPU is not, the text is wrong that `emit`
 * printed, or the GPU.
 */
export function blameEmit(passes: readonly CheckedPass[], gpu: CheckedPass): CheckedPass[] {
  const right = passes.every(
    ({ verdict, programs }) =>
      (verdict === 'same' || verdict === 'rounding') && programs === gpu.programs,
  );
  if (!right || gpu.verdict !== 'different') return [...passes, gpu];
  const message = 'interpreted, its IR gives the right result: the WGSL is wrong, or the GPU';
  return [
    ...passes.map((pass) =>
      pass.name === 'emit' ? { ...gpu, index: pass.index, name: pass.name, message } : pass,
    ),
    gpu,
  ];
}

/** The GPU's results beside those of the last IR of tiles. */
function judgeGpu(
  func: Func,
  { args, memory, grid }: Pick<CheckOptions, 'args' | 'memory' | 'grid'>,
  results: readonly MemoryStorage[],
  index: number,
): CheckedPass {
  const expected = memory.map((each) => ({ ...each, bytes: each.bytes.slice() }));
  const programs = grid[0] * grid[1] * grid[2];
  try {
    runInterpreter({ func, args, memory: expected, grid, budget: BUDGET });
    return { index, name: 'gpu', ...compareMemory(func, { args }, expected, results), programs };
  } catch (error) {
    const message = describeFailure(error);
    return { index, name: 'gpu', verdict: 'failed', first: null, message, programs };
  }
}
