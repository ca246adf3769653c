/**
 * The state of one kernel's lowering to threads: the builder, the registers that hold each value,
 * and what is known of addresses and memory. The files beside this one lower one kind of operation
 * each.
 */
import { DiagnosticError } from '../diagnostics';
import type { Block, Func, Operation, Value } from '../ir/ir';
import { registerCount } from '../ir/layout';
import type { Location } from '../ir/location';
import { isRematerialized } from '../ir/registerForm';
import { UNKNOWN_LOCATION } from '../ir/location';
import { ThreadBuilder } from '../ir/thread/builder';
import type { ThreadValue } from '../ir/thread/ir';
import { libraryFunction } from '../ir/thread/library/index';
import type { LibraryName } from '../ir/thread/library/index';
import type { Hole } from '../ir/thread/template';
import { memory, number } from '../ir/thread/types';
import type { NumberType } from '../ir/thread/types';
import type { DType, ElementType, TensorType } from '../ir/types';
import { elementOf } from '../ir/types';
import type { CompileRequest } from '../program';
import type { MachineFacts } from '../machine';
import { machineOf } from '../target';
import { Assumptions } from './assumptions';
import { DebugSites } from './debugSites';
import { matrixCount } from './dot/blocks';
import { DotOperands } from './dot/dotOperands';
import { BoundsChecks } from './memory/boundsChecks';
import type { GroupPlan, MemoryPlan } from './memory/groups';
import type { Demanded } from './demandedElements';
import type { Parameters } from './uniforms';
import { registerType } from './registers';
import type { NativeTypes } from './registers';
import { SharedMemory } from './sharedMemory';

export class Lowering {
  readonly b: ThreadBuilder;
  readonly native: NativeTypes;
  readonly threads: number;
  /** Lanes of a subgroup; 0 where the kernel does without. */
  readonly subgroupSize: number;
  /** Set by the first use of a lane operation. */
  usesLanes = false;
  /** Memory that the threads of a program share. */
  readonly shared: SharedMemory;
  readonly machine: MachineFacts;
  /** Facts that hold where code is being lowered. */
  readonly assumptions = new Assumptions();
  readonly checks = new BoundsChecks();
  readonly dots: DotOperands;
  readonly debugSites = new DebugSites();
  /** The block that is being lowered. */
  block: Block | undefined;
  readonly #registers = new Map<Value, readonly ThreadValue[]>();
  readonly #ids = new Map<Value, number>();
  readonly #same = new Map<Value, boolean>();
  readonly #notDemanded = new Map<NumberType, ThreadValue>();
  readonly #buffers = new Map<GroupPlan, ThreadValue>();

  constructor(
    readonly func: Func,
    readonly request: CompileRequest,
    readonly parameters: Parameters,
    readonly memory: MemoryPlan,
    /** Which registers of a value are demanded. */
    readonly demanded: (value: Value) => Demanded,
    /** The scalars that WGSL can prove uniform. */
    readonly uniform: ReadonlySet<Value>,
    /** All registers of a large tile that is rematerialized. */
    private readonly unroll: (t: Lowering, value: Value) => readonly ThreadValue[],
  ) {
    this.native = { f16: request.target.f16 };
    this.machine = machineOf(request.target);
    this.b = new ThreadBuilder(func.name, func.location, this.machine.compilesSlowly);
    this.threads = numberAttribute(func, 'threads') ?? 1;
    this.shared = new SharedMemory(this.b, func, request.target.sharedMemoryInStorage === true);
    this.dots = new DotOperands(func);
    this.subgroupSize = numberAttribute(func, 'subgroupSize') ?? 0;
  }

  get checkBounds(): boolean {
    return this.request.options.checkBounds;
  }

  // ── registers
  // ───────────────────────────────────────────────────────────────────────────────────

  registers(value: Value): readonly ThreadValue[] {
    const found = this.#registers.get(value);
    if (!found && isRematerialized(value)) return this.unroll(this, value);
    const kept = this.arrayOf(value);
    if (kept)
      return Array.from({ length: this.count(value) }, (_, r) => this.b.load(kept, this.b.u32(r)));
    if (!found) throw new Error(`${value.name ?? 'a value'} has no registers yet`);
    return found;
  }
  /** The registers that a value was given; none where it was never lowered. */
  given(value: Value): readonly ThreadValue[] {
    return this.#registers.get(value) ?? [];
  }
  setRegisters(value: Value, registers: readonly ThreadValue[]): void {
    this.#registers.set(value, registers);
  }
  /** The array in which a tile's registers lie (`setArray`); undefined where they have names. */
  arrayOf(value: Value): ThreadValue | undefined {
    const [only] = this.#registers.get(value) ?? [];
    return only?.type.kind === 'memory' ? only : undefined;
  }
  setArray(value: Value, array: ThreadValue): void {
    this.#registers.set(value, [array]);
  }
  /** The register of a scalar. */
  scalar(value: Value): ThreadValue {
    return this.registers(value)[0]!;
  }
  /** A number for the value, the same every time. */
  idOf(value: Value): number {
    const id = this.#ids.get(value) ?? this.#ids.size;
    this.#ids.set(value, id);
    return id;
  }
  /** Whether all registers of a value are one and the same. */
  sameEverywhere(value: Value): boolean {
    let same = this.#same.get(value);
    if (same === undefined) {
      const registers = this.registers(value);
      same = registers.every((register) => register === registers[0]);
      this.#same.set(value, same);
    }
    return same;
  }
  /** Stands for a register that nothing reads. */
  notDemanded(type: NumberType): ThreadValue {
    let found = this.#notDemanded.get(type);
    if (!found) this.#notDemanded.set(type, (found = this.b.placeholder(type)));
    return found;
  }
  isNotDemanded(register: ThreadValue): boolean {
    return register.type.kind === 'number' && this.#notDemanded.get(register.type) === register;
  }
  /** How many registers a value of this type takes in each thread. */
  count(value: Value): number {
    if (value.type.kind === 'fragments') return matrixCount(value.type);
    return value.type.kind === 'tensor' ? registerCount(layoutOf(value)) : 1;
  }
  typeOf(element: ElementType): NumberType {
    return registerType(element, this.native);
  }
  registerTypeOf(value: Value): NumberType {
    return this.typeOf(elementOf(value.type));
  }
  /** A hint for names of a value's registers. */
  hint(value: Value): string {
    return value.name ?? '';
  }

  // ── values
  // ──────────────────────────────────────────────────────────────────────────────────────

  /** An expression in WGSL's syntax over values (`ir/thread/template.ts`). */
  x(strings: TemplateStringsArray, ...holes: readonly Hole[]): ThreadValue {
    return this.b.x(strings, ...holes);
  }
  let(hint: string, value: ThreadValue): ThreadValue {
    return this.b.named(hint, value);
  }
  call(name: LibraryName, ...args: readonly ThreadValue[]): ThreadValue {
    return this.b.call(name, libraryFunction(name)!.result, args);
  }
  select(condition: ThreadValue, yes: ThreadValue, no: ThreadValue): ThreadValue {
    return this.b.value('thread.select', [condition, yes, no]);
  }
  /** Whether all conditions hold; undefined where there are none. Never branches. */
  every(conditions: readonly (ThreadValue | undefined)[]): ThreadValue | undefined {
    const list = conditions.filter((each) => each !== undefined);
    return list.length === 0 ? undefined : list.reduce((a, b) => this.x`${a} & ${b}`);
  }
  /** Whether a condition holds. */
  some(conditions: readonly ThreadValue[]): ThreadValue {
    return conditions.reduce((a, b) => this.x`${a} | ${b}`);
  }
  /** Runs `body` where the condition holds, for its effects; always where there is none. */
  when(condition: ThreadValue | undefined, body: () => void): void {
    if (condition === undefined) return body();
    this.b.if(condition, () => {
      body();
      return [];
    });
  }

  // ── memory
  // ──────────────────────────────────────────────────────────────────────────────────────

  /** The array that a group of pointers is bound to. */
  buffer(group: GroupPlan): ThreadValue {
    let found = this.#buffers.get(group);
    if (!found) {
      const { atomic, element, width, name, written } = group;
      const type = memory('storage', number(element, width), [0], atomic);
      found = this.b.buffer(type, { kind: 'buffer', group: group.group, written }, name);
      this.#buffers.set(group, found);
    }
    return found;
  }
  /** The program's linear index, x fastest. */
  linearProgram(): ThreadValue {
    return this.b.prelude('linear program', 'program_index', () => {
      const [x, y] = ([0, 1] as const).map((axis) => this.b.word({ kind: 'grid', axis }));
      const [i, j, k] = ([0, 1, 2] as const).map((axis) => this.b.programId(axis));
      return this.x`${i!} + ${x!} * (${j!} + ${y!} * ${k!})`;
    });
  }
}

export function numberAttribute(
  owner: { readonly attributes: Readonly<Record<string, unknown>> },
  name: string,
): number | undefined {
  const value = owner.attributes[name];
  return typeof value === 'number' ? value : undefined;
}

/** The layout of a distributed tile. */
export function layoutOf(value: Value): NonNullable<TensorType['layout']> {
  if (value.type.kind !== 'tensor' || !value.type.layout)
    throw new Error(`${value.name ?? 'a value'} is not a distributed tile`);
  return value.type.layout;
}

export function dtypeOfValue(value: Value): DType {
  const element = elementOf(value.type);
  return element.kind === 'pointer' ? 'i32' : element.dtype;
}

/** Stops the lowering with a diagnostic at the operation. */
export function refuse(at: Operation | Location | undefined, code: string, message: string): never {
  const location = at === undefined ? UNKNOWN_LOCATION : 'location' in at ? at.location : at;
  throw new DiagnosticError({ code, severity: 'error', message, location, notes: [] });
}
