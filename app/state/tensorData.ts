/** The tensors of the last run, as the panels ask for them: one data worker for the page. */
import { useEffect, useState } from 'react';
import { DataHost } from '../workers/dataHost';
import type { AnswerTo, Question } from '../workers/dataProtocol';

let host: DataHost | null = null;
const dataHost = (): DataHost => (host ??= new DataHost());

/** For a program worker to send its tensors through. */
export function openDataPort(): MessagePort {
  return dataHost().openPort();
}

export function askData<Q extends Question>(question: Q): Promise<AnswerTo<Q>> {
  return dataHost().ask(question);
}

export type DataAnswer<T> =
  | { readonly state: 'waiting' }
  /** `fresh` is false while the answer to a newer question is awaited. */
  | { readonly state: 'known'; readonly answer: T; readonly fresh: boolean }
  | { readonly state: 'failed'; readonly message: string };

/** The answer to a question, null for none. One is asked at a time: of newer ones the last. */
export function useData<Q extends Question>(question: Q | null): DataAnswer<AnswerTo<Q>> {
  const key = question === null ? null : JSON.stringify(question);
  const [found, setFound] = useState<{ key: string | null; value: DataAnswer<AnswerTo<Q>> }>({
    key: null,
    value: { state: 'waiting' },
  });
  useEffect(() => {
    if (key === null) return;
    let current = true;
    askData(JSON.parse(key) as Q).then(
      (answer) => {
        if (current) setFound({ key, value: { state: 'known', answer, fresh: true } });
      },
      (error: unknown) => {
        if (current)
          setFound({ key, value: { state: 'failed', message: (error as Error).message } });
      },
    );
    return () => {
      current = false;
    };
  }, [key]);
  const { value } = found;
  if (found.key === key || value.state !== 'known') return value;
  return { ...value, fresh: false };
}
