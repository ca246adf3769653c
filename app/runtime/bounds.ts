/**
 * Bounds reports → diagnostics. A kernel compiled with `checkBounds` counts its out-of-range accesses
 * and describes the first; here that becomes a sentence with file, line, argument, element and program.
 * The program goes on, as it would on CUDA: a load out of range gave 0, which is a warning; a store that
 * was left out is an error, because results are missing.
 */
import { MESSAGES } from '../../compiler/codes';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { OutOfRangeError } from '../../compiler/interpret';
import { UNKNOWN_LOCATION } from '../../compiler/ir/location';
import { REPORT_WRITES } from '../../compiler/program';
import { ARENA_ADDRESS } from './addresses';
import { pathKey } from './arguments';
import type { EngineLaunch } from './engine';
import { diagnostic, RuntimeFault, siteLocation } from './errors';

const VERBS = { load: 'loads', store: 'stores to', atomic: 'atomically updates' } as const;

/** What a launch's report says of its loads and of its writes; nothing where it stayed in range. */
export function boundsDiagnostics(launch: EngineLaunch, report: Uint32Array): Diagnostic[] {
  return [0, REPORT_WRITES].flatMap((at) => half(launch, report.subarray(at)) ?? []);
}

function half(launch: EngineLaunch, report: Uint32Array): Diagnostic | null {
  const count = report[0] ?? 0;
  if (count === 0) return null;
  const access = launch.unit.kernel?.boundsReport?.accesses[report[1] ?? 0];
  const program = `(${report[2] ?? 0}, ${report[3] ?? 0}, ${report[4] ?? 0})`;
  const word = (report[5] ?? 0) | 0;
  const location = access?.location ?? UNKNOWN_LOCATION;
  const leaf = access
    ? launch.leaves.find((each) => pathKey(each.path) === pathKey(access.argument))
    : undefined;
  if (access?.kind === 'wait') {
    return diagnostic(
      'HC8014',
      'error',
      MESSAGES.HC8014.waits({ kernel: launch.unit.name, program }),
      location,
      [{ message: 'Launched here.', location: siteLocation(launch.site) }],
    );
  }
  let what = 'an element out of range';
  if (leaf?.kind === 'pointer') {
    const byte = word * (access?.elementBytes ?? leaf.elementBytes) - leaf.storage.base;
    what = element(leaf, Math.floor((byte - leaf.byteOffset) / leaf.elementBytes));
  } else if (access) {
    // Far addresses are one (`5-emit/memory/addresses.ts`).
    const at = word < -(2 ** 29) ? null : ARENA_ADDRESS + word * access.elementBytes;
    what = unknownAddress(at);
  }
  // A thread counts once, however often it went out of range.
  const least = `At least ${count}`;
  return outOfRange(launch, access?.kind ?? 'load', what, program, least, location);
}

/** `element 128 of x, which has 100 elements`; elements count from the pointer that was passed. */
function element(leaf: EngineLaunch['leaves'][number] & { kind: 'pointer' }, at: number): string {
  const name = leaf.label.split(':')[0] || `argument ${pathKey(leaf.path)}`;
  const room = Math.floor((leaf.storage.bytes - leaf.byteOffset) / leaf.elementBytes);
  return `element ${at} of ${name}, which has ${room} element${room === 1 ? '' : 's'}`;
}

function unknownAddress(address: number | null): string {
  if (address === null) return 'an address where no tensor lies';
  return `address 0x${address.toString(16)}, where no tensor lies`;
}

function outOfRange(
  launch: EngineLaunch,
  kind: keyof typeof VERBS,
  what: string,
  program: string,
  count: string,
  location: Diagnostic['location'],
): Diagnostic {
  const times = `${count} access${/\b1$/.test(count) ? '' : 'es'} out of range in this launch.`;
  const effect =
    kind === 'load'
      ? 'They gave 0; on CUDA they would read other memory.'
      : 'They were left out; on CUDA they would overwrite other memory.';
  return diagnostic(
    kind === 'load' ? 'HC8004' : 'HC8001',
    kind === 'load' ? 'warning' : 'error',
    `${launch.unit.name} ${VERBS[kind]} ${what}, in program ${program}.`,
    location,
    [
      `${times} ${effect} Is a mask missing?`,
      { message: 'Launched here.', location: siteLocation(launch.site) },
    ],
  );
}

/** Collects what the interpreter tells, for the same two sentences. */
export class BoundsLog {
  private readonly first = new Map<boolean, { error: OutOfRangeError; count: number }>();

  readonly add = (error: OutOfRangeError): void => {
    const writes = error.access !== 'load';
    const known = this.first.get(writes);
    if (known) known.count++;
    else this.first.set(writes, { error, count: 1 });
  };

  diagnostics(launch: EngineLaunch): Diagnostic[] {
    return [...this.first.values()].map(({ error, count }) => {
      const leaf = launch.leaves.find(
        (each) => each.kind === 'pointer' && each.label.split(':')[0] === error.argument,
      );
      let what = unknownAddress(error.address);
      if (leaf?.kind === 'pointer') {
        const start = leaf.storage.address + leaf.byteOffset;
        what = element(leaf, Math.floor((error.address - start) / leaf.elementBytes));
      }
      const program = `(${error.programId.join(', ')})`;
      return outOfRange(launch, error.access, what, program, `${count}`, error.location);
    });
  }
}

/** What ends the program: a wait that never ends, which has no result to go on with. */
export function endless(found: Diagnostic): RuntimeFault | null {
  return found.code === 'HC8014' ? new RuntimeFault('RuntimeError', found.message, [found]) : null;
}
