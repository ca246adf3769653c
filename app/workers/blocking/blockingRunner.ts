/**
 * Runs programs where Python cannot be suspended (no JSPI), in a page that is cross-origin
 * isolated: the session with its GPU lives in the engine worker, and every call of Python blocks
 * until it is answered. The same programs do the same; only the waiting differs.
 */
import type { PyodideInterface } from 'pyodide';
import { fillOf } from '../../../compiler/inspect/fill';
import { installPackages } from '../../python/install';
import type { ProgramFiles, RunOptions } from '../../events';
import { breakdown, BROKEN, tidyPython, type Outcome } from '../../runtime/runner';
import type { Bridge } from '../bridge';
import { Caller, plainError, type ToEngine } from './channel';
import { Mirrors } from './mirrors';

interface PythonHost {
  run(request: string): string;
  call_constexpr(id: string, args: string): string;
  tidy(): string;
}

export interface BlockingRunner {
  run(run: number, files: ProgramFiles, entry: string, options: RunOptions): void;
  /** As a `Runner`'s. */
  tidy(): readonly string[];
}

/**
 * @param post to the engine worker.
 * @param files the Python packages of `app/python`, by path.
 */
export function createBlockingRunner(
  pyodide: PyodideInterface,
  post: (message: ToEngine) => void,
  files: Readonly<Record<string, string>>,
): BlockingRunner {
  let host: PythonHost | null = null;
  const caller = new Caller(post, (request) => {
    const [id, args] = JSON.parse(request) as [string, string];
    try {
      if (!host) throw new Error('Python is still loading');
      return JSON.stringify({ ok: true, value: host.call_constexpr(id, args) });
    } catch (error) {
      return JSON.stringify({ ok: false, error: plainError(error) });
    }
  });
  const mirrors = new Mirrors({
    read: (storage, into) => void caller.call('storage_read_into', storage, into),
    write: (storage, from, bytes) => void caller.call('storage_write_from', storage, from, bytes),
  });
  installPackages(pyodide, blockingBridge(caller, mirrors), files);
  host = pyodide.pyimport('_hippocamp_host') as unknown as PythonHost;
  const python = host;
  let broken = false;
  return {
    run(run, programFiles, entry, options) {
      mirrors.clear();
      let outcome: Outcome = 'error';
      let failure: unknown = null;
      try {
        caller.call('begin', run, options);
      } catch (error) {
        failure = plainError(error);
      }
      if (failure === null) {
        const request = JSON.stringify({ files: programFiles, entry, options });
        try {
          outcome = (JSON.parse(python.run(request)) as { outcome: Outcome }).outcome;
        } catch (error) {
          // The program's outcome is in the answer; anything that is thrown ends this Python.
          broken = true;
          caller.send('emit', JSON.stringify(breakdown(error, entry)));
        }
      }
      caller.call('end', entry, outcome, failure);
    },
    tidy: () => (broken ? BROKEN : tidyPython(python)),
  };
}

/** What Python calls. An error is an answer, so that Python raises its own exception for it. */
function blockingBridge(caller: Caller, mirrors: Mirrors): object {
  const ask = <Name extends keyof Bridge>(
    name: Name,
    ...args: readonly unknown[]
  ): ReturnType<Bridge[Name]> => caller.call(name, ...args) as ReturnType<Bridge[Name]>;
  /** Kernels read what Python wrote, and write what Python has copies of. */
  const withKernels = <T>(work: () => T): T => {
    mirrors.flush();
    const answer = work();
    mirrors.forget();
    return answer;
  };
  const bridge: Bridge = {
    storage_create: (bytes, low = 0, high = 0) => {
      const id = ask('storage_create', Number(bytes), Number(low), Number(high));
      mirrors.add(id, Number(bytes), fillOf(Number(low), Number(high)));
      return id;
    },
    storage_address: (storage, onHost) => ask('storage_address', storage, onHost),
    storage_read: (storage) => mirrors.read(storage),
    storage_bytes: (storage, use) => {
      const bytes = mirrors.read(storage);
      if (use !== 0) mirrors.written(storage);
      return bytes;
    },
    storage_written: (storage) => mirrors.written(storage),
    storage_release: (storage) => {
      mirrors.remove(storage);
      caller.send('storage_release', storage);
    },
    tensor_hold: (request) => {
      mirrors.flush();
      return ask('tensor_hold', request);
    },
    program_register: (program) => ask('program_register', program),
    launch: (request) => withKernels(() => ask('launch', request)),
    relaunch: (prepared, ...storages) =>
      withKernels(() => ask('relaunch', prepared, ...storages.map(Number))),
    graph_create: (launches) => ask('graph_create', launches),
    graph_launch: (graph) => withKernels(() => ask('graph_launch', graph)),
    graph_release: (graph) => caller.send('graph_release', graph),
    kernel_facts: (key) => ask('kernel_facts', key),
    kernel_ir: (key, profile, question) => ask('kernel_ir', key, profile, question),
    synchronize: () => ask('synchronize'),
    bench_mark: (on, silent = false) => caller.send('bench_mark', on, silent),
    autotune_mark: (on) => caller.send('autotune_mark', on),
    capture_prints: (on) => ask('capture_prints', on),
    bench_begin: () => ask('bench_begin'),
    bench_end: (milliseconds, cpuWork, best) =>
      withKernels(() => ask('bench_end', milliseconds, cpuWork, best)),
    profile_slot: (slot) => caller.send('profile_slot', slot),
    profile_times: () => ask('profile_times'),
    tuned: (key) => ask('tuned', key),
    remember_tuned: (key, text) => caller.send('remember_tuned', key, text),
    emit: (event) => caller.send('emit', event),
    exchange: (text) => ask('exchange', text),
    environment: () => ask('environment'),
  };
  return Object.fromEntries(
    Object.entries(bridge as unknown as Record<string, (...args: never[]) => unknown>).map(
      ([name, method]) => [
        name,
        (...args: never[]) => {
          try {
            return method(...args);
          } catch (error) {
            return { rejected: error };
          }
        },
      ],
    ),
  );
}
