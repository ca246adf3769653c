/** The inspect worker: see `inspector.ts`. Questions are answered in their order. */
import { browserCompiler } from './browserCompiler';
import { browserParser } from './browserParser';
import { Inspector } from './inspector';
import type { FromInspectWorker, ToInspectWorker } from './inspectProtocol';

const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const ready = browserParser().then(
  (parser) => new Inspector(browserCompiler(parser), parser, breathe),
);
let queue: Promise<void> = Promise.resolve();

const post = (message: FromInspectWorker): void => self.postMessage(message);

self.addEventListener('message', (event: MessageEvent<ToInspectWorker>) => {
  const message = event.data;
  switch (message.type) {
    case 'pause':
      void ready.then((inspector) => inspector.pause());
      return;
    case 'launch':
      queue = queue.then(async () => (await ready).setLaunch(message.inputs));
      return;
    case 'ask':
      queue = queue.then(() => answer(message.number, message.question));
      return;
    default:
      message satisfies never;
  }
});

type Ask = Extract<ToInspectWorker, { type: 'ask' }>;
async function answer(number: number, question: Ask['question']): Promise<void> {
  try {
    post({ number, ok: true, answer: await (await ready).answer(question) });
  } catch (error) {
    post({ number, ok: false, message: error instanceof Error ? error.message : String(error) });
  }
}
