/** The tensors of the last run, as the panels ask for them: one data worker for the page. */
import { useEffect, useRef, useState } from 'react';
import { DataHost } from '../workers/dataHost';
import type { AnswerTo, Question } from '../workers/dataProtocol';

let host: DataHost | null = null;
let lost = (): void => {};
const dataHost = (): DataHost => (host ??= new DataHost(() => lost()));

/**
 * @param heard is called where the worker that holds tensors ended: its ports lead nowhere then.
 */
export function onDataLost(heard: () => void): void {
  lost = heard;
}

/** For a program worker to send its tensors through. */
export function openDataPort(): MessagePort {
  return dataHost().openPort();
}

export function askData<Q extends Question>(question: Q): Promise<AnswerTo<Q>> {
  return dataHost().ask(question);
}

export type DataAnswer<Q extends Question> =
  | { readonly state: 'waiting' }
  | {
      readonly state: 'known';
      readonly answer: AnswerTo<Q>;
      /** Question that the data answers: perhaps the one before the current. */
      readonly question: Q;
    }
  | { readonly state: 'failed'; readonly message: string };

/** The answer to a question, null for none. One is asked at a time, and of newer ones the last. */
export function useData<Q extends Question>(question: Q | null): DataAnswer<Q> {
  const [found, setFound] = useState<DataAnswer<Q>>({ state: 'waiting' });
  const asked = useRef<{ running: boolean; next: string | null; gone: boolean }>({
    running: false,
    next: null,
    gone: false,
  });
  const key = question === null ? null : JSON.stringify(question);
  useEffect(() => {
    const state = asked.current;
    state.gone = false;
    return () => {
      state.gone = true;
    };
  }, []);
  useEffect(() => {
    const state = asked.current;
    state.next = key;
    const ask = async (): Promise<void> => {
      if (state.running) return;
      state.running = true;
      while (state.next !== null && !state.gone) {
        const current = JSON.parse(state.next) as Q;
        state.next = null;
        const answer = await answerTo(current);
        if (!state.gone) setFound(answer);
      }
      state.running = false;
    };
    void ask();
  }, [key]);
  return found;
}

async function answerTo<Q extends Question>(question: Q): Promise<DataAnswer<Q>> {
  try {
    return { state: 'known', answer: await askData(question), question };
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
