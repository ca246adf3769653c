/**
 * Cost of a launch on the CPU: a thousand tiny launches in a row, on Dawn's null backend, which
 * takes every command and runs nothing, so that only our time and Dawn's is left. The engine alone;
 * then with the session, as Python requests it. CPU time of the thread that launches, so that
 * neighbours do not count.
 */
import { dawnInstance, openDawn } from '../app/cli/dawn';
import { openGpu, type GpuDevice } from '../app/runtime/gpu/gpuDevice';
import { GpuEngine } from '../app/runtime/gpu/gpuEngine';
import { Session } from '../app/runtime/session';
import type { LaunchRequest } from '../app/workers/bridge';
import { summary, type Measured } from './device';
import type { Frontend } from './frontend';
import { kernelIn } from './frontend';
import { TOGGLES, type ToggleChoice } from './open';
import { specialize } from './specialize';
import vectorAddText from '../public/examples/vector_add.py';

/** Microseconds a launch, over the rounds. */
export interface Overhead extends Measured {
  readonly what: string;
}

/** In a round: the system counts a thread's time in steps of up to 4 ms. */
const LAUNCHES = 10_000;
/** Launches in a row before somebody waits. */
const ROW = 1000;
const ROUNDS = 9;
const WARMUPS = 3;

/** CPU microseconds of this thread. */
export function threadMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Dawn's null backend, which takes every command and runs none. */
export async function nullGpu(): Promise<GpuDevice> {
  const { device, adapter, target } = await openDawn({ backend: 'null' });
  const { vendor } = adapter.info;
  const info = { kind: 'webgpu', name: 'null', vendor, architecture: '', reason: null } as const;
  return { device, info, target, quantum: 1 };
}

/**
 * The adapter that the headless runner takes, with its driver and as fast as Dawn can report it.
 */
export async function realGpu(toggles: ToggleChoice = 'default'): Promise<GpuDevice> {
  const opened = await openGpu(await dawnInstance(TOGGLES[toggles]));
  if (!opened.ok) throw new Error(opened.reason);
  return opened.gpu;
}

/**
 * With a launch's words in a uniform buffer, and as immediates where the device has them; on the
 * null backend and, where there is hardware, with its driver.
 */
export async function measureOverhead(frontend: Frontend, hardware: boolean): Promise<Overhead[]> {
  return [
    ...(await measureOn(frontend, await nullGpu(), 0, 'uniform buffer')),
    ...(await measureOn(frontend, await nullGpu(), 64, 'immediates')),
    ...(hardware
      ? await measureOn(frontend, await realGpu(), 0, 'its driver, uniform buffer')
      : []),
    ...(hardware ? await measureOn(frontend, await realGpu(), 64, 'its driver, immediates') : []),
  ];
}

async function measureOn(
  frontend: Frontend,
  gpu: GpuDevice,
  immediateBytes: number,
  where: string,
): Promise<Overhead[]> {
  if ((gpu.device.limits.maxImmediateSize ?? 0) < immediateBytes) return [];
  const target = { ...gpu.target, immediateBytes };
  let events = 0;
  const session = new Session({
    compiler: frontend.compiler,
    openEngine: (_, events) => Promise.resolve(new GpuEngine({ ...gpu, target }, events)),
  });
  const options = { adapter: 'webgpu', maxBytes: null, check: false, seed: 0 } as const;
  await session.begin(options, () => void events++);
  const storages = [0, 1, 2].map(() => session.storage_create(4096));
  const program = session.program_register(
    JSON.stringify(kernelIn(frontend, vectorAddText, 'add_kernel')),
  );
  const tensor = (buffer: number) => ({ tensor: 'float32', buffer });
  const request: LaunchRequest = {
    program,
    specialization: specialize(
      [tensor(0), tensor(1), tensor(2), { int: 1000 }, { constexpr: 256 }],
      4,
    ),
    values: [...storages.map((storage) => ({ storage, byteOffset: 0 })), { scalar: '1000' }, null],
    grid: [4, 1, 1],
    site: { file: 'tiny.py', line: 12 },
    labels: [
      'x_ptr: *fp32 [1000]',
      'y_ptr: *fp32 [1000]',
      'output_ptr: *fp32 [1000]',
      'n: i32 = 1000',
      'BLOCK = 256',
    ],
    warmup: false,
  };
  const text = JSON.stringify(request);
  const results: Overhead[] = [];
  const rounds = async (what: string, launch: () => unknown): Promise<void> => {
    const times: number[] = [];
    for (let round = -WARMUPS; round < ROUNDS; round++) {
      const start = threadMicroseconds();
      for (let i = 0; i < LAUNCHES; i++) {
        const wait = launch();
        if (wait instanceof Promise) await wait;
        if (i % ROW === ROW - 1) await session.synchronize();
      }
      const spent = threadMicroseconds() - start;
      if (round >= 0) times.push(spent / LAUNCHES);
    }
    results.push({ what: `${what}, ${where}`, ...summary(times) });
  };
  await rounds('requested in full', () => session.launch(text));
  const answer = JSON.parse(await session.launch(text)) as { prepared: number };
  await rounds('launched again', () => session.relaunch(answer.prepared, ...storages));
  return results;
}
