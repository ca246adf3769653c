/** The benchmark's page: the same comparisons as in Node, in a browser, with the peers beside. */
import { measureQuantum } from '../app/runtime/clock';
import { probeDevice } from '../app/runtime/gpu/probes';
import { deviceDescriptor, targetOf } from '../app/runtime/gpu/target';
import { compareWork, type Settings } from './compare';
import { BenchDevice } from './device';
import { computesOnCpu } from './work';
import { openFrontend } from './frontend';
import { jaxJs } from './peers/jax';
import { onnxRuntime } from './peers/onnxruntime';
import { tensorflow } from './peers/tfjs';
import { works } from './works';

export interface PageRequest {
  readonly quick: boolean;
  readonly rounds: number;
  readonly seed: number;
  readonly checkBounds: boolean;
  readonly wgsl: boolean;
  readonly peers: readonly string[];
  /** Works whose name has one of these; all where empty. */
  readonly only: readonly string[];
}

/** Services of the harness for the page. */
declare global {
  interface Window {
    benchRow(row: string): Promise<void>;
    benchSay(text: string): Promise<void>;
    /** Seconds of CPU of the browser's GPU process and of its pages; null where nobody knows. */
    benchBusy(): Promise<number | null>;
    runBench(request: PageRequest): Promise<string>;
  }
}

window.runBench = async (request) => {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) return 'the browser has no WebGPU adapter';
  const device = await adapter.requestDevice(deviceDescriptor(adapter));
  device.addEventListener('uncapturederror', (event) => {
    void window.benchSay(`WebGPU: ${(event as GPUUncapturedErrorEvent).error.message}`);
  });
  const target = { ...targetOf(adapter.info, device), ...(await probeDevice(device)) };
  const known = computesOnCpu(target) && (await window.benchBusy()) !== null;
  const busy = known ? async () => (await window.benchBusy()) ?? NaN : undefined;
  const bench = new BenchDevice(device, target, await measureQuantum(device), 0, busy);
  void window.benchSay(`Chromium on ${target.name}, a clock of ${bench.quantum} ns`);
  const all = [tensorflow, onnxRuntime(new URL('ort/', location.href).href), jaxJs];
  const settings: Settings = {
    ...request,
    peers: all.filter(({ name }) => request.peers.includes(name)),
    where: 'chromium',
    toggles: 'default',
    record: (row) => void window.benchRow(JSON.stringify(row)),
    say: (text) => void window.benchSay(text),
  };
  const frontend = await openFrontend();
  const { quick, seed, only } = request;
  for (const { name, make } of works(target, quick, seed, !quick || only.length > 0)) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    const item = make();
    try {
      await compareWork(frontend, bench, item, settings);
    } catch (error) {
      void window.benchSay(`${item.name} FAILED: ${String(error)}`);
      return `${item.name}: ${String(error)}`;
    }
  }
  return '';
};
