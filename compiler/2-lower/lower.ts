/**
 * Syntax tree + specialization → tile IR, with everything inlined. The semantics are those of
 * Triton 3.8's front end: constexpr and tensors, promotion, static and dynamic branches, carried
 * variables.
 */
import { MESSAGES } from './codes';
import type { Diagnostic } from '../diagnostics';
import { DiagnosticError } from '../diagnostics';
import { Func, type ParameterAttributes } from '../ir/ir';
import type {
  ArgumentSpec,
  CompilerServices,
  DebugMode,
  Instrumentation,
  KernelProgram,
  Specialization,
} from '../program';
import type { Parser } from '../1-parse/parser';
import type { FunctionDef } from '../1-parse/syntax';
import { UNKNOWN_LOCATION } from '../ir/location';
import { makeDescriptor } from './builtins/blocks';
import { Context, Reported } from './context';
import { dtypeNamed, irElement, pointerTo, type Dtype } from './dtypes';
import { hiddenParameter } from './calls';
import { callableOf } from './functions';
import { checkAnnotations } from './names';
import { abandon, Abandoned } from './limits';
import { tensorOf } from './semantics/convert';
import { settleLayouts } from './settleLayouts';
import { runFunctionBody } from './statements';
import './builtins';
import { NONE, describe, flatten, int, tuple, type Val } from './values';
import { fromStaticValue } from './staticValues';

type HostDescriptor = NonNullable<Extract<ArgumentSpec, { kind: 'tuple' }>['descriptor']>;

export interface LowerRequest {
  readonly program: KernelProgram;
  readonly specialization: Specialization;
  /** Compile `tl.device_assert` and `assert` (Triton's TRITON_DEBUG). */
  readonly debug?: DebugMode;
  readonly instrumentation?: Instrumentation | undefined;
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
  const cx = new Context(program, services, parser, debug ?? false, specialization);
  let func: Func | undefined;
  try {
    func = lowerKernel(cx, request);
  } catch (error) {
    ended(cx, error);
  }
  return func && !cx.failed
    ? { func, diagnostics: cx.reports.diagnostics }
    : { diagnostics: cx.reports.diagnostics };
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

function lowerKernel(
  cx: Context,
  { program, specialization, instrumentation }: LowerRequest,
): Func {
  cx.builder.location = UNKNOWN_LOCATION;
  const callable = callableOf(cx, program.entry);
  const { definition } = callable;
  const location = definition.nameLocation;
  cx.builder.location = location;
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
  const parameters = bindParameters(cx, definition, specialization.arguments);
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
  if (cx.isGluon && !cx.failed) settleLayouts(cx, block);
  const attributes = {
    numWarps: specialization.numWarps,
    ...(instrumentation ? { instrumentation } : {}),
  };
  const known = parameters.map((own, i) => {
    const { divisibility = 1, ...stated } = cx.facts.get(block.args[i]!) ?? {};
    const most = Math.max(own.divisibility ?? 1, divisibility);
    return { ...own, ...stated, ...(most > 1 ? { divisibility: most } : {}) };
  });
  const own = withoutOwnTensors(known);
  return new Func(definition.name, own, block, location, attributes, cx.bindings);
}

/** Only tensors that several arguments point into are numbered. */
function withoutOwnTensors(known: readonly ParameterAttributes[]): ParameterAttributes[] {
  return known.map((attributes) => {
    const { tensor, ...own } = attributes;
    return known.filter((each) => each.tensor === tensor).length > 1 ? attributes : own;
  });
}

/** Binds the kernel's parameters. Returns the attributes of the block's arguments, in order. */
function bindParameters(
  cx: Context,
  { name, parameters }: FunctionDef,
  specs: readonly ArgumentSpec[],
): ParameterAttributes[] {
  if (parameters.length !== specs.length)
    cx.fail(
      'HC0399',
      MESSAGES.HC0399.parametersSpecialization({
        name,
        count: parameters.length,
        count2: specs.length,
      }),
    );
  const attributes: ParameterAttributes[] = [];
  parameters.forEach((parameter, i) => {
    const given = argumentValue(cx, attributes, parameter.name, specs[i]!);
    const value = parameter.kind === 'keyword-only' ? hiddenParameter(parameter.name) : given;
    cx.frame.scope.set(parameter.name, value);
    cx.frame.defined.add(parameter.name);
    cx.observe(parameter.location, value);
  });
  return attributes;
}

/** The value of one parameter. Each tensor in it becomes an argument of the block. */
function argumentValue(
  cx: Context,
  attributes: ParameterAttributes[],
  name: string,
  spec: ArgumentSpec,
): Val {
  const tensor = (dtype: Dtype, divisible: boolean): Val => {
    attributes.push(divisible ? { divisibility: 16 } : {});
    return tensorOf(cx.builder.block.addArg(irElement(dtype), name), dtype, []);
  };
  switch (spec.kind) {
    case 'constexpr':
      return fromStaticValue(spec.value);
    case 'tuple': {
      const items = spec.items.map((item, i) =>
        argumentValue(cx, attributes, `${name}_${spec.fields?.[i] ?? i}`, item),
      );
      return spec.descriptor ? descriptorOf(cx, items, spec.descriptor) : tuple(items, spec.fields);
    }
    case 'pointer': {
      const element = dtypeOf(cx, spec.dtype);
      const pointer = tensor(pointerTo(element, spec.readonly ?? false), spec.divisibleBy16);
      const vectors = spec.wholeVectors ? { wholeVectors: true } : {};
      attributes.push({ ...attributes.pop(), tensor: spec.group, ...vectors });
      return pointer;
    }
    case 'scalar':
      return tensor(dtypeOf(cx, spec.dtype), spec.divisibleBy16);
    default:
      return spec satisfies never;
  }
}

/** A tensor descriptor made on the host, of its base pointer, sizes and strides. */
function descriptorOf(
  cx: Context,
  items: readonly Val[],
  { blockShape, padding }: HostDescriptor,
): Val {
  const rank = blockShape.length;
  const [base = NONE, ...rest] = items;
  const shape = tuple(rest.slice(0, rank));
  // The last stride is 1 by contract; as a constant it lets addresses be seen to be consecutive.
  const strides = tuple([...rest.slice(rank, -1), int(1)]);
  return makeDescriptor(cx, base, shape, strides, blockShape, padding);
}

/** A pointer's or scalar's dtype by name; `pointer<…>` for a pointer to pointers. */
function dtypeOf(cx: Context, name: string): Dtype {
  const inner = /^(?:pointer<(.*)>|\*(.*))$/.exec(name);
  if (inner) return pointerTo(dtypeOf(cx, inner[1] ?? inner[2] ?? ''));
  return dtypeNamed(name) ?? cx.fail('HC0205', MESSAGES.HC0205.unknownDtype({ name }));
}
