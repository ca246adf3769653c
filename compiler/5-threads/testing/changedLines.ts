/** For tests: the lines of printed IR that a pass changes in place. */
import { expect } from 'vitest';

/**
 * Each changed line before (`-`) and after (`+`), without layouts. The pass adds and removes no
 * lines, and reports a change exactly where there is one.
 */
export function changedLines(print: () => string, run: () => boolean): string {
  const before = print().split('\n');
  const changed = run();
  const after = print().split('\n');
  expect(after).toHaveLength(before.length);
  const lines = before.flatMap((line, i) =>
    line === after[i] ? [] : [`-${line.slice(1)}`, `+${after[i]!.slice(1)}`],
  );
  expect(changed).toBe(lines.length > 0);
  return lines.join('\n').replaceAll(/, #L\d+/g, '');
}
