/**
 * The proof of a program in the page: `hippocamp prove`'s runs and analysis, in workers of their
 * own, so that Run stays free. One proof is made at a time; what it found stays with its program.
 *
 * Guarantee: Stop ends it in every phase. A report says of which text it is.
 */
import { create } from 'zustand';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { ProgramEvent } from '../events';
import type { ProofRuns, RunRequest, RunResult } from '../prove/proof';
import type { ProofReport } from '../prove/report';
import { eventFrom, inputsFrom } from '../shapes/events';
import { ProgramHost } from '../workers/programHost';
import type { ProgramMessage } from '../workers/protocol';
import type { FromProveWorker, ToProveWorker } from '../workers/proveProtocol';
import { programText, useDocument } from './document';
import { storeOfProgram } from './ofProgram';
import { extrasOf } from './runExtras';
import { effectiveSettings, runOptions } from './settings';

export interface ProofState {
  /** The text that the proof is of; null where none was begun. */
  readonly text: string | null;
  readonly report: ProofReport | null;
  /** Launches of the proof, for the debugger. */
  readonly launches: readonly LaunchInputs[];
  /** Why there is no report. */
  readonly failure: string | null;
}

export const useProof = storeOfProgram<ProofState>({
  text: null,
  report: null,
  launches: [],
  failure: null,
});

/** Progress of the proof that is being made. */
export interface Proving {
  /** Identity of its program. */
  readonly program: string;
  readonly name: string;
  readonly text: string;
  /** Share of the whole proof that is done, from 0 to 1. */
  readonly fraction: number;
}

/** The page makes one proof at a time; null where it makes none. */
export const useProving = create<{ readonly proving: Proving | null }>(() => ({ proving: null }));

/** Ends the proof that is being made. */
let end: ((failure: string) => void) | null = null;

export function stopProof(): void {
  end?.('The proof was stopped.');
}

/** Proves the program in view. Does nothing while a proof is being made. */
export function prove(): void {
  const state = useDocument.getState();
  if (end || state.entry === '') return;
  const { identity, name, entry, files, program } = state;
  const store = useProof.of(identity);
  store.setState({ text: programText(state), report: null, launches: [], failure: null });
  // Another proof may have begun when something of this one arrives.
  let ended = false;
  const hear = (text: string, fraction: number): void => {
    if (!ended) useProving.setState({ proving: { program: identity, name, text, fraction } });
  };
  hear('loading Python', 0);
  const runs = new ProofRunner(program, files, entry, hear);
  let analysis: Analysis | null = null;
  const settle = (change: Partial<ProofState>): void => {
    if (ended) return;
    ended = true;
    end = null;
    runs.end();
    analysis?.end();
    store.setState(change);
    useProving.setState({ proving: null });
  };
  end = (failure) => settle({ failure });
  // The engine's code comes with the first proof.
  import('../prove/proof')
    .then(({ runForProof }) =>
      ended
        ? null
        : runForProof(entry, effectiveSettings().adapter, (request) => runs.run(request)),
    )
    .then((made) => {
      if (made === null) return;
      runs.end();
      if ('version' in made) return settle({ report: made });
      if (ended) return;
      analysis = new Analysis(made, (text) => hear(text, ANALYSIS), settle);
    })
    .catch((error: unknown) =>
      settle({ failure: error instanceof Error ? error.message : String(error) }),
    );
}

/** The share of a proof's time that its runs have in the bar. */
const ANALYSIS = 0.85;

/** The program worker of a proof: the same as that of runs, in another thread. */
class ProofRunner {
  readonly #host: ProgramHost;
  #take: (message: ProgramMessage) => void = () => {};
  #ended = false;

  constructor(
    private readonly program: string,
    private readonly files: Readonly<Record<string, string>>,
    private readonly entry: string,
    private readonly hear: (text: string, fraction: number) => void,
  ) {
    this.#host = ProgramHost.ofFewRuns((message) => this.#take(message));
  }

  run({ adapter, options, text, number, of }: RunRequest): Promise<RunResult> {
    const events: ProgramEvent[] = [];
    const launches: LaunchInputs[] = [];
    const fraction = ((number - 1) / of) * ANALYSIS;
    const hear = (more: string): void => this.hear(`running ${text}${more}`, fraction);
    hear('');
    return new Promise((resolve, reject) => {
      this.#take = (message) => {
        if (message.type === 'failed') reject(new Error(message.message));
        if (message.type === 'inputs') {
          const inputs = inputsFrom(message.inputs);
          if (inputs) launches.push(inputs);
        }
        if (message.type !== 'event') return;
        // A program's worker may send anything: only an event's shape is believed.
        const event = eventFrom(message.event);
        if (event?.type === 'progress') hear(`: ${event.text}`);
        else if (event) events.push(event);
        if (message.event.type === 'finished') resolve({ events, launches, interrupted: false });
      };
      const all = { ...runOptions(), ...options, adapter };
      void extrasOf(this.files, this.entry).then((extras) => {
        if (!this.#ended) this.#host.run(this.files, this.entry, all, this.program, extras);
      });
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#take = () => {};
    this.#host.end();
  }
}

/** The worker that analyses what the runs left. */
class Analysis {
  readonly #worker = new Worker(new URL('../workers/proveWorker.ts', import.meta.url), {
    type: 'module',
    name: 'prove',
  });

  constructor(
    runs: ProofRuns,
    hear: (text: string) => void,
    settle: (change: Partial<ProofState>) => void,
  ) {
    hear('comparing and proving');
    const { launches } = runs;
    this.#worker.onmessage = ({ data }: MessageEvent<FromProveWorker>) => {
      if (data.type === 'progress') hear(data.text);
      else if (data.type === 'report') settle({ report: data.report, launches });
      else settle({ failure: data.message });
    };
    this.#worker.onerror = (event) =>
      settle({ failure: event.message || 'the prove worker crashed' });
    this.#worker.postMessage({ runs } satisfies ToProveWorker);
  }

  end(): void {
    this.#worker.terminate();
  }
}
