/**
 * Text of the drawn state: a part that could not be drawn is tried again with another program or
 * run.
 */
import { useDocument } from './document';
import { useRun } from './run';

export function useDrawn(): string {
  const program = useDocument((state) => state.program);
  const run = useRun((state) => state.record?.run ?? 0);
  return `${program} ${run}`;
}
