/**
 * Facts about each expression of a kernel in one specialization: the tile's shape and dtype, its
 * layout, the facts of axis analysis, and, of loads and stores, the mask and the bytes.
 * Gathered while the kernel is compiled; plain data, for hovers and inlay hints.
 */
import { AxisAnalysis } from '../4-distribute/axis_analysis';
import { accessKind, maskOf, type AccessKind } from '../ir/access';
import { type Func, isLoop, type Operation, type Value, walk } from '../ir/ir';
import { registerRun } from '../ir/layoutAlgebra';
import { registerCount, type Layout } from '../ir/layout';
import type { Location } from '../ir/location';
import { byteSize, elementCount, elementOf, shapeOf, type ElementType } from '../ir/types';
import type { Compiler } from '../pipeline';
import type { CompileRequest, CompileResult, Observed } from '../program';

export interface AxisFact {
  readonly contiguity: readonly number[];
  readonly divisibility: readonly number[];
  readonly constancy: readonly number[];
}

export interface LayoutFact {
  /** Elements that each thread holds. */
  readonly registers: number;
  readonly lanes: number;
  readonly subgroups: number;
  /** For each dimension, how many neighbours a thread holds in a row. */
  readonly runs: readonly number[];
}

export interface AccessFact {
  readonly kind: AccessKind;
  /**
   * For all elements together, a program and an iteration of its loops: the most, as a mask may
   * leave some out.
   */
  readonly bytes: number;
  readonly elements: number;
  readonly elementBytes: number;
  /** The mask as written; '' where the compiler made it (block pointers, descriptors). */
  readonly mask: string | null;
  /** Elements that the mask treats alike, per dimension. */
  readonly maskConstancy: readonly number[] | null;
  /** Elements that a thread moves at once; null where it was not compiled so far. */
  readonly vector: number | null;
  /** It stands in a loop. */
  readonly repeated: boolean;
}

/** One meaning of an expression. */
export interface FactInstance {
  /** `fp32[128, 64]`, `constexpr[4]`. */
  readonly type: string;
  readonly shape: readonly number[] | null;
  readonly axis: AxisFact | null;
  readonly layout: LayoutFact | null;
  readonly access: AccessFact | null;
  /** The calls that inlined it, innermost first. */
  readonly calls: readonly { readonly file: string; readonly line: number }[];
  /** How many times the compiler met it so: rounds of unrolled loops. */
  readonly count: number;
}

export interface ExpressionFact {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly instances: readonly FactInstance[];
}

export interface CompiledWithFacts {
  readonly result: CompileResult;
  readonly facts: readonly ExpressionFact[];
}

/** Meanings of one expression that are kept: a helper may be inlined a thousand times. */
const MAX_INSTANCES = 24;

/** Compiles, and gathers on the way. */
export function compileWithFacts(compiler: Compiler, request: CompileRequest): CompiledWithFacts {
  const { files } = request.program;
  let observed: Observed[] = [];
  let gathered: Draft[] = [];
  let last: Func | null = null;
  const result = compiler.compile(
    request,
    {
      observe: (each) => {
        // An expression of the compiler's own library is nobody's.
        if (Object.hasOwn(files, each.location.file)) observed.push(each);
      },
    },
    (record, func) => {
      if (record.phase === 'lower') {
        gathered = gather(observed, func, files);
        // A second attempt begins anew.
        observed = [];
      }
      last = func;
    },
  );
  return { result, facts: finish(gathered, last) };
}

interface Draft {
  readonly location: Location;
  readonly instance: Omit<FactInstance, 'layout' | 'count'>;
  /**
   * Place of the operation of its value, and the value's name: how it is found after the passes.
   */
  readonly definition: string | null;
  readonly name: string | undefined;
  /** Place of its access. */
  readonly accessed: string | null;
}

const keyOf = ({ file, line, column, endLine, endColumn, inlinedAt }: Location): string =>
  `${file}:${line}:${column}-${endLine}:${endColumn}${inlinedAt ? ` < ${keyOf(inlinedAt)}` : ''}`;

/** The user's expression: a descriptor's load is made of ones in the library. */
function accessKey(location: Location): string {
  let at = location;
  while (at.file.startsWith('triton/') && at.inlinedAt) at = at.inlinedAt;
  return keyOf(at);
}

/** While the lowered IR is as it was made. */
function gather(
  observed: readonly Observed[],
  func: Func,
  files: Readonly<Record<string, string>>,
): Draft[] {
  const axes = new AxisAnalysis(func);
  const live = new Set<Value>(func.body.args);
  const accesses = new Map<string, Operation>();
  walk(func.body, (op) => {
    for (const value of op.results) live.add(value);
    for (const region of op.regions) for (const arg of region.args) live.add(arg);
    if (accessKind(op) !== null) accesses.set(accessKey(op.location), op);
  });
  const drafts: Draft[] = [];
  for (const { location, type, tensor } of observed) {
    // Loops are read twice to find what they carry; the first reading was thrown away.
    if (tensor && !live.has(tensor.handle)) continue;
    const access = accesses.get(keyOf(location));
    const handle = tensor?.handle;
    const calls: { file: string; line: number }[] = [];
    for (let at = location.inlinedAt; at; at = at.inlinedAt)
      calls.push({ file: at.file, line: at.line });
    drafts.push({
      location,
      instance: {
        type,
        shape: handle ? shapeOf(handle.type) : null,
        axis: handle ? axisOf(axes, handle) : null,
        access: access ? accessOf(axes, access, files) : null,
        calls,
      },
      definition: handle?.definition ? keyOf(handle.definition.location) : null,
      name: handle?.name,
      accessed: access ? keyOf(access.location) : null,
    });
  }
  return drafts;
}

/** For integers and pointers; nothing is derived about floats. */
function axisOf(axes: AxisAnalysis, value: Value): AxisFact | null {
  const element = elementOf(value.type);
  if (element.kind === 'scalar' && !/^i(8|16|32|64|1)$/.test(element.dtype)) return null;
  const { contiguity, divisibility, constancy } = axes.of(value);
  return { contiguity, divisibility, constancy };
}

function accessOf(
  axes: AxisAnalysis,
  op: Operation,
  files: Readonly<Record<string, string>>,
): AccessFact {
  const pointer = op.operand(0);
  const mask = maskOf(op);
  const pointee = pointeeOf(elementOf(pointer.type));
  const elementBytes = pointee ? byteSize(pointee) : 0;
  const elements = elementCount(pointer.type);
  let repeated = false;
  for (let at = op.parent?.parent; at; at = at.parent?.parent) repeated ||= isLoop(at);
  return {
    kind: accessKind(op)!,
    bytes: elements * elementBytes,
    elements,
    elementBytes,
    mask: mask ? sourceOf(mask, op, files) : null,
    maskConstancy: mask ? axes.of(mask).constancy : null,
    vector: null,
    repeated,
  };
}
function pointeeOf(element: ElementType): ElementType | undefined {
  return element.kind === 'pointer' ? element.pointee : undefined;
}

/** The mask's text: from the call's own `mask=` where it can be read there. */
function sourceOf(mask: Value, op: Operation, files: Readonly<Record<string, string>>): string {
  const location = mask.definition?.location;
  if (mask.name) return mask.name;
  // Broadcasts that the access itself made stand at the access.
  if (!location || keyOf(location) === keyOf(op.location)) return '';
  const text = files[location.file];
  if (text === undefined || location.line !== location.endLine) return '';
  return (text.split('\n')[location.line - 1] ?? '').slice(
    location.column - 1,
    location.endColumn - 1,
  );
}

/** With what distribution decided, one entry for each span. */
function finish(drafts: readonly Draft[], func: Func | null): ExpressionFact[] {
  const layouts = new Map<string, Layout>();
  const vectors = new Map<string, number>();
  if (func) {
    const note = (key: string, value: Value): void => {
      const { type } = value;
      if (type.kind !== 'tensor' || !type.layout) return;
      const full = `${key} ${type.shape.join('x')}`;
      if (!layouts.has(full)) layouts.set(full, type.layout);
    };
    walk(func.body, (op) => {
      for (const value of op.results) {
        // A conversion's result lies elsewhere than what it converts.
        if (op.name !== 'ttg.convert_layout') note(keyOf(op.location), value);
        if (value.name) note(`%${value.name}`, value);
      }
      for (const region of op.regions)
        for (const arg of region.args) if (arg.name) note(`%${arg.name}`, arg);
      const { vector } = op.attributes;
      if (accessKind(op) !== null && typeof vector === 'number')
        vectors.set(keyOf(op.location), vector);
    });
  }
  const spans = new Map<string, { location: Location; instances: Map<string, FactInstance> }>();
  for (const { location, instance, definition, name, accessed } of drafts) {
    const shape = instance.shape?.join('x') ?? '';
    const layout =
      instance.shape && instance.shape.length > 0
        ? (layouts.get(`${definition} ${shape}`) ??
          (name ? layouts.get(`%${name} ${shape}`) : undefined))
        : undefined;
    const vector = accessed === null ? undefined : vectors.get(accessed);
    const full: FactInstance = {
      ...instance,
      layout: layout ? layoutFact(layout, instance.shape!) : null,
      access: instance.access && { ...instance.access, vector: vector ?? null },
      count: 1,
    };
    const { inlinedAt: _, ...span } = location;
    const key = keyOf(span);
    let entry = spans.get(key);
    if (!entry) spans.set(key, (entry = { location: span, instances: new Map() }));
    const same = JSON.stringify(full);
    const known = entry.instances.get(same);
    if (known) entry.instances.set(same, { ...known, count: known.count + 1 });
    else if (entry.instances.size < MAX_INSTANCES) entry.instances.set(same, full);
  }
  return [...spans.values()].map(({ location, instances }) => {
    const { file, line, column, endLine, endColumn } = location;
    return { file, line, column, endLine, endColumn, instances: [...instances.values()] };
  });
}

function layoutFact(layout: Layout, shape: readonly number[]): LayoutFact {
  return {
    registers: registerCount(layout),
    lanes: 1 << layout.lane.length,
    subgroups: 1 << layout.subgroup.length,
    runs: shape.map((_, dim) => registerRun(layout, dim)),
  };
}

/** The innermost expression at a position (1-based), with what it came to. */
export function factAt(
  facts: readonly ExpressionFact[],
  file: string,
  line: number,
  column: number,
): ExpressionFact | undefined {
  let best: ExpressionFact | undefined;
  for (const fact of facts) {
    if (fact.file !== file) continue;
    const after = line > fact.line || (line === fact.line && column >= fact.column);
    const before = line < fact.endLine || (line === fact.endLine && column <= fact.endColumn);
    if (!after || !before) continue;
    if (!best || inside(fact, best)) best = fact;
  }
  return best;
}
function inside(a: ExpressionFact, b: ExpressionFact): boolean {
  const size = (fact: ExpressionFact): number =>
    (fact.endLine - fact.line) * 10_000 + fact.endColumn - fact.column;
  return size(a) < size(b);
}
