/**
 * Stores of state that belongs to one program: its run, its compilation, what panels show of it. A
 * read gives the state of the program in view, which is the initial state until something is
 * written for that program. So nothing of one program can be shown for, or stored with, another. A
 * test lists the stores that are the page's own; every other store is one of these.
 *
 * Work that goes on when the visitor opens another program (a run, a compilation) writes through
 * `of` with the program that it began with.
 */
import { createStore, useStore } from 'zustand';
import { useDocument } from './document';

export type Change<T> = Partial<T> | ((state: T) => Partial<T>);

/** The state of one program, whichever is in view. */
export interface StateOf<T> {
  getState(): T;
  /** Does nothing where the state is not held any more and its program is not in view. */
  setState(change: Change<T>): void;
}

/** The state of the program in view. */
export interface ProgramStore<T> extends StateOf<T> {
  (): T;
  <U>(selector: (state: T) => U): U;
  of(program: string): StateOf<T>;
  /** Hears each change of what is in view: a write, or that another program is opened. */
  subscribe(listener: (state: T, old: T) => void): () => void;
}

/**
 * The program in view, as these stores know it: a copy that goes on from a program takes its state
 * along.
 */
export const programInView = (): string => useDocument.getState().identity;

/** @param kept of so many programs the state is held, of those written last. */
export function storeOfProgram<T extends object>(initial: T, kept = 1): ProgramStore<T> {
  const states = createStore<ReadonlyMap<string, T>>(() => new Map());
  const stateOf = (program: string): T => states.getState().get(program) ?? initial;
  const of = (program: string): StateOf<T> => ({
    getState: () => stateOf(program),
    setState: (change) => {
      const all = states.getState();
      if (program !== programInView() && !all.has(program)) return;
      const old = stateOf(program);
      const changed = { ...old, ...(typeof change === 'function' ? change(old) : change) };
      const others = [...all].filter(([other]) => other !== program);
      states.setState(new Map([...others, [program, changed] as const].slice(-kept)), true);
    },
  });
  const inView = (): StateOf<T> => of(programInView());
  const subscribe = (listener: (state: T, old: T) => void): (() => void) => {
    let seen = inView().getState();
    const look = (): void => {
      const [state, old] = [inView().getState(), seen];
      seen = state;
      if (state !== old) listener(state, old);
    };
    const ends = [states.subscribe(look), useDocument.subscribe(look)];
    return () => ends.forEach((end) => end());
  };
  function useProgramState(): T;
  function useProgramState<U>(selector: (state: T) => U): U;
  function useProgramState<U>(selector?: (state: T) => U): T | U {
    const program = useDocument((state) => state.identity);
    return useStore(states, (all) => {
      const state = all.get(program) ?? initial;
      return selector ? selector(state) : state;
    });
  }
  return Object.assign(useProgramState, {
    getState: () => inView().getState(),
    setState: (change: Change<T>) => inView().setState(change),
    of,
    subscribe,
  });
}
