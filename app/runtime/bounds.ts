/**
 * Accesses out of range → diagnostics: a sentence with file, line, argument, element and program,
 * the same from the report of a GPU (`compiler/boundsReport.ts`) as from the interpreter. The
 * program goes on, as it would on CUDA: a load out of range gave 0, which is a warning; a store
 * that was left out is an error, because results are missing.
 */
import { type OutOfRange, readReport } from '../../compiler/boundsReport';
import { MESSAGES } from '../../compiler/codes';
import type { Diagnostic } from '../../compiler/diagnostics';
import { expandedHint } from '../../compiler/expanded';
import type { OutOfRangeError } from '../../compiler/interpret';
import type { OutOfRangeLog } from '../../compiler/interpret/outOfRange';
import { ARENA_ADDRESS } from './addresses';
import { pathKey } from './arguments';
import type { EngineLaunch } from './engine';
import { diagnostic, RuntimeFault, siteLocation } from './errors';

const VERBS = { load: 'loads', store: 'stores to', atomic: 'atomically updates' } as const;

type PointerLeaf = EngineLaunch['leaves'][number] & { kind: 'pointer' };

/** Report of a launch on its loads and on its writes; nothing where it stayed in range. */
export function boundsDiagnostics(launch: EngineLaunch, report: Uint32Array): Diagnostic[] {
  const accesses = launch.unit.kernel?.boundsReport?.accesses ?? [];
  return readReport(report, accesses).map((found) => {
    const { access, count, counted } = found;
    const { kind, location } = access;
    const program = programText(found.program, launch.grid);
    if (kind === 'wait') {
      return diagnostic(
        'HC8014',
        'error',
        MESSAGES.HC8014.waits({ kernel: launch.unit.name, program }),
        location,
        [{ message: 'launched', location: siteLocation(launch.site) }],
      );
    }
    if (kind === 'loop') return unendingLoop(launch, found, program);
    return outOfRange(launch, {
      kind,
      ...placeOf(launch, found),
      program,
      count,
      counted,
      location,
    });
  });
}

function unendingLoop(
  { unit, site }: EngineLaunch,
  { distance, access }: OutOfRange,
  program: string,
): Diagnostic {
  const iterations = distance.toLocaleString('en');
  return diagnostic(
    'HC8016',
    'error',
    MESSAGES.HC8016.budget({ kernel: unit.name, program, iterations }),
    access.location,
    [
      'Other programs of the launch left such loops, too: what it computed is not to be used.',
      { message: 'launched', location: siteLocation(site) },
    ],
  );
}

function programText(linear: number, [x, y]: EngineLaunch['grid']): string {
  return `(${linear % x}, ${Math.floor(linear / x) % y}, ${Math.floor(linear / x / y)})`;
}

/** Words of the message: the element, and a probable cause. */
interface Place {
  readonly what: string;
  readonly hint: string;
}

/** The first element out of range. */
function placeOf({ leaves }: EngineLaunch, { access, distance }: OutOfRange): Place {
  const leafOf = (path: readonly number[]): PointerLeaf | undefined =>
    leaves.find(
      (each): each is PointerLeaf =>
        each.kind === 'pointer' && pathKey(each.path) === pathKey(path),
    );
  const leaf = leafOf(access.argument);
  if (!leaf) {
    // Far addresses are one (`5-threads/memory/addresses.ts`).
    const word = distance | 0;
    const at = word < -(2 ** 29) ? null : ARENA_ADDRESS + word * access.elementBytes;
    return unknownAddress(at);
  }
  const bases = access.others.flatMap((path) => leafOf(path)?.storage.base ?? []);
  const begin = Math.min(leaf.storage.base, ...bases);
  const byte = begin - leaf.storage.base + (distance | 0) * access.elementBytes;
  return element(leaf, Math.floor((byte - leaf.byteOffset) / leaf.elementBytes));
}

/** `element 128 of x, which has 100 elements`; elements count from the pointer that was passed. */
function element(leaf: PointerLeaf, at: number): Place {
  const name = leaf.label.split(':')[0] || `argument ${pathKey(leaf.path)}`;
  const room = Math.floor((leaf.storage.bytes - leaf.byteOffset) / leaf.elementBytes);
  return {
    what: `element ${at} of ${name}, which has ${room} element${room === 1 ? '' : 's'}`,
    hint: expandedHint(name, leaf.shape, leaf.strides) ?? 'Is a mask missing?',
  };
}

function unknownAddress(address: number | null): Place {
  const where = address === null ? 'an address' : `address 0x${address.toString(16)},`;
  return { what: `${where} where no tensor lies`, hint: 'Is a mask missing?' };
}

interface Found extends Place {
  readonly kind: keyof typeof VERBS;
  readonly program: string;
  readonly count: number;
  readonly counted: boolean;
  readonly location: Diagnostic['location'];
}

function outOfRange(launch: EngineLaunch, found: Found): Diagnostic {
  const { kind, what, hint, program, count, counted, location } = found;
  const least = counted ? '' : 'At least ';
  const times = `${least}${count} access${count === 1 ? '' : 'es'} out of range in this launch`;
  const effect =
    kind === 'load'
      ? 'They returned 0; on CUDA they would read other memory.'
      : 'They were skipped; on CUDA they would overwrite other memory.';
  return diagnostic(
    kind === 'load' ? 'HC8004' : 'HC8001',
    kind === 'load' ? 'warning' : 'error',
    `${launch.unit.name} ${VERBS[kind]} ${what}.`,
    location,
    [
      `${times}, on this line first in program ${program}. ${effect} ${hint}`,
      { message: 'launched', location: siteLocation(launch.site) },
    ],
  );
}

/** The same of what the interpreter found. */
export function loggedDiagnostics(launch: EngineLaunch, log: OutOfRangeLog): Diagnostic[] {
  return log.found().map(({ first, count, program: id }) => {
    const { access: kind, location } = first;
    const place = loggedPlace(launch, first);
    const program = `(${id.join(', ')})`;
    return outOfRange(launch, { kind, ...place, program, count, counted: true, location });
  });
}

function loggedPlace({ leaves }: EngineLaunch, { address, argument }: OutOfRangeError): Place {
  const leaf = leaves.find(
    (each): each is PointerLeaf => each.kind === 'pointer' && each.label.split(':')[0] === argument,
  );
  if (!leaf) return unknownAddress(address);
  const start = leaf.storage.address + leaf.byteOffset;
  return element(leaf, Math.floor((address - start) / leaf.elementBytes));
}

/** Fault that ends the program: a wait or a loop that never ends has no result to go on with. */
export function endless(found: Diagnostic): RuntimeFault | null {
  const ends = found.code === 'HC8014' || found.code === 'HC8016';
  return ends ? new RuntimeFault('RuntimeError', found.message, [found]) : null;
}
