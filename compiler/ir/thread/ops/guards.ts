/**
 * Bounds guards: the range check of an access, with what it reports; and where a kernel's reports
 * are made.
 */
import { BOOL, U32 } from '../types';
import type { ThreadType } from '../types';
import type { ThreadOpSpec } from './spec';

const isU32 = (type: ThreadType | undefined): boolean => type === U32;

export const GUARDS = {
  'thread.guard': {
    traits: ['writes'],
    operands: ['mask', 'counts', 'distance', 'limits*'],
    attributes: [
      'by',
      'vector',
      'times',
      'operation',
      'access?',
      'half?',
      'section?',
      'counted?',
      'repeated?',
      'predicated?',
      'deferred?',
    ],
    types: ([mask, counts, distance, ...limits], { by }) => {
      if (mask !== BOOL || counts !== BOOL) return 'the mask and what counts are bools';
      if (!isU32(distance) || !limits.every(isU32)) return 'distances are u32';
      const wanted = by === 'length' ? 2 : by === 'good' ? 1 : 0;
      return limits.length === wanted ? [BOOL] : `${limits.length} limits`;
    },
    doc:
      'Checks a run of {vector} elements, {distance} elements from where its tensor starts, and reports the ' +
      'elements that are out of range where {mask} holds: as {times} runs of access {access}, of which ' +
      'elements are added up where {counts} holds. The result: whether {mask} holds and some element ' +
      'is in range. {by}: "length" with the number of ' +
      'elements in whole runs and of all elements, "good" with the number of elements of the run that are ' +
      'in range, "mask" for the mask alone. {half}: the words of loads, or those of writes. Guards of one {operation} belong together, and ' +
      'those of one {section} of a block may share a test. ' +
      '{counted}: false where an element may be found more than once, or not at all. {repeated}: the operation stands in a loop of the ' +
      'program. {predicated}: no branch tests the results. {deferred}: checks what a loop recorded.',
  },
  'thread.report_guards': {
    traits: ['writes'],
    operands: ['program'],
    types: ([program, ...rest]) => (isU32(program) && rest.length === 0 ? [] : 'takes a program'),
    doc: 'Where the guards of a thread of {program} have reported: at the end of the kernel.',
  },
} satisfies Record<string, ThreadOpSpec>;
