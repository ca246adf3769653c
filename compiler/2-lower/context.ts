/**
 * The state of one lowering: where operations go, which function's body is being read, what was
 * reported. Errors are thrown as `DiagnosticError` and caught at the statement, so that several
 * show.
 */
import { DiagnosticError, type Diagnostic } from '../diagnostics';
import { Builder } from '../ir/builder';
import {
  Block,
  type Binding,
  type Operation,
  type ParameterAttributes,
  type Value,
} from '../ir/ir';
import type { Location } from '../ir/location';
import type { Parser } from '../1-parse/parser';
import type { Expression } from '../1-parse/syntax';
import type { CompilerServices, DebugMode, KernelProgram, Specialization } from '../program';
import { MESSAGES, type Code } from './codes';
import { abandon, checkValue, MAX_OPERATIONS, MAX_REGIONS, MAX_STEPS } from './limits';
import { showDtype } from './dtypes';
import { Reports } from './reports';
import { describe, flatten, isTensor, type Callable, type Invalid, type Val } from './values';

/** One function's activation: its names and where it was called. */
export interface Frame {
  readonly callable: Callable;
  /** The call that inlined it; undefined for the kernel. */
  readonly inlinedAt: Location | undefined;
  scope: Map<string, Val>;
  /** Names assigned since the innermost region began. */
  defined: Set<string>;
  /** Names annotated without a value: `x: tl.constexpr`. */
  readonly annotated: Set<string>;
  /** How many dynamic loops of this function enclose the statement. */
  loops: number;
  readonly depth: number;
}

/** Thrown where the cause was already reported. */
export class Reported extends Error {}

interface Extra {
  readonly notes?: Diagnostic['notes'];
  readonly fix?: Diagnostic['fix'];
  readonly at?: Location;
}

/** Kinds of values that say nothing about data. */
const UNSEEN: ReadonlySet<Val['kind']> = new Set([
  ...(['triton', 'function', 'constexpr_function', 'builtin', 'method', 'module'] as const),
  ...(['namedtuple', 'class', 'header', 'invalid', 'slice'] as const),
]);

export class Context {
  readonly builder: Builder;
  readonly reports = new Reports();
  readonly bindings = new Map<Operation | Block, Binding[]>();
  frame!: Frame;
  /** Facts about the kernel's parameters, from `tl.assume`. */
  readonly facts = new Map<Value, ParameterAttributes>();
  readonly #ignored = new Set<string>();
  #ignoredAt: Location | null = null;
  /** The statement that is an expression, being evaluated: nothing takes its value. */
  unused: Expression | null = null;
  #steps = 0;
  #regions = 0;

  constructor(
    readonly program: KernelProgram,
    readonly services: CompilerServices,
    readonly parser: Parser,
    readonly debug: DebugMode,
    readonly launch: Omit<Specialization, 'arguments'>,
  ) {
    this.builder = new Builder(new Block());
  }

  /** Whether the kernel is written in Gluon. */
  get isGluon(): boolean {
    return this.program.functions[this.program.entry]?.gluon === true;
  }
  get location(): Location {
    return this.builder.location;
  }
  /** A span of the function being read, with the chain of calls that led here. */
  locate(span: Location): Location {
    const { inlinedAt } = this.frame;
    return inlinedAt ? { ...span, inlinedAt } : span;
  }
  /** Runs `body` with operations and errors located at `span`. */
  at<T>(span: Location, body: () => T): T {
    const outer = this.builder.location;
    this.builder.location = this.locate(span);
    if (++this.#steps > MAX_STEPS || this.builder.created > MAX_OPERATIONS) this.#tooLarge();
    const result = body();
    // On an error the innermost location stays, for faults of ours.
    this.builder.location = outer;
    return result;
  }

  /**
   * Whether additions, subtractions and products of the user's integers are checked; not our
   * library's.
   */
  get checksOverflow(): boolean {
    return this.debug === true && !this.location.file.startsWith('triton/');
  }
  /** The place where the user can act: inside our own library, the call to it. */
  userLocation(location: Location): Location {
    let at = location;
    while (at.file.startsWith('triton/') && at.inlinedAt) at = at.inlinedAt;
    return at;
  }
  fail(code: Code, message: string, extra: Extra = {}): never {
    throw new DiagnosticError(this.make(code, 'error', message, extra));
  }
  report(diagnostic: Diagnostic): void {
    this.reports.add(diagnostic);
  }
  /** Place where a few lines are unrolled or inlined into more than can be compiled. */
  #tooLarge(): never {
    const { created } = this.builder;
    const what = created > MAX_OPERATIONS ? `${created} operations` : `${this.#steps} expressions`;
    return abandon(
      this,
      `the kernel is too large: unrolling and inlining have come to ${what}. Use range in place of ` +
        'tl.static_range, or smaller constants',
    );
  }
  /** The kernel gives a hint that changes nothing. */
  ignore(hint: string): void {
    if (this.#ignored.size === 0) this.#ignoredAt = this.location;
    this.#ignored.add(hint);
  }
  /** Says which hints of the kernel change nothing, once. */
  reportIgnored(kernel: string): void {
    if (!this.#ignoredAt) return;
    const hints = [...this.#ignored].join(', ');
    const have = this.#ignored.size > 1 ? 'have' : 'has';
    const message = MESSAGES.HC0906.noEffect({ hints, have, kernel });
    this.report(this.make('HC0906', 'info', message, { at: this.#ignoredAt }));
  }
  inform(code: Code, message: string): void {
    this.report(this.make(code, 'info', message, {}));
  }
  warn(code: Code, message: string, extra: Extra = {}): void {
    this.report(this.make(code, 'warning', message, extra));
  }
  private make(
    code: Code,
    severity: Diagnostic['severity'],
    message: string,
    extra: Extra,
  ): Diagnostic {
    const location = this.userLocation(extra.at ?? this.location);
    const notes = [...(extra.notes ?? [])];
    for (let call = location.inlinedAt; call; call = call.inlinedAt)
      notes.push({ message: 'called', location: call });
    return { code, severity, message, location, notes, ...(extra.fix ? { fix: extra.fix } : {}) };
  }
  get failed(): boolean {
    return this.reports.errors > 0;
  }

  /**
   * Reports the value at `span` to an observer: values, not the functions and modules that name
   * them.
   */
  observe(span: Location, value: Val): void {
    if (!this.services.observe || UNSEEN.has(value.kind)) return;
    this.services.observe({
      location: this.locate(span),
      type: describe(value),
      tensor: isTensor(value) ? { handle: value.handle, dtype: showDtype(value.dtype) } : null,
    });
  }

  set(name: string, value: Val): void {
    checkValue(this, value);
    // The printer's names for values come from the program's.
    const handles = flatten(value);
    handles.forEach((handle, i) => {
      handle.name ??= handles.length === 1 ? name : `${name}_${i}`;
    });
    this.note(name, value);
    this.frame.scope.set(name, value);
    this.frame.defined.add(name);
  }

  /**
   * Says that from here on a name of the user's means a value; our library's names are nobody's.
   */
  note(name: string, value: Val): void {
    if (this.location.file.startsWith('triton/')) return;
    const { block } = this.builder;
    const place = block.first ? block.terminator : block;
    const noted = this.bindings.get(place) ?? [];
    const { inlinedAt } = this.frame;
    const handles = flatten(value);
    handles.forEach((handle, i) =>
      noted.push({ name: handles.length === 1 ? name : `${name}_${i}`, inlinedAt, value: handle }),
    );
    if (noted.length > 0) this.bindings.set(place, noted);
  }

  /** Runs `body` in a copy of the names; gives back what it defined, and restores the names. */
  subRegion<T>(
    block: Block,
    body: () => T,
  ): { result: T; scope: Map<string, Val>; defined: Set<string> } {
    const { frame } = this;
    if (this.#regions >= MAX_REGIONS)
      abandon(this, `the kernel has more than ${MAX_REGIONS} branches and loops in each other`);
    this.#regions++;
    const outer = { scope: frame.scope, defined: frame.defined };
    const annotated = new Set(frame.annotated);
    frame.scope = new Map(frame.scope);
    frame.defined = new Set();
    try {
      const result = this.builder.inside(block, body);
      return { result, scope: frame.scope, defined: frame.defined };
    } finally {
      this.#regions--;
      frame.scope = outer.scope;
      frame.defined = outer.defined;
      frame.annotated.clear();
      for (const name of annotated) frame.annotated.add(name);
    }
  }
}

/**
 * Gives those of the names that are a loop's counter, after its loop, the value that Python gives
 * them: before something assigns them again on one path only.
 */
export function settle(cx: Context, names: Iterable<string>): void {
  const { scope } = cx.frame;
  for (const name of names) {
    const value = scope.get(name);
    if (value?.kind === 'invalid' && value.recover) scope.set(name, value.recover(true));
  }
}

export function invalid(message: string | null): Invalid {
  return { kind: 'invalid', message };
}
