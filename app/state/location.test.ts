import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  moveBreakpoints as replace,
  toggleBreakpoint as toggle,
  useBreakpoints,
} from './breakpoints';
import { select, useLocation } from './location';

describe('the selected location', () => {
  afterEach(() => select(null));
  it('reports its listeners of a change only, but of every request to be taken there', () => {
    const heard = vi.fn();
    const end = useLocation.subscribe(heard);
    select({ file: 'a.py', line: 3, from: 'editor' });
    select({ file: 'a.py', line: 3, from: 'editor' });
    expect(heard).toHaveBeenCalledTimes(1);
    select({ file: 'a.py', line: 3, column: 1, from: 'output' });
    select({ file: 'a.py', line: 3, column: 1, from: 'output' });
    expect(heard).toHaveBeenCalledTimes(3);
    end();
  });
});

describe('breakpoints', () => {
  afterEach(() => useBreakpoints.setState({ breakpoints: [] }));
  it('are set, taken away and moved, a file at a time', () => {
    toggle('b.py', 2);
    toggle('a.py', 9);
    toggle('a.py', 4);
    expect(useBreakpoints.getState().breakpoints).toEqual([
      { file: 'a.py', line: 4 },
      { file: 'a.py', line: 9 },
      { file: 'b.py', line: 2 },
    ]);
    // Two lines that an edit joined are one.
    replace('a.py', [5, 5]);
    toggle('b.py', 2);
    expect(useBreakpoints.getState().breakpoints).toEqual([{ file: 'a.py', line: 5 }]);
  });
});
