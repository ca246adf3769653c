/**
 * The CPU's time that other processes have taken, thread by thread as Linux reports it. It never
 * goes back: what a thread or a process had taken when it was last seen stays counted after its
 * end.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Seconds so far of all threads of these processes; null where the system reports none. */
export function threadTimes(): (processes: readonly number[]) => number | null {
  const nanoseconds = new Map<string, number>();
  return (processes) => {
    for (const id of processes)
      for (const thread of existing(() => readdirSync(`/proc/${id}/task`)) ?? []) {
        const file = `/proc/${id}/task/${thread}/schedstat`;
        // The first number: time on a CPU.
        const line = existing(() => readFileSync(file, 'utf8'));
        if (line !== null) nanoseconds.set(file, Number(line.split(' ')[0]));
      }
    if (nanoseconds.size === 0) return null;
    return [...nanoseconds.values()].reduce((sum, one) => sum + one, 0) * 1e-9;
  };
}

/** Null where there is none (any more): threads end while others are read. */
function existing<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
