/**
 * A launch on the interpreter: arguments as it takes them, faults as diagnostics. Used by the engine
 * without WebGPU and by the check mode, so both see memory alike: storages at their 64-bit addresses.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import {
  AssertionFailed,
  runInterpreter,
  Stopped,
  type MemoryStorage,
  type PrintRecord,
} from '../../compiler/interpret';
import type { Func } from '../../compiler/ir/ir';
import { bytesOfDtype, type Leaf } from './arguments';
import { BoundsLog } from './bounds';
import type { EngineLaunch } from './engine';
import { diagnostic, RuntimeFault, siteLocation } from './errors';
import { parseFloatText } from './uniforms';

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
  bytesOf: (leaf: Leaf & { kind: 'pointer' }) => Uint8Array,
): MemoryStorage[] {
  const memory = new Map<number, MemoryStorage>();
  for (const leaf of leaves) {
    if (leaf.kind !== 'pointer' || memory.has(leaf.storage.id)) continue;
    memory.set(leaf.storage.id, { address: leaf.storage.address, bytes: bytesOf(leaf) });
  }
  return [...memory.values()];
}

export interface InterpretationOptions {
  readonly memory: readonly MemoryStorage[];
  readonly shouldStop?: () => boolean;
  readonly print?: (text: string) => void;
  /** What the launch did wrong that does not end it. */
  readonly report?: (diagnostic: Diagnostic) => void;
}

/** Runs all programs of a launch. @throws RuntimeFault for what the kernel does wrong. */
export function interpret(launch: EngineLaunch, func: Func, options: InterpretationOptions): void {
  const bounds = new BoundsLog();
  try {
    runInterpreter({
      func,
      args: interpreterArguments(launch.leaves),
      memory: options.memory,
      grid: launch.grid,
      onPrint: (record) => options.print?.(formatPrint(record)),
      onOutOfRange: bounds.add,
      ...(options.shouldStop ? { shouldStop: options.shouldStop } : {}),
    });
  } catch (error) {
    throw asFault(error, launch);
  } finally {
    for (const found of bounds.diagnostics(launch)) options.report?.(found);
  }
}

function asFault(error: unknown, launch: EngineLaunch): unknown {
  if (error instanceof Stopped) return error;
  const launched = { message: 'Launched here.', location: siteLocation(launch.site) };
  if (error instanceof AssertionFailed) {
    const found = diagnostic(
      'HC8012',
      'error',
      `device_assert failed in program (${error.programId.join(', ')}): ${error.message}`,
      error.location,
      [launched],
    );
    return new RuntimeFault('RuntimeError', found.message, [found]);
  }
  return error;
}

/** As Triton prints: `pid (0, 0, 0) idx ( 3) prefix: 1.5`. */
export function formatPrint(record: PrintRecord): string {
  const pid = `pid (${record.programId.join(', ')})`;
  if (record.operands.length === 0) return `${pid} ${record.prefix}\n`;
  const lines = record.operands.map((operand, index) => {
    const many = record.operands.length > 1 ? `(operand ${index}) ` : '';
    return operand.values
      .map((value, at) => {
        const idx = `idx (${indexOf(at, operand.shape).join(', ')})`;
        const shown = record.hex && typeof value === 'bigint' ? `0x${value.toString(16)}` : value;
        return `${pid} ${idx} ${record.prefix}${many}${String(shown)}\n`;
      })
      .join('');
  });
  return lines.join('');
}

function indexOf(flat: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  for (const size of [...shape].reverse()) {
    index.unshift(flat % size);
    flat = Math.floor(flat / size);
  }
  return index;
}
