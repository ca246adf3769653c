/**
 * Denormals that a launch computes with, where the adapter's arithmetic takes them for 0
 * (`Target.flushesDenormals`): what comes out may be 0, or another number altogether, where CUDA
 * keeps them. Products of floats that a kernel makes of integers' bits keep them
 * (`compiler/5-threads/arithmetic/denormals.ts`). Other arithmetic with such floats is reported,
 * and so are denormals that stand in memory. Numbers that nobody made on purpose are never that
 * small.
 */
import { MESSAGES } from '../../compiler/codes';
import type { PointerLeaf } from './arguments';
import type { EngineLaunch } from './engine';
import type { RunReport } from './runReport';
import { cpuCopy } from './storage';

/**
 * Dtypes of pointers whose elements become f32, in both spellings: their bits, and Triton's name.
 */
const FLOATS = new Map<string, { readonly bytes: 2 | 4; readonly name: string }>([
  ['fp32', { bytes: 4, name: 'fp32' }],
  ['float32', { bytes: 4, name: 'fp32' }],
  ['bf16', { bytes: 2, name: 'bf16' }],
  ['bfloat16', { bytes: 2, name: 'bf16' }],
]);

interface Found {
  readonly count: number;
  readonly first: number;
}

/** Elements from the pointer on that are denormal. */
function denormalsIn(leaf: PointerLeaf, bytes: 2 | 4): Found {
  const { buffer, byteOffset, byteLength } = cpuCopy(leaf.storage);
  const narrow = bytes === 2;
  const start = byteOffset + leaf.byteOffset;
  const length = Math.max(0, Math.floor((byteLength - leaf.byteOffset) / bytes));
  const bits = narrow
    ? new Uint16Array(buffer, start, length)
    : new Uint32Array(buffer, start, length);
  const sign = narrow ? 0x7fff : 0x7fffffff;
  const least = narrow ? 0x80 : 0x800000;
  let count = 0;
  let first = -1;
  for (let i = 0; i < length; i++) {
    // -1 for zeros, which become the largest number.
    if (((bits[i]! & sign) - 1) >>> 0 >= least - 1) continue;
    if (count++ === 0) first = i;
  }
  return { count, first };
}

/**
 * Reports of a launch's denormals. Only the CPU can have written some since the last launch that
 * looked.
 */
export function reportDenormals(launch: EngineLaunch, report: RunReport): void {
  const { unit, leaves, site, cost } = launch;
  const bits = unit.cost?.floatBits;
  if (bits?.computed) {
    const facts = { kernel: unit.name, line: bits.computed.line };
    report.warn('HC8015', site, MESSAGES.HC8015.computed(facts));
  }
  // Loads and stores that only move values keep denormals.
  if (!cost || cost.operations.f32 > 0) reportStored(launch, report);
  leaves.forEach((leaf, index) => {
    if (leaf.kind === 'pointer' && bits?.stored.has(index)) leaf.storage.madeOfBits = true;
  });
}

/** Reports of the denormals that stand in memory, or may. */
function reportStored({ unit, leaves, site }: EngineLaunch, report: RunReport): void {
  leaves.forEach((leaf, index) => {
    const float = FLOATS.get(leaf.dtype);
    if (leaf.kind !== 'pointer' || !float || leaf.byteOffset % float.bytes !== 0) return;
    if (unit.cost?.written?.has(index)) return;
    const [argument = ''] = leaf.label.split(':');
    if (leaf.storage.fresh === 'gpu' && leaf.storage.madeOfBits) {
      const facts = { kernel: unit.name, argument };
      report.warn('HC8015', site, MESSAGES.HC8015.made(facts));
    }
    if (leaf.storage.fresh !== 'cpu') return;
    const { count, first } = denormalsIn(leaf, float.bytes);
    if (count === 0) return;
    const facts = { kernel: unit.name, argument, count, first, dtype: float.name };
    report.warn('HC8015', site, MESSAGES.HC8015.flushed(facts));
  });
}
