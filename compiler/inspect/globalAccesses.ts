/**
 * The coalescing of one program of a launch, with the lanes of the adapter or as on a GPU with 32.
 * A software adapter has four lanes, or runs a program in one thread: what coalesces there says
 * nothing of a GPU. So the same kernel is compiled for a target with 32 lanes, and the addresses of
 * the launch are counted under that kernel's layouts.
 */
import type { Diagnostic } from '../diagnostics';
import type { Func, Operation } from '../ir/ir';
import { unitBytes } from '../interpret/workgroup/memory';
import { memoryOf as typeOfMemory } from '../ir/thread/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { Compiler } from '../pipeline';
import type { ArgumentSpec, CompiledKernel, CompileRequest } from '../program';
import type { Target } from '../target';
import { CoalescingCounter, type Coalescing } from './coalescing';
import { REFERENCE_LANES } from './constants';
import { GPU_FACTS } from '../machine';
import { argumentValues, linearProgram, memoryOf, programCount, type LaunchInputs } from './launch';
import { distribute, type Distributed } from './layouts';
import { operandNames } from './operands';
import { ownPlace } from './places';
import { parameterOf, traceAccesses, type TraceEnd } from './trace';

/** Whose lanes are counted: the adapter's, or those of a GPU with `REFERENCE_LANES`. */
export type LaneView = 'own' | 'reference';

/** How the adapter of the launch runs the kernel. */
export interface OwnLanes {
  readonly adapter: string;
  /** Lanes of a subgroup; null: the adapter reports none. */
  readonly lanes: number | null;
  /** Programs that a workgroup runs, one thread each; 1: a program has all of its threads. */
  readonly programs: number;
}

/** An access, in the words of the program. */
export interface GlobalAccess extends Coalescing {
  /** The program's name of the pointer: `a_ptrs`, `x_ptr + offsets`. */
  readonly operand: string | null;
}

export interface CoalescingReport {
  readonly accesses: readonly GlobalAccess[];
  readonly end: TraceEnd;
  readonly view: LaneView;
  /** Lanes of a subgroup, as they were counted. */
  readonly lanes: number;
  readonly own: OwnLanes;
}

export interface CoalescingQuestion {
  readonly inputs: LaunchInputs;
  readonly program: readonly [number, number, number];
  /** The kernel before any pass. */
  readonly lowered: Func;
  /** Null: the adapter's, unless they are too few to say something of a GPU. */
  readonly view: LaneView | null;
}

/** With fewer, what one instruction touches fits into a segment or two, whatever the addresses. */
const FEW_LANES = 16;
const BUDGET = 5_000_000;
/** For a parameter without a known binding. */
const WORD_BYTES = 4;

export function coalescingOf(
  compiler: Compiler,
  question: CoalescingQuestion,
): CoalescingReport | { readonly diagnostics: readonly Diagnostic[] } {
  const { request } = question.inputs;
  const compiled = distribute(compiler, request);
  if (!('func' in compiled)) return compiled;
  const own = ownLanes(request.target, compiled.kernel);
  const view = question.view ?? defaultView(own);
  if (view === 'own') return { ...count(compiled, question), view, own };
  const reference = distribute(compiler, referenceRequest(request));
  if ('func' in reference) return { ...count(reference, question), view, own };
  const reason = reference.diagnostics[0]?.message ?? 'its tensors cannot be bound';
  const message = `the kernel does not compile for a GPU with ${REFERENCE_LANES} lanes: ${reason}`;
  return { accesses: [], end: { kind: 'failed', message }, lanes: REFERENCE_LANES, view, own };
}

function ownLanes({ name, subgroupSize }: Target, { programs }: CompiledKernel): OwnLanes {
  return { adapter: name, lanes: subgroupSize === 'none' ? null : subgroupSize, programs };
}

export function defaultView({ lanes, programs }: OwnLanes): LaneView {
  return lanes === null || lanes < FEW_LANES || programs > 1 ? 'reference' : 'own';
}

/**
 * The same kernel for a GPU: the adapter's limits and types, 32 lanes, nothing that suits a CPU.
 */
function referenceRequest(request: CompileRequest): CompileRequest {
  const { choices: _, ...options } = request.options;
  return {
    ...request,
    options: { ...options, manyPrograms: false },
    target: {
      ...request.target,
      name: `a GPU with ${REFERENCE_LANES} lanes`,
      subgroupSize: REFERENCE_LANES,
      subgroupSizeControl: false,
      sharedMemoryInStorage: false,
      slicedLaunches: false,
      machine: GPU_FACTS,
      subgroupMatrices: [],
    },
  };
}

function count(
  { func, threads, request }: Distributed,
  { inputs, program, lowered }: CoalescingQuestion,
): Pick<CoalescingReport, 'accesses' | 'end' | 'lanes'> {
  const { files } = inputs.request.program;
  const operandOf = operandNames(lowered, files);
  const widest = (op: Operation): number => widestAccess(threads, request, parameterOf(op, func));
  const { programs } = threads;
  const counter = new CoalescingCounter(func, { widest, programs });
  // Programs of one thread are in step with those of their workgroup.
  const first = Math.floor(linearProgram(inputs.grid, program) / programs) * programs;
  const end = traceAccesses({
    func,
    args: argumentValues(inputs),
    memory: memoryOf(inputs),
    grid: inputs.grid,
    range: { first, end: Math.min(first + programs, programCount(inputs)) },
    budget: BUDGET,
    onAccess: (op, addresses, mask, at) =>
      counter.add(op, addresses, mask, linearProgram(inputs.grid, at) - first),
  });
  const accesses = [...counter.results].map(([op, access]) => ({
    ...access,
    operand: operandOf(op),
    location: ownPlace(access.location, files),
  }));
  return { accesses, end, lanes: counter.lanes };
}

/**
 * Bytes of the widest read or write through the binding of a parameter: one element of its array.
 */
function widestAccess(
  { func }: ThreadKernel,
  { specialization }: CompileRequest,
  parameter: number | null,
): number {
  const groups: number[] = [];
  const walk = (specs: readonly ArgumentSpec[]): void =>
    specs.forEach((spec) => {
      if (spec.kind === 'tuple') walk(spec.items);
      else if (spec.kind === 'pointer') groups.push(spec.group);
      else if (spec.kind === 'scalar') groups.push(-1);
    });
  walk(specialization.arguments);
  const group = parameter === null ? -1 : groups[parameter];
  const binding = func.parameters.findIndex(
    (each) => each.kind === 'buffer' && each.group === group,
  );
  if (binding < 0) return WORD_BYTES;
  const { element } = typeOfMemory(func.body.args[binding]!);
  return element.size * unitBytes(element.scalar);
}
