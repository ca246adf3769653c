/**
 * Thread IR: what one thread of a program does, in SSA with structured control flow. It has the
 * classes of tile IR with its own operations (`ops.ts`) and types (`types.ts`), and stands to it as
 * LLVM IR stands to TTGIR: registers, memory in address spaces, barriers, bounds guards, all
 * explicit.
 */
import type { UniformWord } from '../../program';
import { Block, Operation } from '../ir';
import type { Attribute, Value } from '../ir';
import type { Location } from '../location';
import type { ThreadOpName } from './ops';
import type { MemoryType, ThreadType } from './types';

export type ThreadValue = Value<ThreadOpName, ThreadType>;
export type ThreadOp = Operation<ThreadOpName, ThreadType>;
export type ThreadBlock = Block<ThreadOpName, ThreadType>;

/** Kinds of arguments of the kernel: a binding's array, or a word of the launch. */
export type ThreadParameter =
  | { readonly kind: 'buffer'; readonly group: number | 'shared'; readonly written: boolean }
  | { readonly kind: 'word'; readonly word: UniformWord };

/** A kernel as one thread runs it. `body.args[i]` belongs to `parameters[i]`. */
export class ThreadFunc {
  readonly parameters: ThreadParameter[] = [];
  constructor(
    readonly name: string,
    readonly location: Location,
    /** Facts about the kernel: `threads`, `programs`, `subgroupSize`. */
    readonly attributes: Record<string, Attribute> = {},
    readonly body: ThreadBlock = new Block(),
  ) {}

  addParameter(type: ThreadType, parameter: ThreadParameter, name: string): ThreadValue {
    this.parameters.push(parameter);
    return this.body.addArg(type, name);
  }
}

export function newOperation(
  name: ThreadOpName,
  operands: readonly ThreadValue[],
  types: readonly ThreadType[],
  attributes: Record<string, Attribute>,
  regions: readonly ThreadBlock[],
  location: Location,
): ThreadOp {
  return new Operation(name, operands, types, attributes, regions, location);
}
export function newBlock(args: readonly ThreadType[] = []): ThreadBlock {
  return new Block(args);
}

/** The array or variable that a memory operation works on. */
export function memoryOf(value: ThreadValue): MemoryType {
  if (value.type.kind !== 'memory') throw new Error(`${value.name ?? 'a value'} is no memory`);
  return value.type;
}
