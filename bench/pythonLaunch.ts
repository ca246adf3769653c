/**
 * Cost of `kernel[grid](...)` on the CPU in Python: thousands of launches of a tiny kernel from a
 * program, through Pyodide, the session and Dawn, on Dawn's null backend.
 */
import { readPackages } from '../app/cli/files';
import { GpuEngine } from '../app/runtime/gpu/gpuEngine';
import { Runner } from '../app/runtime/runner';
import type { Frontend } from './frontend';
import { nullGpu, threadMicroseconds, type Overhead } from './overhead';
import { summary } from './device';

const PROGRAM = `
import json
import js
import torch, triton, triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y, mask=at < n)

def add(x, y):
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    add_kernel[grid](x, y, out, x.numel(), BLOCK=256)
    return out

x, y, out = (torch.zeros(1000, device="cuda") for _ in range(3))

def launches(count):
    for _ in range(count):
        add_kernel[(4,)](x, y, out, 1000, BLOCK=256)

def functions(count):
    for _ in range(count):
        add(x, y)

def rounds(call):
    times = []
    for _ in range(12):
        start = js.benchThreadMicroseconds()
        for _ in range(4):
            call(1000)
            torch.cuda.synchronize()
        times.append((js.benchThreadMicroseconds() - start) / 4000)
    return times[3:]

js.benchReport(json.dumps([["from Python", rounds(launches)], ["from Python, with a grid's lambda and a new tensor", rounds(functions)]]))
`;

export async function measurePythonLaunches(frontend: Frontend, root: string): Promise<Overhead[]> {
  const { loadPyodide } = await import('pyodide');
  const gpu = await nullGpu();
  const runner = Runner.create(await loadPyodide(), readPackages(root), {
    compiler: frontend.compiler,
    openEngine: (_, events) => Promise.resolve(new GpuEngine(gpu, events)),
  });
  const results: Overhead[] = [];
  const failed: string[] = [];
  Object.assign(globalThis, {
    benchThreadMicroseconds: threadMicroseconds,
    benchReport: (text: string) => {
      for (const [what, times] of JSON.parse(text) as [string, number[]][])
        results.push({ what, ...summary(times) });
    },
  });
  const options = { adapter: 'webgpu', maxBytes: null, check: false, seed: 0 } as const;
  await runner.run({ 'main.py': PROGRAM }, 'main.py', options, (event) => {
    if (event.type === 'print') failed.push(event.text);
  });
  // The null backend leaves memory as it was, that of the bounds reports too: what is said of them
  // counts for nothing.
  if (results.length === 0) throw new Error(failed.join('\n'));
  return results;
}
