/**
 * Two tabs never overwrite each other: a Web Lock says which tab has a program. The others show its
 * text as it changes, write into a copy, can take the program over, and get it when it becomes
 * free. Where the browser has no locks, or denies them (blocked storage, a foreign frame), a
 * program counts as this tab's.
 */
import { programFrom, type KeptProgram } from './records';

export interface Holder {
  /** Called with true while another tab has the program. */
  readonly onState: (elsewhere: boolean) => void;
  readonly onTakenOver: () => void;
}

const lockName = (program: string): string => `hippocamp:program:${program}`;
let release: (() => void) | null = null;
let turn = 0;
let held: { readonly program: string; readonly holder: Holder } | null = null;
let channel: BroadcastChannel | null = null;

/** Gives back what this tab had and requests this program. Resolves when it is known who has it. */
export async function hold(program: string, holder: Holder): Promise<void> {
  const mine = ++turn;
  release?.();
  release = null;
  held = { program, holder };
  holder.onState(false);
  if (!navigator.locks) return;
  const had = await request(program, mine, holder, { ifAvailable: true });
  if (had || mine !== turn) return;
  holder.onState(true);
  // Whoever has it closes or moves on some day.
  void request(program, mine, holder, {});
}

/** Takes the program that is open here from the tab that has it. */
export async function takeOver(): Promise<void> {
  if (!held || !navigator.locks) return;
  await request(held.program, ++turn, held.holder, { steal: true });
}

/**
 * @returns whether the program is this tab's: the lock was granted, and is kept until the tab
 * requests for another program; or locks are denied.
 */
function request(
  program: string,
  mine: number,
  holder: Holder,
  options: LockOptions,
): Promise<boolean> {
  return new Promise((reported) => {
    let granted = false;
    const holding = (lock: Lock | null): Promise<void> | undefined => {
      if (!lock || mine !== turn) {
        reported(false);
        return undefined;
      }
      granted = true;
      holder.onState(false);
      reported(true);
      return new Promise((resolve) => (release = resolve));
    };
    navigator.locks.request(lockName(program), options, holding).catch((error: unknown) => {
      const current = mine === turn;
      if (!granted || !isAbort(error)) {
        // Denied. A second request would be denied too.
        if (current) holder.onState(false);
        reported(current);
        return;
      }
      // Another tab took the lock: this tab waits until that one gives it back.
      if (!current) return;
      holder.onState(true);
      holder.onTakenOver();
      void request(program, mine, holder, {});
    });
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Sends other tabs a program's newer text. */
export function broadcast(program: KeptProgram): void {
  channel?.postMessage(program);
}
/** Listens to other tabs. */
export function startTabs(onProgram: (program: KeptProgram) => void): void {
  if (typeof BroadcastChannel !== 'function') return;
  channel = new BroadcastChannel('hippocamp');
  channel.onmessage = (event: MessageEvent<unknown>) => {
    const program = programFrom(event.data);
    if (program) onProgram(program);
  };
}
