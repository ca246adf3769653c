/** For tests: a kernel of a text as a launch that can be interpreted. */
import { outline } from '../../1-parse/outline';
import type { Parser } from '../../1-parse/parser';
import { argumentSpec, type ArgumentText } from '../../2-lower/testing/lowerText';
import { rowMajorStrides } from '../../ir/types';
import { DEFAULT_OPTIONS, type CompileRequest } from '../../program';
import { BASELINE_TARGET, type Target } from '../../target';
import type { LaunchArgument, LaunchInputs } from '../launch';

export const HEADER = 'import triton\nimport triton.language as tl\n\n@triton.jit\n';

/** `int` constexprs are numbers; everything else as `argumentSpec` takes it. */
export function requestFor(
  parser: Parser,
  text: string,
  args: Readonly<Record<string, ArgumentText | number>>,
  target: Target = BASELINE_TARGET,
): CompileRequest {
  const found = outline({ 'k.py': HEADER + text }, parser)[0];
  if (!found) throw new Error('no kernel');
  let group = 0;
  const specs = found.parameters.map(({ name }) => {
    const arg = args[name];
    if (arg === undefined) throw new Error(`no argument ${name}`);
    if (typeof arg === 'number')
      return argumentSpec({ constexpr: { kind: 'int', value: String(arg) } }, 0);
    const pointer = typeof arg === 'string' && arg.startsWith('*');
    return argumentSpec(arg, pointer ? group++ : 0);
  });
  return {
    program: found.program,
    specialization: { arguments: specs, numWarps: 4 },
    target,
    options: DEFAULT_OPTIONS,
  };
}

export type TestArgument =
  number | { readonly data: Float32Array | Int32Array; readonly shape?: readonly number[] };

export function launchFor(
  request: CompileRequest,
  grid: readonly [number, number, number],
  args: readonly TestArgument[],
): LaunchInputs {
  const storages: LaunchInputs['storages'][number][] = [];
  const values = args.map((arg): LaunchArgument => {
    if (typeof arg === 'number') return { kind: 'scalar', value: arg };
    const { buffer, byteOffset, byteLength, length } = arg.data;
    const address = 4096 * (storages.length + 1) * 64;
    const contents = new Uint8Array(buffer, byteOffset, byteLength).slice();
    storages.push({ address, byteLength, contents });
    const shape = arg.shape ?? [length];
    const strides = rowMajorStrides(shape);
    return { kind: 'pointer', address, storage: storages.length - 1, shape, strides };
  });
  return { launch: 1, kernel: 'kernel', key: 'key', request, grid, args: values, storages };
}

export function ramp(count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => i);
}
