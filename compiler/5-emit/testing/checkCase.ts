/** Runs a random kernel on a GPU and on the interpreter, and says where they differ. */
import type { Parser } from '../../1-parse/parser';
import type { Target } from '../../target';
import { differences, passDifferences } from './differential';
import { BASELINE_TARGET } from '../../target';
import { describeLaunch, fuzzCase } from './fuzzCase';
import type { FuzzInput, FuzzOptions } from './fuzzCase';

export interface FuzzDevice {
  readonly device: GPUDevice;
  readonly target: Target;
}

/** `gpu`: without one, the passes alone are checked. Throws with the kernel, the launch and what differs. */
export async function checkCase(
  input: FuzzInput,
  gpu: FuzzDevice | undefined,
  parser: Parser,
  options: FuzzOptions,
): Promise<void> {
  const test = fuzzCase(input, gpu?.target ?? BASELINE_TARGET, parser, options);
  let problem: string;
  try {
    const { make, args, grid, tolerance, launch, target } = test;
    const found = gpu
      ? await differences({ device: gpu.device, target }, make, args, grid, tolerance, launch)
      : passDifferences(target, make, args, grid, tolerance, launch);
    if (found.length === 0) return;
    const some = found.slice(0, 5).map((d) => JSON.stringify(d, bigints));
    problem = `${found.length} elements differ, as ${some.join('\n')}`;
  } catch (error) {
    problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  throw new Error(`${problem}\n${describeLaunch(test)}\n${test.description}`);
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value;
}
