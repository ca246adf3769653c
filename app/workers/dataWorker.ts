/**
 * The data worker: holds the tensors of the last run, and answers the page's questions about them.
 */
import { DataStore } from './dataStore';
import type { FromDataWorker, FromProgram, Question, ToDataWorker } from './dataProtocol';

/** Milliseconds that a question waits for a copy that is on its way over another port. */
const PATIENCE = 2000;

const store = new DataStore();
/** Woken when a copy comes. */
const waiting = new Set<() => void>();
const post = (message: FromDataWorker): void => self.postMessage(message);

self.addEventListener('message', (event: MessageEvent<ToDataWorker>) => {
  const message = event.data;
  if (message.type === 'port') listen(message.port);
  else void answer(message.number, message.question);
});

function listen(port: MessagePort): void {
  port.onmessage = ({ data }: MessageEvent<FromProgram>) => {
    if (data.type === 'begin') store.clear();
    else store.hold(data.id, data.dtype, data.shape, data.bytes);
    for (const wake of waiting) wake();
  };
}

async function answer(number: number, question: Question): Promise<void> {
  try {
    await Promise.all(idsOf(question).map(arrival));
    post({ number, ok: true, answer: store.answer(question) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    post({ number, ok: false, message });
  }
}

function idsOf(question: Question): string[] {
  if ('pair' in question) return [question.pair.actual, question.pair.expected];
  if ('data' in question) return [question.data];
  const { source } = question;
  if (source.kind === 'values') return [source.data];
  return [source.pair.actual, source.pair.expected];
}

/** Resolves when the copy is there, or was waited for long enough. */
function arrival(id: string): Promise<void> {
  if (store.has(id)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      waiting.delete(look);
      resolve();
    };
    const look = (): void => {
      if (store.has(id)) done();
    };
    const timer = setTimeout(done, PATIENCE);
    waiting.add(look);
  });
}
