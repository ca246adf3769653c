import { describe, expect, it } from 'vitest';
import type { PassRecord } from '../../../compiler/program';
import { findPass, irBefore, stepPass, visiblePasses } from './select';

const log = (...names: readonly string[]): PassRecord[] =>
  names.map((name, index) => ({
    index,
    name: name.replace('!', ''),
    phase: 'optimize',
    changed: name.endsWith('!'),
    milliseconds: 1,
    ir: `ir ${index}`,
    locations: [],
  }));
const passes = log('lower!', 'fold!', 'cse', 'fold', 'emit!');

describe('the selected pass', () => {
  it('is at first the last one that changed something', () => {
    expect(findPass(passes, null)?.index).toBe(4);
    expect(findPass([], null)).toBeNull();
  });
  it('is at first one on tiles', () => {
    const threads = passes.map((pass, i) =>
      i < 3 ? pass : { ...pass, phase: 'threads' as const },
    );
    expect(findPass(threads, null)?.index).toBe(1);
  });
  it('is found again by index and name, though a pass runs twice', () => {
    expect(findPass(passes, { index: 3, name: 'fold' })?.index).toBe(3);
    expect(findPass(passes, { index: 1, name: 'fold' })?.index).toBe(1);
  });
  it('follows its name where passes were added before it', () => {
    const longer = log('lower!', 'inline!', 'extra', 'cse', 'fold', 'emit!');
    expect(findPass(longer, { index: 2, name: 'cse' })?.index).toBe(3);
  });
  it('falls back to the place where its pass is gone', () => {
    expect(findPass(passes, { index: 2, name: 'gone' })?.index).toBe(2);
    expect(findPass(passes, { index: 40, name: 'gone' })?.index).toBe(4);
  });
});

describe('the list', () => {
  it('hides the unchanged but never the first', () => {
    const names = (list: readonly PassRecord[]) => list.map((pass) => pass.index);
    expect(names(visiblePasses(passes, true, ''))).toEqual([0, 1, 4]);
    expect(names(visiblePasses(log('lower', 'cse'), true, ''))).toEqual([0]);
    expect(names(visiblePasses(passes, false, 'FOLD'))).toEqual([1, 3]);
    expect(names(visiblePasses(passes, false, 'ir 2'))).toEqual([2]);
  });
  it('is stepped through, and stops at its ends', () => {
    const visible = visiblePasses(passes, true, '');
    expect(stepPass(visible, passes[1]!, 1)?.index).toBe(4);
    expect(stepPass(visible, passes[4]!, 1)?.index).toBe(4);
    expect(stepPass(visible, passes[4]!, -1)?.index).toBe(1);
    // From a pass that the filter hides, to its visible neighbour.
    expect(stepPass(visible, passes[2]!, -1)?.index).toBe(1);
    expect(stepPass([], passes[2]!, 1)).toBeNull();
  });
  it('compares with the IR just before', () => {
    expect(irBefore(passes, passes[3]!)).toBe('ir 2');
    expect(irBefore(passes, passes[0]!)).toBe('');
  });
});
