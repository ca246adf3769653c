/**
 * A launch on the interpreter: arguments as it takes them, faults as diagnostics. Used by the
 * engine without WebGPU and by the check mode, so both see memory alike: storages at their 64-bit
 * addresses.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import {
  AssertionFailed,
  runInterpreter,
  Stopped,
  type MemoryStorage,
} from '../../compiler/interpret';
import type { Func } from '../../compiler/ir/ir';
import type { DevicePrint } from '../events';
import { bytesOfDtype, type Leaf } from './arguments';
import { OutOfRangeLog } from '../../compiler/interpret/outOfRange';
import { loggedDiagnostics } from './bounds';
import { assertionFault } from './gpu/debugReport';
import { PrintLog } from './devicePrint';
import type { EngineLaunch } from './engine';
import type { Storage } from './storage';
import { parseFloatText } from './gpu/uniforms';

/** One for each argument of the function: leaves in order, constexprs left out. */
export function interpreterArguments(leaves: readonly Leaf[]): (number | bigint | boolean)[] {
  return leaves.map((leaf) => {
    if (leaf.kind === 'pointer') return leaf.storage.address + leaf.byteOffset;
    if (/^(float|fp|bf)/.test(leaf.dtype)) return parseFloatText(leaf.text);
    const value = leaf.text === 'True' ? 1n : leaf.text === 'False' ? 0n : BigInt(leaf.text);
    if (leaf.dtype === 'int1') return value !== 0n;
    if (bytesOfDtype(leaf.dtype) === 8) return BigInt.asIntN(64, value);
    return Number(BigInt.asIntN(bytesOfDtype(leaf.dtype) * 8, value));
  });
}

/** The storages of a launch, each once, with the bytes that `bytesOf` gives. */
export function interpreterMemory(
  leaves: readonly Leaf[],
  bytesOf: (storage: Storage) => Uint8Array,
  /** The storages that the kernel can reach by their addresses. */
  arena: readonly Storage[] = [],
): MemoryStorage[] {
  const memory = new Map<number, MemoryStorage>();
  for (const storage of arena)
    memory.set(storage.id, { address: storage.address, bytes: bytesOf(storage) });
  for (const leaf of leaves) {
    if (leaf.kind !== 'pointer' || memory.has(leaf.storage.id)) continue;
    memory.set(leaf.storage.id, { address: leaf.storage.address, bytes: bytesOf(leaf.storage) });
  }
  return [...memory.values()];
}

export interface InterpretationOptions {
  readonly memory: readonly MemoryStorage[];
  readonly shouldStop?: () => boolean;
  readonly onPrints?: (prints: readonly DevicePrint[], dropped: number) => void;
  /** Faults of the launch that do not end it. */
  readonly report?: (diagnostic: Diagnostic) => void;
}

/** Runs all programs of a launch. @throws RuntimeFault for what the kernel does wrong. */
export function interpret(launch: EngineLaunch, func: Func, options: InterpretationOptions): void {
  const outside = new OutOfRangeLog();
  const prints = new PrintLog();
  try {
    runInterpreter({
      func,
      args: interpreterArguments(launch.leaves),
      memory: options.memory,
      grid: launch.grid,
      onPrint: prints.add,
      onOutOfRange: outside.add,
      ...(options.shouldStop ? { shouldStop: options.shouldStop } : {}),
    });
  } catch (error) {
    throw asFault(error, launch);
  } finally {
    if (prints.prints.length > 0 || prints.dropped > 0)
      options.onPrints?.(prints.prints, prints.dropped);
    for (const found of loggedDiagnostics(launch, outside)) options.report?.(found);
  }
}

function asFault(error: unknown, launch: EngineLaunch): unknown {
  if (error instanceof Stopped) return error;
  if (error instanceof AssertionFailed) {
    const { message, location, programId, element, shape } = error;
    return assertionFault(launch, { message, location, shape }, programId, element, 0);
  }
  return error;
}
