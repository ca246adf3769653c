/**
 * Two tabs never overwrite each other: a Web Lock says which tab has a program. The others show its text
 * as it changes, write into a copy, can take the program over, and get it when it becomes free. Where
 * the browser has no locks, a program counts as this tab's.
 */
import { isKeptProgram, type KeptProgram } from './kept';

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

/** Gives back what this tab had and asks for this program. Resolves when it is known who has it. */
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

/** @returns whether the lock was got; it is kept until the tab asks for another program. */
function request(
  program: string,
  mine: number,
  holder: Holder,
  options: LockOptions,
): Promise<boolean> {
  return new Promise((told) => {
    const holding = (lock: Lock | null): Promise<void> | undefined => {
      if (!lock || mine !== turn) {
        told(false);
        return undefined;
      }
      holder.onState(false);
      told(true);
      return new Promise((resolve) => (release = resolve));
    };
    navigator.locks.request(lockName(program), options, holding).catch(() => {
      told(false);
      // Another tab took it: this one waits until that is done.
      if (mine !== turn) return;
      holder.onState(true);
      holder.onTakenOver();
      void request(program, mine, holder, {});
    });
  });
}

/** Tells other tabs a program's newer text. */
export function tellOthers(program: KeptProgram): void {
  channel?.postMessage(program);
}
/** Listens to other tabs. */
export function startTabs(onProgram: (program: KeptProgram) => void): void {
  if (typeof BroadcastChannel !== 'function') return;
  channel = new BroadcastChannel('hippocamp');
  channel.onmessage = (event: MessageEvent<unknown>) => {
    if (isKeptProgram(event.data)) onProgram(event.data);
  };
}
