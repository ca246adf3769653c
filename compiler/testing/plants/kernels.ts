/** For tests: the kernels of `plans.ts`, each compiled, with a small launch. */
import { outline } from '../../1-parse/outline';
import type { Parser } from '../../1-parse/parser';
import { argumentSpec } from '../../2-lower/testing/lowerText';
import type { CheckedLaunch } from '../../interpret/checkOutcome';
import { encodeSmall, roundFloat } from '../../ir/numbers';
import { seededRandom } from '../../ir/seededRandom';
import { createCompiler } from '../../pipeline';
import { DEFAULT_OPTIONS, type CompileRequest } from '../../program';
import { settle } from '../../regroup';
import { BASELINE_TARGET } from '../../target';
import { PLANS, type Plan } from './plans';

export type PlantedKernel = keyof typeof PLANS;
export const PLANTED_KERNELS = Object.keys(PLANS) as readonly PlantedKernel[];

export interface KernelLaunch extends Pick<CheckedLaunch, 'args' | 'memory' | 'grid'> {
  readonly request: CompileRequest;
}

export function plantedKernel(parser: Parser, name: PlantedKernel): KernelLaunch {
  const plan: Plan = PLANS[name];
  const { target = BASELINE_TARGET, choices, instrumentation, grid } = plan;
  const found = outline({ 'k.py': plan.text }, parser).find((each) => each.name === plan.kernel);
  if (!found) throw new Error(`no kernel ${plan.kernel}`);
  let group = 0;
  const specs = plan.signature.split(' ').map((text) => {
    if (text.startsWith('*')) return argumentSpec(text, group++);
    if (text === 'True') return argumentSpec({ constexpr: { kind: 'bool', value: true } }, 0);
    if (Number.isNaN(Number(text))) return argumentSpec(text, 0);
    return argumentSpec({ constexpr: { kind: 'int', value: text } }, 0);
  });
  const options = {
    ...DEFAULT_OPTIONS,
    ...(choices && { choices }),
    ...(instrumentation && { instrumentation }),
  };
  const specialization = { arguments: specs, numWarps: 4 };
  const { result, request } = settle((each) => createCompiler(parser).compile(each), {
    program: found.program,
    specialization,
    target,
    options,
  });
  if (result.kind !== 'compiled') throw new Error(`${name}: ${result.kind}`);
  return { request, ...inputs(plan), grid };
}

/** The same numbers every time. Storages lie far apart: nothing out of range meets another. */
function inputs({ args }: Plan): Pick<KernelLaunch, 'args' | 'memory'> {
  const random = seededRandom(7);
  const memory: { address: number; bytes: Uint8Array<ArrayBuffer> }[] = [];
  const add = (bytes: Uint8Array<ArrayBuffer>): number => {
    const address = 2 ** 20 * (memory.length + 1);
    memory.push({ address, bytes });
    return address;
  };
  const floats = (count: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(Float32Array.from({ length: count }, () => random() * 2 - 1).buffer);
  const values = args.map((arg) => {
    if (typeof arg === 'number') return arg;
    if ('fp32' in arg) return add(floats(arg.fp32));
    if ('table' in arg) {
      const rows = Array.from({ length: arg.table }, () => BigInt(add(floats(32))));
      return add(new Uint8Array(BigInt64Array.from(rows).buffer));
    }
    const half = (): number => encodeSmall('f16', roundFloat('f16', random() * 2 - 1));
    return add(new Uint8Array(Uint16Array.from({ length: arg.fp16 }, half).buffer));
  });
  return { args: values, memory };
}
