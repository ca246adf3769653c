/**
 * The queue of prints and assertions that a kernel filled on the GPU (`5-threads/debug.ts`), read:
 * records sorted by program, then by the order of the prints in it, then by element.
 */
import { REPORT_WORDS } from '../../../compiler/boundsReport';
import { bitWidth, byteSize } from '../../../compiler/ir/types';
import { floatFromBits } from '../../../compiler/ir/numbers';
import type { FloatType } from '../../../compiler/ir/types';
import { DEBUG_HEADER, DEBUG_RECORD, type DebugSite } from '../../../compiler/program';
import type { DevicePrint } from '../../events';
import { pathKey } from '../arguments';
import type { EngineLaunch } from '../engine';
import { diagnostic, RuntimeFault, siteLocation } from '../errors';
import { formatValue, indexOf, MOST_VALUES } from '../devicePrint';

/** Bytes of the report's buffer of a kernel that prints. */
export const DEBUG_BYTES = (REPORT_WORDS + DEBUG_HEADER + MOST_VALUES * DEBUG_RECORD) * 4;

const FIRST = REPORT_WORDS + DEBUG_HEADER;
type Site<K extends DebugSite['kind']> = DebugSite & { readonly kind: K };
type Program = readonly [number, number, number];

export interface DebugOutcome {
  readonly prints: readonly DevicePrint[];
  readonly dropped: number;
  readonly failure: RuntimeFault | null;
}

/** Start of an argument's storage in its buffer when the launch was encoded, by its path. */
export type Bases = ReadonlyMap<string, number>;

export function readDebug(launch: EngineLaunch, words: Uint32Array, bases: Bases): DebugOutcome {
  const sites = launch.unit.kernel?.debugSites ?? [];
  const asked = words[REPORT_WORDS] ?? 0;
  const room = Math.floor((words.length - FIRST) / DEBUG_RECORD);
  const count = Math.min(asked, room);
  const prints = readPrints(launch, sites, words, count, bases);
  return { prints, dropped: asked - count, failure: readFailure(launch, sites, words) };
}

function readPrints(
  launch: EngineLaunch,
  sites: readonly DebugSite[],
  words: Uint32Array,
  count: number,
  bases: Bases,
): DevicePrint[] {
  // One group for each print of a program, keyed so that the keys sort as the prints did happen.
  const groups = new Map<string, { readonly order: readonly number[]; readonly at: number[] }>();
  for (let i = 0; i < count; i++) {
    const at = FIRST + i * DEBUG_RECORD;
    const order = [words[at]!, words[at + 1]!, words[at + 2]!];
    const key = order.join(' ');
    const known = groups.get(key);
    if (known) known.at.push(at);
    else groups.set(key, { order, at: [at] });
  }
  const sorted = [...groups.values()].sort(({ order: a }, { order: b }) => {
    const d = a.findIndex((value, i) => value !== b[i]);
    return d < 0 ? 0 : a[d]! - b[d]!;
  });
  return sorted.flatMap(({ order: [program, , number], at }) => {
    const site = sites[number!];
    if (site?.kind !== 'print') return [];
    const id = programOf(program!, launch.grid);
    return printsOf(launch, site, id, at, words, bases);
  });
}

function printsOf(
  launch: EngineLaunch,
  site: Site<'print'>,
  program: Program,
  at: readonly number[],
  words: Uint32Array,
  bases: Bases,
): DevicePrint[] {
  const { location, prefix, operand, operands, value } = site;
  const common = { location, program, prefix, operand, operands };
  if (!value) return at.map(() => ({ ...common, shape: [], values: [] }));
  const { shape } = value;
  const size = shape.reduce((a, b) => a * b, 1);
  // Inside a combine function an element is printed more than once: each time a print of its own.
  const out: { values: (string | null)[] }[] = [];
  const filled = new Map<number, number>();
  for (const record of at) {
    const element = words[record + 3]!;
    const round = filled.get(element) ?? 0;
    filled.set(element, round + 1);
    const into = (out[round] ??= { values: new Array<string | null>(size).fill(null) });
    into.values[element] = textOf(launch, site, words[record + 4]!, words[record + 5]!, bases);
  }
  return out.map(({ values }) => ({ ...common, shape, values }));
}

function textOf(
  launch: EngineLaunch,
  { hex, value }: Site<'print'>,
  low: number,
  high: number,
  bases: Bases,
): string {
  if (!value) return '';
  const { element, signed, argument } = value;
  if (element.kind === 'pointer') {
    // The address itself, of a pointer that was made of an integer.
    if (!argument) return formatValue(element, signed, hex, high * 2 ** 32 + low);
    const path = pathKey(argument);
    const leaf = launch.leaves.find((each) => pathKey(each.path) === path);
    if (leaf?.kind !== 'pointer') return '0x?';
    const byte = (low | 0) * byteSize(element.pointee) - (bases.get(path) ?? 0);
    return formatValue(element, signed, hex, leaf.storage.address + byte);
  }
  const { dtype } = element;
  const bits = (BigInt(high) << 32n) | BigInt(low);
  if (dtype.startsWith('i')) return formatValue(element, signed, hex, bits);
  const value_ = floatFromBits(dtype as FloatType, BigInt.asUintN(bitWidth(dtype), bits));
  return formatValue(element, signed, hex, value_);
}

function readFailure(
  launch: EngineLaunch,
  sites: readonly DebugSite[],
  words: Uint32Array,
): RuntimeFault | null {
  const count = words[REPORT_WORDS + 1] ?? 0;
  const site = sites[words[REPORT_WORDS + 3] ?? 0];
  if (count === 0 || site?.kind !== 'assert') return null;
  const program = programOf(words[REPORT_WORDS + 2] ?? 0, launch.grid);
  const element = words[REPORT_WORDS + 4] ?? 0;
  return assertionFault(launch, site, program, site.shape.length > 0 ? element : null, count);
}

/** As a failed assertion is reported, wherever it ran. `count` 0: not known. */
export function assertionFault(
  launch: EngineLaunch,
  { message, location, shape }: Omit<Site<'assert'>, 'kind'>,
  program: Program,
  element: number | null,
  count: number,
): RuntimeFault {
  const where = element === null ? '' : `, element [${indexOf(element, shape).join(', ')}]`;
  const found = diagnostic(
    'HC8012',
    'error',
    `device-side assert triggered in ${launch.unit.name}, program (${program.join(', ')})${where}: ` +
      (message === '' ? 'the condition is false' : message),
    location,
    [
      ...(count > 1 ? [`It failed ${count} times in this launch; this is one of them.`] : []),
      { message: 'launched', location: siteLocation(launch.site) },
    ],
  );
  return new RuntimeFault('RuntimeError', found.message, [found]);
}

function programOf(linear: number, [x, y]: Program): Program {
  return [linear % x, Math.floor(linear / x) % y, Math.floor(linear / (x * y))];
}
