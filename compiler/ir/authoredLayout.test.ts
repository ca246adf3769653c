/** Layouts that a program's author writes: both forms, against what Triton 3.8 makes of them. */
import { describe, expect, it } from 'vitest';
import { authoredName, isSupported, linearOf, parseLayout, refitted } from './authoredLayout';
import type { Basis } from './layout';

const ROWS = 'BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])';
const CUBE = 'BlockedLayout([1, 1, 2], [2, 4, 4], [2, 1, 2], [2, 1, 0])';
const TILE =
  '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>';

/** Bases that `format_hardware_view` of Triton 3.8 shows; zero bases of registers are copies. */
const CASES: readonly (readonly [string, readonly number[], Basis[], Basis[], Basis[]])[] = [
  [
    'BlockedLayout([4], [32], [4], [0])',
    [1024],
    [[1], [2], [512]],
    [[4], [8], [16], [32], [64]],
    [[128], [256]],
  ],
  [
    'gl.BlockedLayout([4], [32], [4], [0])',
    [64],
    [[1], [2]],
    [[4], [8], [16], [32], [0]],
    [[0], [0]],
  ],
  [
    TILE,
    [8, 16],
    [[0, 1]],
    [
      [0, 2],
      [0, 4],
      [0, 8],
      [1, 0],
      [2, 0],
    ],
    [
      [0, 0],
      [4, 0],
    ],
  ],
  [
    TILE,
    [32, 64],
    [
      [0, 1],
      [0, 32],
      [8, 0],
      [16, 0],
    ],
    [
      [0, 2],
      [0, 4],
      [0, 8],
      [1, 0],
      [2, 0],
    ],
    [
      [0, 16],
      [4, 0],
    ],
  ],
  [
    'BlockedLayout(size_per_thread=[2, 2], threads_per_warp=[8, 4], warps_per_cta=[1, 4], order=[0, 1])',
    [16, 64],
    [
      [1, 0],
      [0, 1],
      [0, 32],
    ],
    [
      [2, 0],
      [4, 0],
      [8, 0],
      [0, 2],
      [0, 4],
    ],
    [
      [0, 8],
      [0, 16],
    ],
  ],
  [`SliceLayout(dim=1, parent=${ROWS})`, [32], [[16]], [[0], [0], [0], [1], [2]], [[4], [8]]],
  [
    `SliceLayout(0, ${ROWS})`,
    [128],
    [[1], [2], [32], [64]],
    [[4], [8], [16], [0], [0]],
    [[0], [0]],
  ],
  [
    `SliceLayout(0, gl.SliceLayout(2, ${CUBE}))`,
    [16],
    [[4], [8]],
    [[0], [0], [1], [2], [0]],
    [[0], [0]],
  ],
  [
    'BlockedLayout([1, 2, 2], [2, 4, 4], [2, 1, 2], [1, 2, 0])',
    [4, 16, 32],
    [
      [0, 1, 0],
      [0, 0, 1],
      [0, 8, 0],
      [0, 0, 16],
    ],
    [
      [0, 2, 0],
      [0, 4, 0],
      [0, 0, 2],
      [0, 0, 4],
      [1, 0, 0],
    ],
    [
      [0, 0, 8],
      [2, 0, 0],
    ],
  ],
];

describe('a layout that is written down', () => {
  it.each(CASES)('%s on %j', (text, shape, register, lane, subgroup) => {
    const layout = linearOf(parseLayout(text), shape);
    expect(layout).toEqual({ register, lane, subgroup });
    expect(isSupported(layout, shape)).toBe(true);
    // The printed form is read as the same.
    expect(linearOf(parseLayout(authoredName(parseLayout(text))), shape)).toEqual(layout);
  });

  it('keeps the bits of the thread’s number where subgroups have another size', () => {
    const layout = linearOf(parseLayout('BlockedLayout([1], [32], [4], [0])'), [128]);
    expect(refitted(layout, { lanes: 2, subgroups: 5 })).toEqual({
      register: [],
      lane: [[1], [2]],
      subgroup: [[4], [8], [16], [32], [64]],
    });
    // Of 32 threads each holds what four did.
    expect(refitted(layout, { lanes: 0, subgroups: 5 }).register).toEqual([[32], [64]]);
  });

  it('is read from a line of IR, and by its bases', () => {
    const line =
      '#linear = #ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [], block = []}>';
    expect(parseLayout(line)).toEqual({
      kind: 'linear',
      register: [[0, 1]],
      lane: [
        [1, 0],
        [2, 0],
      ],
      subgroup: [],
    });
  });

  it.each([
    ['', 'neither'],
    ['BlockedLayout([1], [32], [4]', 'ends too early'],
    ['BlockedLayout([1], [32], [4])', 'lacks order'],
    ['BlockedLayout([1], [32, 1], [4], [0])', 'must have one length'],
    ['BlockedLayout([3], [32], [4], [0])', 'powers of two'],
    ['BlockedLayout([1, 1], [32, 1], [4, 1], [1, 1])', 'permutation'],
    ['SliceLayout(2, BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0]))', 'has 2 dimensions'],
    ['#ttg.nvidia_mma<{versionMajor = 3}>', 'particular hardware'],
  ])('%s is refused', (text, words) => {
    expect(() => parseLayout(text)).toThrow(words);
  });
});
