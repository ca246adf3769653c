/**
 * Bounds reports → diagnostics. A kernel compiled with `checkBounds` counts its out-of-range accesses
 * and describes the first; here that becomes a sentence with file, line, argument, element and program.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import { UNKNOWN_LOCATION } from '../../compiler/ir/location';
import { pathKey } from './arguments';
import type { EngineLaunch } from './engine';
import { diagnostic, siteLocation } from './errors';

/** Null where the launch stayed in range. */
export function boundsDiagnostic(launch: EngineLaunch, report: Uint32Array): Diagnostic | null {
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
      'HC8002',
      'error',
      `${launch.unit.name} waits forever, in program ${program}: no program before it sets what it ` +
        'waits for. WebGPU does not promise that programs run side by side, so those of a kernel ' +
        'that waits run one at a time, in order.',
      location,
      [{ message: 'Launched here.', location: siteLocation(launch.site) }],
    );
  }
  const verb = { load: 'loads', store: 'stores to', atomic: 'atomically updates' }[
    access?.kind ?? 'load'
  ];
  let what = 'an element out of range';
  if (leaf?.kind === 'pointer') {
    const name = leaf.label.split(':')[0] || `argument ${pathKey(leaf.path)}`;
    const start = (leaf.storage.base + leaf.byteOffset) / leaf.elementBytes;
    const room = Math.floor((leaf.storage.bytes - leaf.byteOffset) / leaf.elementBytes);
    what = `element ${word - start} of ${name}, which has ${room} element${room === 1 ? '' : 's'}`;
  }
  return diagnostic(
    'HC8001',
    'error',
    `${launch.unit.name} ${verb} ${what}, in program ${program}.`,
    location,
    [
      `${count} access${count === 1 ? '' : 'es'} out of range in this launch. Loads gave 0 and ` +
        'stores were left out; on CUDA they would touch other memory. Is a mask missing?',
      { message: 'Launched here.', location: siteLocation(launch.site) },
    ],
  );
}
