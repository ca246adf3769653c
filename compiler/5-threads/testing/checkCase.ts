/**
 * Runs a random kernel on a GPU and on the interpreter, and says where they differ, and behind
 * which pass they do so first.
 */
import type { Parser } from '../../1-parse/parser';
import { DiagnosticError } from '../../diagnostics';
import type { Target } from '../../target';
import { differences, passDifferences } from './differential';
import { KINDS } from '../../testing/gallery';
import { describeLaunch, fuzzCase } from './fuzzCase';
import type { FuzzInput, FuzzOptions } from './fuzzCase';
import { describeGuilty, guiltyPass } from './guiltyPass';

export interface FuzzDevice {
  readonly device: GPUDevice;
  readonly target: Target;
}

/**
 * `gpu`: without one, the passes alone are checked, for one kind of target or another. Throws with
 * the kernel, the launch, what differs, and the first pass behind which it does.
 * @returns whether it ran: the compiler may refuse it
 */
export async function checkCase(
  input: FuzzInput,
  gpu: FuzzDevice | undefined,
  parser: Parser,
  options: FuzzOptions,
): Promise<boolean> {
  const test = fuzzCase(input, gpu?.target ?? KINDS[input.launch % KINDS.length]!, parser, options);
  let problem: string;
  try {
    const { make, args, grid, tolerance, launch, target } = test;
    const found = gpu
      ? await differences({ device: gpu.device, target }, make, args, grid, tolerance, launch)
      : passDifferences(target, make, args, grid, tolerance, launch);
    if (found.length === 0) return true;
    const some = found.slice(0, 5).map((d) => JSON.stringify(d, bigints));
    problem = `${found.length} elements differ, as ${some.join('\n')}`;
  } catch (error) {
    // Refused there with the reason: minutes to compile, or no meaning in the ring.
    if (error instanceof DiagnosticError && /HC051[01]/.test(error.diagnostic.code)) return false;
    problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const guilty = describeGuilty(guiltyPass(test));
  throw new Error(`${guilty}\n${problem}\n${describeLaunch(test)}\n${test.description}`);
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value;
}
