/** A thread's place, and operations of the threads of a subgroup or of a workgroup together. */
import { number, U32 } from '../types';
import { type ThreadOpSpec } from './spec';

const place = (doc: string): ThreadOpSpec => ({
  traits: ['pure'],
  operands: [],
  types: () => [U32],
  doc,
});

export const GROUPS = {
  'thread.program_id': {
    traits: ['pure'],
    operands: [],
    attributes: ['axis'],
    types: () => [U32],
    doc: 'Which program of the grid this is along {axis} (0, 1, 2).',
  },
  'thread.workgroup_id': {
    traits: ['pure'],
    operands: [],
    attributes: ['axis'],
    types: () => [U32],
    doc: 'Which workgroup of the dispatch this is along {axis}.',
  },
  'thread.thread_id': place('The number of this thread in its program.'),
  'thread.subgroup_id': place('The number of this subgroup in its program.'),
  'thread.subgroup_shuffle': {
    traits: ['convergent'],
    operands: ['x', 'lane'],
    types: ([x, lane]) =>
      x?.kind === 'number' && x.scalar !== 'bool' && lane === U32
        ? [x]
        : 'takes a number and a lane',
    doc: 'What the lane {lane} of the subgroup has for {x}.',
  },
  'thread.subgroup_shuffle_xor': {
    traits: ['convergent'],
    operands: ['x', 'mask'],
    types: ([x, mask]) =>
      x?.kind === 'number' && x.scalar !== 'bool' && mask === U32
        ? [x]
        : 'takes a number and a mask',
    doc: 'What the lane whose number differs in {mask} has for {x}.',
  },
  'thread.barrier': {
    traits: ['barrier', 'convergent'],
    operands: [],
    attributes: ['workgroup', 'storage'],
    types: () => [],
    doc:
      'Every thread of the workgroup arrives before any goes on. {workgroup}, {storage}: which memories ' +
      'every thread then sees as the others wrote them.',
  },
  'thread.workgroup_uniform': {
    traits: ['barrier', 'convergent'],
    operands: ['memory', 'x'],
    types: ([memory, x]) =>
      memory?.kind === 'memory' && memory.space === 'workgroup' && x && x === memory.element
        ? [x]
        : 'takes a workgroup variable and a value of its type',
    doc:
      'The {x} of thread 0, by way of {memory}: equal in all threads, so that WGSL takes it as uniform. ' +
      'A barrier stands before and behind it.',
  },
} satisfies Record<string, ThreadOpSpec>;

export const PAIR = number('u32', 2);
