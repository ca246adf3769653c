/**
 * The page's side of the inspect worker. A launch's inputs are sent once, before the first question
 * about it. A worker that dies is replaced at the next question; what it was asked is rejected.
 */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type {
  FromInspectWorker,
  InspectAnswer,
  InspectQuestion,
  ToInspectWorker,
} from './inspectProtocol';

export interface InspectWorkerLike {
  postMessage(message: ToInspectWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromInspectWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

export class InspectHost {
  private worker: InspectWorkerLike | null = null;
  private launch: LaunchInputs | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private numbers = 0;

  constructor(private readonly createWorker: () => InspectWorkerLike = defaultWorker) {}

  ask<Q extends InspectQuestion>(question: Q): Promise<InspectAnswer<Q>> {
    const number = ++this.numbers;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.open().postMessage({ type: 'ask', number, question });
    });
  }
  /** The question is about this launch. */
  askOf<Q extends InspectQuestion>(launch: LaunchInputs, question: Q): Promise<InspectAnswer<Q>> {
    const worker = this.open();
    if (this.launch !== launch) {
      this.launch = launch;
      worker.postMessage({ type: 'launch', inputs: launch });
    }
    return this.ask(question);
  }
  pause(): void {
    this.worker?.postMessage({ type: 'pause' });
  }

  private open(): InspectWorkerLike {
    if (this.worker) return this.worker;
    const worker = this.createWorker();
    worker.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if (data.ok) waiting?.resolve(data.answer as never);
      else waiting?.reject(new Error(data.message));
    };
    worker.onerror = (event) => this.died(event.message || 'the inspect worker crashed');
    this.worker = worker;
    this.launch = null;
    return worker;
  }
  private died(message: string): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.waiting.values()) reject(new Error(message));
    this.waiting.clear();
  }
}

function defaultWorker(): InspectWorkerLike {
  return new Worker(new URL('./inspectWorker.ts', import.meta.url), {
    type: 'module',
    name: 'inspect',
  });
}

let host: InspectHost | null = null;
/** The page's one host; its worker starts with the first question. */
export function inspectHost(): InspectHost {
  return (host ??= new InspectHost());
}
