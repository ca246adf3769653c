/**
 * The session, its compiler and the GPU, in a worker of their own: for browsers whose Python cannot
 * be suspended. It answers the program worker through `channel.ts` and sends events to the page
 * itself, because the program worker sleeps while it waits.
 */
import type { StaticValue } from '../../../compiler/program';
import type { Target } from '../../../compiler/target';
import type { AdapterInfo, ProgramEvent, RunOptions } from '../../events';
import { boundBridge, endRun, failure, type Outcome } from '../../runtime/runner';
import { Session, type SessionServices } from '../../runtime/session';
import { browserParser } from '../browserParser';
import { EventStream } from '../eventStream';
import { Exchanges } from '../exchanges';
import type { DataPort, Exchanged, FromProgramWorker } from '../protocol';
import { browserServices } from '../services';
import { RemoteTunings, type FoundTuning } from '../tunings';
import { plainError, Responder, type Answer, type PlainError, type ToEngine } from './channel';

export interface StartEngine {
  readonly type: 'start-engine';
  /** To the page. */
  readonly page: MessagePort;
  readonly data: DataPort | null;
}

/** The engine worker's one message to the program worker. */
export type Started =
  { readonly adapter: AdapterInfo; readonly target: Target } | { readonly failed: string };

let session: Promise<Session> | null = null;
let page: MessagePort | null = null;
let send: (event: ProgramEvent) => void = () => {};
let started = 0;
let running = 0;
const responder = new Responder(answer);

self.addEventListener('message', (event: MessageEvent<ToEngine | StartEngine>) => {
  if (event.data.type === 'start-engine') {
    session = start(event.data);
    void session.then(ready).then(
      (facts) => self.postMessage(facts),
      (error: unknown) => self.postMessage({ failed: plainError(error).message } satisfies Started),
    );
  } else responder.receive(event.data);
});

async function start(message: StartEngine): Promise<Session> {
  page = message.page;
  const tunings = new RemoteTunings((asked) => page?.postMessage(asked));
  const exchanges = new Exchanges((message) => page?.postMessage(message));
  page.onmessage = ({ data }: MessageEvent<FoundTuning | Exchanged>) =>
    data.type === 'exchanged' ? exchanges.receive(data) : tunings.receive(data);
  const keepInputs: SessionServices['keepInputs'] = (inputs, transfer) =>
    page?.postMessage(
      { type: 'inputs', run: running, inputs } satisfies FromProgramWorker,
      transfer,
    );
  return new Session({
    ...browserServices(await browserParser(), message.data, keepInputs, tunings, (text) =>
      exchanges.send(running, text),
    ),
    callConstexpr: (id, args, keywords) => {
      const request = JSON.stringify([id, JSON.stringify({ args, keywords })]);
      const said = JSON.parse(responder.callBack(request)) as Answer;
      if (!said.ok) throw Object.assign(new Error(said.error.message), { name: said.error.name });
      return JSON.parse(said.value as string) as StaticValue;
    },
  });
}

/** Opens the GPU: after that the program worker may sleep, because nothing more is loaded. */
async function ready(made: Session): Promise<Started> {
  const { info, target } = await made.engineFor('webgpu');
  return { adapter: info, target };
}

async function answer(method: string, args: readonly unknown[]): Promise<unknown> {
  const made = await session;
  if (!made) throw new Error('a call before the start');
  switch (method) {
    case 'begin': {
      const [run, options] = args as [number, RunOptions];
      const stream = new EventStream((events) =>
        page?.postMessage({ type: 'events', run, events } satisfies FromProgramWorker),
      );
      send = (event) => stream.send(event);
      started = performance.now();
      running = run;
      const engine = await made.begin(options, send);
      send({ type: 'started', adapter: engine.info, time: Date.now() });
      await made.reportCalibration();
      return null;
    }
    case 'end': {
      const [entry, outcome, failed] = args as [string, Outcome, PlainError | null];
      if (failed)
        send(failure(Object.assign(new Error(failed.message), { name: failed.name }), entry));
      await endRun(made, entry, outcome, started, send);
      return null;
    }
    case 'storage_read_into': {
      const [storage, into] = args as [number, SharedArrayBuffer];
      new Uint8Array(into).set(await made.storage_read(storage));
      return null;
    }
    case 'storage_write_from': {
      const [storage, from, bytes] = args as [number, SharedArrayBuffer, number];
      (await made.storage_read(storage)).set(new Uint8Array(from, 0, bytes));
      made.storage_written(storage);
      return null;
    }
    default: {
      const bridge = boundBridge(made) as unknown as Record<string, (...all: unknown[]) => unknown>;
      const one = bridge[method];
      if (!one) throw new Error(`unknown call ${method}`);
      return one(...args);
    }
  }
}
