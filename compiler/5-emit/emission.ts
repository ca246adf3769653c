/**
 * The state of one kernel's emission: the text so far, which registers hold each value, and what the
 * module must declare. The files beside this one write into it, each one kind of operation.
 */
import { DiagnosticError } from '../diagnostics';
import { walk } from '../ir/ir';
import type { Func, Operation, Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { UNKNOWN_LOCATION } from '../ir/location';
import { registerCount } from '../ir/layout';
import type { DType, ElementType, TensorType } from '../ir/types';
import { elementOf } from '../ir/types';
import { isSoftware } from '../target';
import type { BoundsAccess, CompileRequest, DebugSite } from '../program';
import { matrixCount } from './dot/fragments';
import type { Held } from './dot/overlapped';
import type { HelperName } from './helpers/index';
import type { MemoryPlan } from './memory/groups';
import type { Bounds, Reached } from './memory/bounds';
import type { Reach } from './memory/together';
import type { Needed } from './needed';
import type { NativeTypes, RegisterType } from './registers';
import { AxisAnalysis } from '../4-distribute/axis_analysis';
import { isDirect, repeatedFor } from '../4-distribute/directDots';
import { registerType } from './registers';
import type { Parameters } from './uniforms';
import { Names, Writer } from './writer';

/** Stands for a register that nothing reads (`needed.ts`). */
export const UNNEEDED = 'unneeded';

export class Emission {
  readonly names = new Names();
  readonly writer = new Writer(1);
  readonly native: NativeTypes;
  readonly threads: number;
  /** Lanes of a subgroup; 0 where the kernel does without. */
  readonly subgroupSize: number;
  readonly helpers = new Set<HelperName>();
  readonly accesses: BoundsAccess[] = [];
  /** What is printed and asserted. */
  readonly debugSites: DebugSite[] = [];
  /** Set by the first use of a lane operation. */
  usesLanes = false;
  /** Set by the first use of subgroup matrices. */
  usesMatrices = false;
  usesRuntimeZero = false;
  /** More workgroup variables: name → type. */
  readonly sharedVectors: boolean;
  readonly workgroupVariables = new Map<string, string>();
  /** Bytes of `shared_words` used. */
  sharedBytes = 0;
  /** `shared_words` stand in a storage buffer, the program's own from index `exchange` on. */
  readonly exchange: boolean;
  /** The adapter runs on the CPU. */
  readonly software: boolean;
  /** Histograms count in workgroup memory, wherever the exchange is. */
  readonly counts: boolean;
  /** Functions made for this kernel, by name. */
  readonly functions = new Map<string, string>();
  /** Counters of the largest histogram. */
  histogramWords = 0;
  /** Registers a tile may have in names; larger ones are written as loops (`rolled/`). */
  readonly namedLimit: number;
  /** Large tiles that are computed where they are used. */
  readonly later = new Set<Value>();
  /** Tiles of any size that are computed where they are used: what direct dots read, and its addresses. */
  readonly repeated = new Set<Value>();
  /** What is known of addresses, found when somebody first asks. */
  get axes(): AxisAnalysis {
    this.#axes ??= new AxisAnalysis(this.func);
    return this.#axes;
  }
  #axes: AxisAnalysis | undefined;
  /** The words of pairs of halves that were rounded together. */
  readonly halfWords = new Map<string, string>();
  /** Large tiles that are kept in an array of the function, by its name. */
  readonly kept = new Map<Value, string>();
  /**
   * Accesses of which is known, where code is being written, that nothing is masked or out of range: the
   * index of the vector that the thread's first register begins, where they are in whole vectors.
   */
  readonly free = new Map<Operation, string | undefined>();
  /** Masks that are known to hold there. */
  readonly holds = new Set<Value>();
  /** Left operands of dots that stay in matrices throughout a loop: those of each step along K. */
  readonly hoisted = new Map<Operation, ReadonlyMap<number, readonly string[]>>();
  /** What dots hold that overlap the stores behind them. */
  readonly held = new Map<Operation, Held>();
  /** Barriers that stand elsewhere than the operation. */
  readonly moved = new Set<Operation>();
  /** How far loads go that are issued ahead, by what they read. */
  readonly reached = new Map<string, Reached>();
  /** How far loads of a loop reach that have one test together. */
  readonly reaches = new Map<Operation, Reach>();
  /** How each access tests its range. */
  readonly bounds = new Map<Operation, Bounds>();
  readonly #ids = new Map<Value, number>();
  readonly #same = new Map<Value, boolean>();
  /** Values that hold registers, by what they are called. */
  readonly #registers = new Map<Value, readonly string[]>();
  readonly #prelude = new Map<string, { readonly name: string; readonly text: string }>();
  readonly #preludeNames = new Set<string>();

  constructor(
    readonly func: Func,
    readonly request: CompileRequest,
    readonly parameters: Parameters,
    readonly memory: MemoryPlan,
    /** Which registers of a value are used. */
    readonly needed: (value: Value) => Needed,
    /** The scalars that WGSL can prove uniform. */
    readonly uniform: ReadonlySet<Value>,
    /** All registers of a large tile that is computed where it is used. */
    unroll: (e: Emission, value: Value) => readonly string[],
  ) {
    this.unroll = (value) => unroll(this, value);
    this.native = { f16: request.target.f16 };
    this.exchange = request.target.exchangeInStorage === true;
    this.software = isSoftware(request.target.name);
    this.threads = numberAttribute(func, 'threads') ?? 1;
    let tiles = false;
    let counts = false;
    walk(func.body, (op) => {
      tiles ||= op.name === 'ttg.local_alloc';
      counts ||= op.name === 'tt.histogram';
      if (isDirect(op)) for (const value of repeatedFor(op)) this.repeated.add(value);
    });
    this.counts = counts;
    this.sharedVectors = tiles;
    // Accumulators and their operands pay for any number of names; others are only moved.
    this.namedLimit = numberAttribute(func, 'namedRegisters') ?? (tiles ? 256 : 128);
    this.subgroupSize = numberAttribute(func, 'subgroupSize') ?? 0;
  }

  get checkBounds(): boolean {
    return this.request.options.checkBounds;
  }

  // ── registers ───────────────────────────────────────────────────────────────────────────────────

  /** The registers of a value: expressions that cost nothing to repeat. */
  registers(value: Value): readonly string[] {
    const found = this.#registers.get(value);
    if (!found && this.later.has(value)) return this.unroll(value);
    const kept = this.kept.get(value);
    if (kept) return Array.from({ length: this.count(value) }, (_, r) => `${kept}[${r}]`);
    if (!found) throw new Error(`${value.name ?? 'a value'} has no registers yet`);
    return found;
  }
  readonly unroll: (value: Value) => readonly string[];
  /** The registers that a value was given; none where it was never emitted. */
  named(value: Value): readonly string[] {
    return this.#registers.get(value) ?? [];
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
  /** The register of a scalar. */
  scalar(value: Value): string {
    return this.registers(value)[0]!;
  }
  setRegisters(value: Value, registers: readonly string[]): void {
    this.#registers.set(value, registers);
  }
  /** How many registers a value of this type takes in each thread. */
  count(value: Value): number {
    if (value.type.kind === 'fragments') return matrixCount(value.type);
    return value.type.kind === 'tensor' ? registerCount(layoutOf(value)) : 1;
  }
  typeOf(element: ElementType): RegisterType {
    return registerType(element, this.native);
  }
  registerTypeOf(value: Value): RegisterType {
    return this.typeOf(elementOf(value.type));
  }
  /** A hint for names of a value's registers. */
  hint(value: Value): string {
    return value.name ?? 'v';
  }

  // ── text ────────────────────────────────────────────────────────────────────────────────────────

  /** `let` of an expression; what is already a name or a literal is given back as it stands. */
  let(hint: string, expression: string): string {
    if (/^[\w.]+$/.test(expression)) return expression;
    const name = this.names.fresh(hint);
    this.writer.line(`let ${name} = ${expression};`);
    return name;
  }
  variable(hint: string, type: string, initial?: string): string {
    const name = this.names.fresh(hint);
    this.writer.line(`var ${name}: ${type}${initial === undefined ? '' : ` = ${initial}`};`);
    return name;
  }
  call(helper: HelperName, ...args: readonly string[]): string {
    this.helpers.add(helper);
    return `${helper}(${args.join(', ')})`;
  }
  /** A value computed once at the kernel's start, and named; the same key gives the same name. */
  prelude(key: string, hint: string, text: () => string): string {
    let entry = this.#prelude.get(key);
    if (!entry) {
      const expression = text();
      if (/^\w+$/.test(expression)) return expression;
      entry = { name: this.names.fresh(hint), text: expression };
      this.#prelude.set(key, entry);
      this.#preludeNames.add(entry.name);
    }
    return entry.name;
  }
  isPrelude(name: string): boolean {
    return this.#preludeNames.has(name);
  }
  preludeLines(): string[] {
    return [...this.#prelude.values()].map(({ name, text }) => `let ${name} = ${text};`);
  }
  /** A function of the module, once for each name. */
  define(name: string, text: string): void {
    this.functions.set(name, text);
  }
  /** A workgroup variable of its own, outside of the shared words. */
  workgroupVariable(name: string, type: string): string {
    this.workgroupVariables.set(name, type);
    return name;
  }
  /** After it every thread sees what the others wrote into `shared_words`, and counted. */
  barrier(): void {
    if (!this.exchange || this.counts) this.writer.line('workgroupBarrier();');
    if (this.exchange) this.writer.line('storageBarrier();');
  }
  needBytes(bytes: number): void {
    this.sharedBytes = Math.max(this.sharedBytes, bytes);
  }
  /**
   * How workgroup memory is declared: vectors of words where tiles stand in it, which dots read four at
   * a time, else words.
   */
  sharedType(): string {
    return this.sharedVectors ? 'vec4<u32>' : 'u32';
  }
  sharedLength(): number {
    return Math.ceil(this.sharedBytes / 16) * (this.sharedVectors ? 1 : 4);
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

/** Stops the emission with a diagnostic at the operation. */
export function refuse(at: Operation | Location | undefined, code: string, message: string): never {
  const location = at === undefined ? UNKNOWN_LOCATION : 'location' in at ? at.location : at;
  throw new DiagnosticError({ code, severity: 'error', message, location, notes: [] });
}
