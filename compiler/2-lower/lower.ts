/**
 * Syntax tree + specialization → tile IR, with everything inlined. The semantics are those of
 * Triton 3.8's front end: constexpr and tensors, promotion, static and dynamic branches, carried
 * variables.
 */
import { MESSAGES } from './codes';
import type { Diagnostic } from '../diagnostics';
import { DiagnosticError } from '../diagnostics';
import { Func, type ParameterAttributes, type Value } from '../ir/ir';
import type {
  ArgumentSpec,
  CompilerServices,
  DebugMode,
  KernelProgram,
  Specialization,
} from '../program';
import type { Parser } from '../1-parse/parser';
import { UNKNOWN_LOCATION } from '../ir/location';
import { makeDescriptor } from './builtins/blocks';
import { Context, Reported } from './context';
import { dtypeNamed, irElement, pointerTo, type Dtype } from './dtypes';
import { hiddenParameter } from './calls';
import { callableOf } from './functions';
import { checkAnnotations } from './names';
import { abandon, Abandoned } from './limits';
import { tensorOf } from './semantics/convert';
import { runFunctionBody } from './statements';
import './builtins';
import { NONE, describe, flatten, int, tuple, type Val } from './values';
import { fromStaticValue } from './staticValues';

export interface LowerRequest {
  readonly program: KernelProgram;
  readonly specialization: Specialization;
  /** Compile `tl.device_assert` and `assert` (Triton's TRITON_DEBUG). */
  readonly debug?: DebugMode;
}
export interface LowerResult {
  /** Absent if there are errors. */
  readonly func?: Func;
  readonly diagnostics: readonly Diagnostic[];
}

/** Never throws for what the program does: errors are diagnostics. */
export function lower(
  request: LowerRequest,
  services: CompilerServices,
  parser: Parser,
): LowerResult {
  const { program, specialization, debug } = request;
  const cx = new Context(program, services, parser, debug ?? false, specialization.numWarps);
  let func: Func | undefined;
  try {
    func = lowerKernel(cx, request);
  } catch (error) {
    ended(cx, error);
  }
  return func && !cx.failed
    ? { func, diagnostics: cx.diagnostics }
    : { diagnostics: cx.diagnostics };
}

/** Says what ended the lowering, unless it was said. */
function ended(cx: Context, error: unknown): void {
  if (error instanceof Reported || error instanceof Abandoned) return;
  try {
    if (error instanceof DiagnosticError) cx.report(error.diagnostic);
    else if (isStackOverflow(error)) abandon(cx, 'the kernel is nested too deeply to compile');
    else cx.report(fault(cx, error));
  } catch (again) {
    if (!(again instanceof Abandoned)) throw again;
  }
}

/** Inlined calls inside of expressions inside of calls: each is bounded, not what they come to. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /call stack|too much recursion/i.test(error.message);
}

function fault(cx: Context, error: unknown): Diagnostic {
  const text = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return {
    code: 'HC0399',
    severity: 'error',
    message: `fault of this compiler: ${text}`,
    location: cx.location,
    notes: [{ message: stack.split('\n').slice(1, 6).join('\n') }],
  };
}

function lowerKernel(cx: Context, request: LowerRequest): Func {
  const { program, specialization } = request;
  cx.builder.location = UNKNOWN_LOCATION;
  const callable = callableOf(cx, program.entry);
  const { definition } = callable;
  const location = definition.nameLocation;
  cx.builder.location = location;
  const parameters: ParameterAttributes[] = [];
  const block = cx.builder.block;
  cx.frame = {
    callable,
    inlinedAt: undefined,
    scope: new Map(),
    defined: new Set(),
    annotated: new Set(),
    loops: 0,
    depth: 0,
  };
  const argument = (name: string, dtype: Dtype, divisible: boolean): Val => {
    parameters.push(divisible ? { divisibility: 16 } : {});
    const value: Value = block.addArg(irElement(dtype), name);
    return tensorOf(value, dtype, []);
  };
  const bind = (name: string, spec: ArgumentSpec): Val => {
    switch (spec.kind) {
      case 'constexpr':
        return fromStaticValue(spec.value);
      case 'tuple': {
        const items = spec.items.map((item, i) => bind(`${name}_${spec.fields?.[i] ?? i}`, item));
        if (!spec.descriptor) return tuple(items, spec.fields);
        const { blockShape, padding } = spec.descriptor;
        const rank = blockShape.length;
        const [base = NONE, ...rest] = items;
        const shape = tuple(rest.slice(0, rank));
        // The last stride is 1 by contract; as a constant it lets addresses be seen to be
        // consecutive.
        const strides = tuple([...rest.slice(rank, -1), int(1)]);
        return makeDescriptor(cx, base, shape, strides, blockShape, padding);
      }
      case 'pointer':
        return argument(
          name,
          pointerTo(dtypeOf(cx, spec.dtype), spec.readonly ?? false),
          spec.divisibleBy16,
        );
      case 'scalar':
        return argument(name, dtypeOf(cx, spec.dtype), spec.divisibleBy16);
      default:
        return spec satisfies never;
    }
  };
  if (definition.parameters.length !== specialization.arguments.length)
    cx.fail(
      'HC0399',
      MESSAGES.HC0399.parametersSpecialization({
        name: definition.name,
        count: definition.parameters.length,
        count2: specialization.arguments.length,
      }),
    );
  definition.parameters.forEach((parameter, i) => {
    const given = bind(parameter.name, specialization.arguments[i]!);
    const value = parameter.kind === 'keyword-only' ? hiddenParameter(parameter.name) : given;
    cx.frame.scope.set(parameter.name, value);
    cx.frame.defined.add(parameter.name);
    cx.observe(parameter.location, value);
  });
  checkAnnotations(cx);
  const result = runFunctionBody(cx, definition.body);
  cx.reportIgnored(definition.name);
  // A compile-time value is nothing in the code: Triton lets it be.
  if (flatten(result).length > 0 && !cx.failed)
    cx.fail(
      'HC0220',
      MESSAGES.HC0220.kernelCannotReturn({ name: definition.name, result: describe(result) }),
    );
  cx.builder.location = location;
  cx.builder.create('tt.return', [], []);
  const attributes = { numWarps: specialization.numWarps };
  return new Func(definition.name, parameters, block, location, attributes, cx.bindings);
}

/** A pointer's or scalar's dtype by name; `pointer<…>` for a pointer to pointers. */
function dtypeOf(cx: Context, name: string): Dtype {
  const inner = /^(?:pointer<(.*)>|\*(.*))$/.exec(name);
  if (inner) return pointerTo(dtypeOf(cx, inner[1] ?? inner[2] ?? ''));
  return dtypeNamed(name) ?? cx.fail('HC0205', MESSAGES.HC0205.unknownDtype({ name }));
}
