import { describe, expect, it } from 'vitest';
import type { CoalescingReport, GlobalAccess } from '../../../compiler/inspect/globalAccesses';
import { adviceFor, ownName, viewText } from './advice';

const access = (
  pattern: GlobalAccess['pattern'],
  change: Partial<GlobalAccess> = {},
  programs = false,
): string | null => {
  const tile = { segments: 32, least: 1 };
  const counted = { kind: 'load', pattern, elementBytes: 4, segments: 32, least: 1, tile };
  return adviceFor({ ...counted, ...change } as GlobalAccess, programs);
};

describe('advice', () => {
  it('names the stride, and how the lanes share segments', () => {
    expect(access({ kind: 'strided', stride: 300, apart: 1200 })).toMatchInlineSnapshot(
      `"The lanes of a subgroup load with stride 300 elements: each touches a segment of its own. Let the contiguous dimension vary fastest: put a tl.arange along the dimension of stride 1, or transpose the tensor before the launch."`,
    );
    expect(access({ kind: 'strided', stride: 2, apart: 2 }, { segments: 2 })).toContain(
      'with stride 2 elements: a segment holds those of 16 of them.',
    );
    expect(access({ kind: 'strided', stride: 30, apart: 30 })).toContain(
      'with stride 30 elements: most touch a segment of their own.',
    );
    expect(access({ kind: 'strided', stride: 32, apart: 32 })).toContain('each touches a segment');
    expect(
      access({ kind: 'strided', stride: 1, apart: 4 }, { kind: 'store' }),
    ).toMatchInlineSnapshot(
      `"Each lane of a subgroup stores 4 elements one after the other, not as one vector: the addresses and the mask are not known to cover whole vectors of 16 bytes. Where they do, tl.multiple_of can say so."`,
    );
  });
  it('reports short rows from rows that begin in the middle of a segment', () => {
    expect(access({ kind: 'rows', run: 8, pitch: 300 })).toMatchInlineSnapshot(
      `"The lanes of a subgroup load runs of 8 elements, 300 elements apart. Make the tile longer along the contiguous dimension: 32 elements fill a segment."`,
    );
    expect(access({ kind: 'rows', run: 64, pitch: null })).toMatchInlineSnapshot(
      `"The lanes of a subgroup load runs of 64 elements, which begin in the middle of segments. Rows begin at a segment where their stride is a multiple of 32 elements; a cache may keep the rest for the next instruction."`,
    );
    expect(access({ kind: 'misaligned' }, { segments: 2, elementBytes: 2 })).toMatchInlineSnapshot(
      `"The lanes of a subgroup load contiguous elements from the middle of a segment on, and so one segment more. Rows begin at a segment where their stride is a multiple of 64 elements; a cache may keep the rest for the next instruction."`,
    );
    expect(access({ kind: 'scattered' }, { kind: 'atomic' })).toMatchInlineSnapshot(
      `"The lanes of a subgroup update elements without a common stride, as of a gather. Let neighbouring lanes take neighbouring elements: sort the indices, or gather whole rows."`,
    );
  });
  it('does not blame the program for a layout that is chosen for a dot', () => {
    const tile = { segments: 32, least: 32 };
    expect(access({ kind: 'rows', run: 8, pitch: 300 }, { tile })).toMatchInlineSnapshot(
      `"The lanes of a subgroup load runs of 8 elements, 300 elements apart. The tile as a whole fills its segments; its layout, chosen for the operations that use it, takes several instructions for each, and a cache may keep the rest for the next. The program’s addresses are in order."`,
    );
    for (const pattern of [
      { kind: 'strided', stride: 300, apart: 300 },
      { kind: 'scattered' },
    ] as const)
      expect(access(pattern, { tile })).toContain('The program’s addresses are in order.');
    const strided = { kind: 'strided', stride: 512, apart: 512 } as const;
    expect(access(strided, { tile }, true)).toMatchInlineSnapshot(
      `"The lanes are neighbouring programs, whose tiles lie apart. Each tile as a whole fills its segments, and so it does on a GPU, where the lanes are a program’s threads."`,
    );
    expect(access(strided, {}, true)).toContain('with stride 512 elements');
  });
  it('is not given from 75 % on', () => {
    expect(access({ kind: 'misaligned' }, { segments: 4, least: 3 })).toBeNull();
    expect(access({ kind: 'misaligned' }, { segments: 5, least: 4 })).toBeNull();
    expect(access({ kind: 'misaligned' }, { segments: 3, least: 2 })).not.toBeNull();
  });
});

describe('whose lanes are shown', () => {
  const text = (view: 'own' | 'reference', lanes: number | null, programs: number): string =>
    viewText({
      view,
      lanes: view === 'own' ? (lanes ?? 32) : 32,
      own: { adapter: 'SwiftShader', lanes, programs },
    } as CoalescingReport);
  it('is said with the reason', () => {
    expect([
      text('reference', 4, 4),
      text('reference', 4, 1),
      text('reference', null, 1),
      text('own', 4, 4),
      text('own', 4, 1),
      text('own', null, 1),
    ]).toMatchInlineSnapshot(`
      [
        "As on a GPU with 32 lanes: the kernel is compiled for one here, as SwiftShader runs each program in one thread.",
        "As on a GPU with 32 lanes: the kernel is compiled for one here, as SwiftShader has subgroups of 4 lanes.",
        "As on a GPU with 32 lanes: the kernel is compiled for one here, as SwiftShader reports no subgroup size.",
        "On SwiftShader each program is one thread: the 4 lanes of a subgroup are neighbouring programs.",
        "As on SwiftShader, with 4 lanes a subgroup.",
        "As on SwiftShader, which reports no subgroup size: 32 lanes are assumed.",
      ]
    `);
  });
  it('has a name for the adapter’s own', () => {
    const names = [
      [4, 4],
      [4, 1],
      [null, 1],
    ] as const;
    expect(names.map(([lanes, programs]) => ownName({ adapter: 'a', lanes, programs })))
      .toMatchInlineSnapshot(`
      [
        "This adapter: a program a thread",
        "This adapter: 4 lanes",
        "This adapter: size not known",
      ]
    `);
  });
});
