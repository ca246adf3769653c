/** Structured control flow, functions, and what a kernel reports to the host. */
import { BOOL, U32 } from '../types';
import type { ThreadType } from '../types';
import { type ThreadOpSpec } from './spec';

const given: ThreadOpSpec['types'] = (_, __, requested) => requested;
const check =
  (...types: readonly ThreadType[]): ThreadOpSpec['types'] =>
  (operands) =>
    operands.length === types.length && operands.every((type, i) => type === types[i])
      ? []
      : 'wrong operands';

export const CONTROL = {
  'thread.if': {
    traits: [],
    operands: ['condition'],
    regions: ['then', 'else'],
    attributes: ['prefetched?'],
    types: ([condition], _, requested) =>
      condition === BOOL ? requested : 'the condition is a bool',
    doc:
      'One region or the other; both yield the results. An empty `else` region is a yield alone. ' +
      '{prefetched}: reads what a later iteration uses.',
  },
  'thread.for': {
    traits: [],
    operands: ['trips', 'init*'],
    regions: ['bodies*'],
    attributes: ['test'],
    types: ([trips, ...init]) => (trips === U32 ? init : 'the trip count is u32'),
    doc:
      'Runs the body {trips} times. It takes the number of the iteration and the carried values, and ' +
      'yields the next ones. Of several bodies, iterations alternate between them (unrolling). {test}: "top", or "bottom" where the loop also ends behind its last ' +
      'iteration (loop rotation).',
  },
  'thread.while': {
    traits: [],
    operands: ['init*'],
    regions: ['before', 'after'],
    types: given,
    doc:
      'Runs `before`, which ends in thread.condition; while that holds, `after` takes the forwarded ' +
      'values and yields the next ones. The results are what the last condition forwarded.',
  },
  'thread.yield': {
    traits: ['terminator'],
    operands: ['values*'],
    types: () => [],
    doc: 'Ends a region.',
  },
  'thread.condition': {
    traits: ['terminator'],
    operands: ['condition', 'values*'],
    types: ([condition]) => (condition === BOOL ? [] : 'the condition is a bool'),
    doc: 'Ends the `before` region of thread.while.',
  },
  'thread.return': {
    traits: ['terminator'],
    operands: ['values*'],
    types: () => [],
    doc: 'Ends a function.',
  },
  'thread.call': {
    traits: ['pure'],
    operands: ['arguments*'],
    attributes: ['callee'],
    types: given,
    doc: 'A function of the runtime library (`library/`).',
  },
  'thread.report_bounds': {
    traits: ['writes'],
    operands: ['program', 'access', 'count', 'first'],
    attributes: ['half'],
    types: check(U32, U32, U32, U32),
    doc:
      'Reports {count} elements out of range, of which access {access} touched the first one, {first} ' +
      "elements from its tensor's start. {half}: the words of loads, or those of writes.",
  },
  'thread.load_report': {
    traits: ['reads'],
    operands: [],
    attributes: ['word'],
    types: () => [U32],
    doc: "The word {word} of the launch's report, as some thread may have left it by now.",
  },
  'thread.print_record': {
    traits: ['writes'],
    operands: ['program', 'index', 'low', 'high'],
    attributes: ['site'],
    types: check(U32, U32, U32, U32),
    doc: 'Queues a printed value: place {site} of the program, element {index}, the words of the value.',
  },
  'thread.print_iteration': {
    traits: ['writes'],
    operands: [],
    types: () => [],
    doc: 'Counts a print of this thread; the count orders the records of a program.',
  },
  'thread.assert_record': {
    traits: ['writes'],
    operands: ['failed', 'program', 'index'],
    attributes: ['site'],
    types: check(BOOL, U32, U32),
    doc: 'Where {failed}, records that the assertion at place {site} failed for element {index}.',
  },
} satisfies Record<string, ThreadOpSpec>;
