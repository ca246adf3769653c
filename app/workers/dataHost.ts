/**
 * The page's side of the data worker: questions with promises for answers, and a port for each
 * program worker. A data worker that dies (of memory, most likely) is reported in the answer, and
 * replaced.
 */
import type { AnswerTo, FromDataWorker, Question, ToDataWorker } from './dataProtocol';

export interface DataWorkerLike {
  postMessage(message: ToDataWorker, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromDataWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

export class DataHost {
  private worker: DataWorkerLike | null = null;
  private readonly pending = new Map<number, Pending>();
  private numbers = 0;

  /** @param lost hears that the ports that were opened lead nowhere any more. */
  constructor(
    private readonly lost: () => void,
    private readonly createWorker: () => DataWorkerLike = defaultWorker,
  ) {}

  /** The other end of a new port, for a program worker to send its tensors through. */
  openPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.open().postMessage({ type: 'port', port: port1 }, [port1]);
    return port2;
  }

  /** @throws (rejects) what the worker says where it has no answer. */
  ask<Q extends Question>(question: Q): Promise<AnswerTo<Q>> {
    return new Promise((resolve, reject) => {
      const number = ++this.numbers;
      this.pending.set(number, { resolve, reject });
      this.open().postMessage({ type: 'ask', number, question });
    });
  }

  private open(): DataWorkerLike {
    if (this.worker) return this.worker;
    const worker = this.createWorker();
    worker.onmessage = ({ data }) => this.receive(data);
    worker.onerror = (event) => this.died(event.message || 'it crashed');
    this.worker = worker;
    return worker;
  }

  private receive(message: FromDataWorker): void {
    const pending = this.pending.get(message.number);
    this.pending.delete(message.number);
    if (message.ok) pending?.resolve(message.answer as never);
    else pending?.reject(new Error(message.message));
  }

  private died(reason: string): void {
    this.worker?.terminate();
    this.worker = null;
    const error = new Error(`The worker that held this run's tensors ended: ${reason}`);
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    this.lost();
  }
}

/** Bytes of tensors that are kept for each purpose (`runtime/hold.ts`): less on small machines. */
export function dataShare(): number {
  const gibibytes = (navigator as { deviceMemory?: number }).deviceMemory ?? 8;
  return Math.min(8, gibibytes) * 32 * 2 ** 20;
}

function defaultWorker(): DataWorkerLike {
  return new Worker(new URL('./dataWorker.ts', import.meta.url), { type: 'module', name: 'data' });
}
