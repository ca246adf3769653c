/**
 * Contents of the layout panel for a compiled kernel: its tiles with their layouts, the conversions
 * between layouts and what they cost, and every access of workgroup memory with its bank conflicts.
 */
import { wordBytes } from '../4-distribute/allocate_shared_memory';
import type { Diagnostic } from '../diagnostics';
import type { Func, Operation, Value } from '../ir/ir';
import { isLoop, walk } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { classifyConversion, type ConversionKind } from '../ir/layoutAlgebra';
import type { Location } from '../ir/location';
import { printFunc, printType } from '../ir/printer';
import type { ThreadKernel } from '../ir/thread/kernel';
import { elementCount, type TensorType } from '../ir/types';
import type { Compiler } from '../pipeline';
import type { CompiledKernel, CompileRequest } from '../program';
import { settle } from '../regroup';
import { ownPlace } from './places';
import { sharedAccesses, type SharedAccess } from './bankConflicts';

/** A tile of the distributed kernel. `id` counts in the order of the printed IR. */
export interface TileReport {
  readonly id: number;
  /** As it is printed, with `%`. */
  readonly name: string;
  /** The variable of the program that it came from. */
  readonly variable: string | null;
  /** The operation that makes it, by name, or `loop` for a carried value. */
  readonly from: string;
  /** 1-based line of the IR. */
  readonly line: number;
  readonly location: Location;
  readonly shape: readonly number[];
  readonly type: string;
  readonly layout: Layout;
}

export interface ConversionReport {
  /** Ids of the tiles. */
  readonly source: number;
  readonly target: number;
  readonly line: number;
  readonly location: Location;
  readonly kind: ConversionKind;
  /**
   * Bytes written to workgroup memory, and of the scratch that they go through; 0 for other kinds.
   */
  readonly bytes: number;
  readonly scratchBytes: number;
  /** Trips of the whole tile through its scratch. */
  readonly chunks: number;
}

export type LayoutReport =
  | {
      readonly ok: true;
      readonly kernel: string;
      readonly threads: number;
      /** Null: the target has none. */
      readonly subgroupSize: number | null;
      readonly workgroupBytes: number;
      readonly tiles: readonly TileReport[];
      readonly conversions: readonly ConversionReport[];
      readonly sharedAccesses: readonly SharedAccess[];
      /** Shared memory lies in a storage buffer here, as is faster on software adapters. */
      readonly inStorage: boolean;
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface Distributed {
  readonly func: Func;
  /** The same kernel in thread IR, after its last pass. */
  readonly threads: ThreadKernel;
  readonly kernel: CompiledKernel;
  /** With the binding groups that the compiler requested. */
  readonly request: CompileRequest;
}

/** Compiles to the end and keeps the last IR of tiles, and of threads. */
export function distribute(
  compiler: Compiler,
  first: CompileRequest,
): Distributed | { readonly diagnostics: readonly Diagnostic[] } {
  let func: Func | undefined;
  let threads: ThreadKernel | undefined;
  const { result, request } = settle((each) => {
    func = threads = undefined;
    return compiler.compile(
      each,
      {},
      (_, live) => (func = live),
      (_, live) => (threads = live),
    );
  }, first);
  if (result.kind === 'regroup') return { diagnostics: [] };
  if (result.kind === 'failed' || !func || !threads) return { diagnostics: result.diagnostics };
  return { func, threads, kernel: result.kernel, request };
}

export function inspectLayouts(compiler: Compiler, request: CompileRequest): LayoutReport {
  const compiled = distribute(compiler, request);
  if (!('func' in compiled)) return { ok: false, diagnostics: compiled.diagnostics };
  const { func, threads, kernel } = compiled;
  const { files } = request.program;
  const size = Number(func.attributes['subgroupSize'] ?? 1);
  const subgroupSize = size > 1 ? size : null;
  const { tiles, ids, lines } = tilesOf(func, files);
  const accesses = sharedAccesses(threads, subgroupSize).map((access) => ({
    ...access,
    location: ownPlace(access.location, files),
  }));
  return {
    ok: true,
    kernel: kernel.name,
    threads: threads.threads,
    subgroupSize,
    workgroupBytes: kernel.workgroupBytes,
    tiles,
    conversions: conversionsOf(func, ids, lines),
    sharedAccesses: accesses,
    inStorage: threads.sharedInStorage,
  };
}

interface Tiles {
  readonly tiles: TileReport[];
  readonly ids: ReadonlyMap<Value, number>;
  readonly lines: ReadonlyMap<Operation, number>;
}

type Files = CompileRequest['program']['files'];
function tilesOf(func: Func, files: Files): Tiles {
  const { names, lines } = printFunc(func);
  const tiles: TileReport[] = [];
  const ids = new Map<Value, number>();
  const add = (value: Value, from: string, op: Operation): void => {
    const { type } = value;
    if (type.kind !== 'tensor' || !type.layout) return;
    ids.set(value, tiles.length);
    tiles.push({
      id: tiles.length,
      name: names.get(value) ?? '%?',
      variable: value.name ?? null,
      from,
      line: lines.get(op) ?? 1,
      location: ownPlace(op.location, files),
      shape: type.shape,
      type: printType(withoutLayout(type)),
      layout: type.layout,
    });
  };
  walk(func.body, (op) => {
    for (const result of op.results) add(result, op.name, op);
    if (isLoop(op))
      for (const region of op.regions) for (const arg of region.args) add(arg, 'loop', op);
  });
  return { tiles, ids, lines };
}
function withoutLayout({ kind, shape, element }: TensorType): TensorType {
  return { kind, shape, element };
}

function conversionsOf(
  func: Func,
  ids: ReadonlyMap<Value, number>,
  lines: ReadonlyMap<Operation, number>,
): ConversionReport[] {
  const found: ConversionReport[] = [];
  walk(func.body, (op) => {
    if (op.name !== 'ttg.convert_layout') return;
    const [from, to] = [op.operand(0), op.result];
    const [source, target] = [ids.get(from), ids.get(to)];
    if (source === undefined || target === undefined) return;
    const kind = classifyConversion(layoutOf(from), layoutOf(to));
    const bytes = kind === 'memory' ? elementCount(to.type) * wordBytes(to.type) : 0;
    const scratchBytes = kind === 'memory' ? Number(op.attributes['scratchBytes'] ?? bytes) : 0;
    found.push({
      source,
      target,
      line: lines.get(op) ?? 1,
      location: op.location,
      kind,
      bytes,
      scratchBytes: Math.min(bytes, scratchBytes),
      chunks: bytes > 0 ? Math.ceil(bytes / Math.max(1, Math.min(bytes, scratchBytes))) : 0,
    });
  });
  return found;
}
function layoutOf(value: Value): Layout {
  if (value.type.kind !== 'tensor' || !value.type.layout) throw new Error('a tile without layout');
  return value.type.layout;
}
