/**
 * For tests: a Pyodide with the packages installed, over a bridge that only keeps storages, so that
 * torch is tested without a GPU. Launches are recorded and answered by the test.
 */
import { loadPyodide } from 'pyodide';
import type { PyodideInterface } from 'pyodide';
import type { ProgramEvent } from '../../events';
import type {
  KernelFacts,
  LaunchRequest,
  LaunchResponse,
  ProfiledTime,
} from '../../workers/bridge';
import { filledBuffer } from '../../../compiler/inspect/fill';
import type { KernelProgram } from '../../../compiler/program';
import { PYTHON_FILES } from '../files';
import { ON_DEMAND } from '../onDemand';
import { installPackages } from '../install';
import { eventFrom } from '../../shapes/events';

export interface TestPython {
  readonly pyodide: PyodideInterface;
  readonly events: ProgramEvent[];
  readonly programs: KernelProgram[];
  readonly launches: LaunchRequest[];
  /** Answers launches; by default each succeeds and changes nothing. */
  onLaunch: (request: LaunchRequest) => LaunchResponse;
  /** Answers benchmarks of launches; by default all take the same. */
  onBench: ((last: LaunchRequest, best: number) => object) | null;
  /** Facts of kernels, where they differ from the usual. */
  onFacts: (() => Partial<KernelFacts>) | null;
  /** Launches that were made before: what `prepared` named, and the storages. */
  readonly relaunches: (readonly number[])[];
  /** Adapter that the program sees. */
  adapter: 'webgpu' | 'interpreter';
  software: boolean;
  /** The version of the compiler. */
  compiler: string;
  /** Stored tunings, by key. */
  readonly tunings: Map<string, string>;
  /** Answers of `profile_times`. */
  profiled: readonly ProfiledTime[];
  /** Null is no limit. */
  chartSeconds: number | null;
  tuneSeconds: number | null;
  /** Runs a program as the worker does. @returns what it printed. */
  run(
    source: string,
    options?: {
      files?: Record<string, string>;
      entry?: string;
      maxBytes?: number;
      keepTunings?: boolean;
    },
  ): RunResult;
  /** Storages alive. */
  live(): number;
}
export interface RunResult {
  readonly outcome: string;
  readonly output: string;
  readonly errors: string;
  readonly events: readonly ProgramEvent[];
}

/** By default launches compile to one code for each specialization. */
export const compiled = ({ specialization }: LaunchRequest): LaunchResponse => ({
  ok: true,
  key: `key ${JSON.stringify(specialization)}`,
});
const FACTS: KernelFacts = {
  registers: 32,
  workgroupBytes: 1024,
  workgroupSize: 128,
  wgsl: '// wgsl',
  ttir: 'tt',
};

export async function startPython(): Promise<TestPython> {
  const pyodide = await loadPyodide();
  const storages = new Map<number, Uint8Array>();
  let next = 1;
  let maxBytes = 1 << 30;
  const events: ProgramEvent[] = [];
  const programs: KernelProgram[] = [];
  const launches: LaunchRequest[] = [];
  const relaunches: number[][] = [];
  const tunings = new Map<string, string>();
  const python: TestPython = {
    pyodide,
    events,
    programs,
    launches,
    relaunches,
    onLaunch: compiled,
    onBench: null,
    onFacts: null,
    adapter: 'webgpu',
    software: false,
    compiler: 'one',
    tunings,
    profiled: [],
    chartSeconds: null,
    tuneSeconds: null,
    live: () => storages.size,
    run(source, options = {}) {
      maxBytes = options.maxBytes ?? 1 << 30;
      if (!options.keepTunings) tunings.clear();
      const first = events.length;
      const host = pyodide.pyimport('_hippocamp_host');
      const answer = host.run(
        JSON.stringify({
          files: { ...options.files, [options.entry ?? 'main.py']: source },
          entry: options.entry ?? 'main.py',
          options: { seed: 0 },
        }),
      ) as string;
      const made = events.slice(first);
      const printed = (stream: string): string =>
        made.flatMap((e) => (e.type === 'print' && e.stream === stream ? [e.text] : [])).join('');
      const { outcome } = JSON.parse(answer) as { outcome: string };
      return { outcome, output: printed('stdout'), errors: printed('stderr'), events: made };
    },
  };
  const bridge = {
    storage_create(bytes: number, low = 0, high = 0): number {
      if (bytes > maxBytes) {
        const message = `${bytes} bytes are more than this run allows`;
        throw Object.assign(new Error(message), { name: 'MemoryError' });
      }
      storages.set(next, new Uint8Array(filledBuffer(bytes, { low, high }), 0, bytes));
      return next++;
    },
    storage_address: (id: number): number => 0x10000 + id * 0x1000000,
    storage_read(id: number): Uint8Array {
      const found = storages.get(id);
      if (!found) throw new Error(`storage ${id} was released`);
      return found;
    },
    // A result that is written whole may hold anything before: here, a poison.
    storage_bytes(id: number, use: 0 | 1 | 2): Uint8Array {
      const bytes = bridge.storage_read(id);
      return use === 2 ? bytes.fill(0xab) : bytes;
    },
    storage_written(): void {},
    storage_release: (id: number): void => void storages.delete(id),
    tensor_hold: (): string => '',
    program_register(text: string): number {
      programs.push(JSON.parse(text) as KernelProgram);
      return programs.length - 1;
    },
    launch(text: string): string {
      const request = JSON.parse(text) as LaunchRequest;
      launches.push(request);
      return JSON.stringify(python.onLaunch(request));
    },
    relaunch(...launched: number[]): string {
      relaunches.push(launched);
      return '';
    },
    kernel_facts: (key: string): string =>
      JSON.stringify({ ...FACTS, wgsl: `// wgsl of ${key}`, ...python.onFacts?.() }),
    kernel_ir: () => JSON.stringify({ error: 'nothing is compiled here' }),
    synchronize: (): string => '',
    bench_mark(): void {},
    autotune_mark(): void {},
    capture_prints: () => '',
    bench_begin(): void {},
    profile_slot(): void {},
    profile_times: (): string => JSON.stringify(python.profiled),
    tuned: (key: string): string => tunings.get(key) ?? '',
    remember_tuned: (key: string, text: string): void => void tunings.set(key, text),
    bench_end: (_ms: number, cpuWork: boolean, best: number): string =>
      python.onBench
        ? JSON.stringify(python.onBench(launches.at(-1)!, best))
        : cpuWork
          ? '{"clock":"cpu"}'
          : '{"clock":"gpu","samples":[0.5,0.25,0.75],"quantum":0.001}',
    emit: (text: string): void => {
      const event = eventFrom(JSON.parse(text));
      // The page would leave it out.
      if (!event) throw new TypeError(`the page cannot read the event ${text.slice(0, 500)}`);
      events.push(event);
    },
    environment: (): string =>
      JSON.stringify({
        adapter: { kind: python.adapter, name: 'test', vendor: '', architecture: '', reason: null },
        software: python.software,
        target: { maxWorkgroupBytes: 16384, maxInvocations: 256 },
        compiler: python.compiler,
        options: {
          adapter: 'interpreter',
          maxBytes,
          chartSeconds: python.chartSeconds,
          tuneSeconds: python.tuneSeconds,
          check: false,
          seed: 0,
        },
      }),
  };
  installPackages(pyodide, bridge, { ...PYTHON_FILES, ...ON_DEMAND });
  return python;
}
