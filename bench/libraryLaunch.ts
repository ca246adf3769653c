/**
 * Cost of a launch through `createRuntime` on the CPU: rows of tiny launches of a vector add, on
 * Dawn's null backend, which takes every command and runs none, so that only the library's time and
 * Dawn's is left. The last row is the same commands without the library, the one above it with a
 * write of the words; the library's part is the median difference, round by round. CPU time of the
 * thread that launches.
 */
import { openDawn } from '../app/cli/dawn';
import { nodeParser } from '../app/cli/nodeParser';
import { openProgram } from '../app/library/compile';
import { createRuntime } from '../app/library/runtime';
import { threadMicroseconds } from './overhead';
import vectorAddText from '../public/examples/vector_add.py';

/** In a round: the system counts a thread's time in steps of up to 4 ms. */
const LAUNCHES = 10_000;
const ROUNDS = 9;
const WARMUPS = 3;
/** The item's bound on what the library adds, in microseconds. */
const MOST = 10;

const { device } = await openDawn({ backend: 'null' });
const runtime = await createRuntime(device);
const program = openProgram(vectorAddText, await nodeParser(process.argv[2] ?? '.'));
const parameters = program.kernels[0]?.parameters.map(({ name }) => name) ?? [];
const block = parameters.at(-1) ?? '';
const made = program.compile('add_kernel', {
  signature: Object.fromEntries([
    ...parameters.slice(0, 3).map((name) => [name, '*fp32']),
    [parameters[3], 'i32'],
    [block, 256],
  ]),
  target: runtime.target,
});
if (!made.ok) throw new Error(made.diagnostics[0]?.message);
const kernel = await runtime.load(made);
const tensors = [0, 1, 2].map(() => runtime.tensor({ shape: [1000], dtype: 'float32' }));
const argsOf = (n: number): Record<string, (typeof tensors)[number] | number> =>
  Object.fromEntries(parameters.slice(0, 4).map((name, i) => [name, tensors[i] ?? n]));
const args = argsOf(1000);
const changing = Array.from({ length: 64 }, (_, i) => argsOf(900 + i));
const bound = kernel.bind([4], args);

let count = 0;
/** The commands of a launch with another number, by hand: a write of words that the pass reads. */
const pipeline = device.createComputePipeline({
  layout: 'auto',
  compute: { module: device.createShaderModule({ code: made.wgsl }) },
});
const words = new ArrayBuffer(Math.max(16, Math.ceil(made.kernel.uniforms.length / 4) * 16));
const uniform = device.createBuffer({
  size: words.byteLength,
  usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
});
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [...tensors.map(({ buffer }) => buffer), uniform].map((buffer, binding) => ({
    binding,
    resource: { buffer },
  })),
});
const rows: Readonly<Record<string, () => void>> = {
  'launch, the same arguments': () => kernel.launch([4], args),
  'launch, another number each time': () => kernel.launch([4], changing[count++ % 64]!),
  'launch, a grid function': () => kernel.launch((meta) => [1024 / meta[block]!], args),
  'a bound launch': () => bound.run(),
  'Dawn alone: write, pass, dispatch, submit': () => {
    device.queue.writeBuffer(uniform, 0, words);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(4);
    pass.end();
    device.queue.submit([encoder.finish()]);
  },
  'Dawn alone: pass, dispatch, submit': () => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    bound.encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
  },
};
const times = new Map(Object.keys(rows).map((what) => [what, [] as number[]]));
// Rounds alternate, so that the machine's other work hits all of them.
for (let round = -WARMUPS; round < ROUNDS; round++) {
  for (const [what, launch] of Object.entries(rows)) {
    const start = threadMicroseconds();
    for (let i = 0; i < LAUNCHES; i++) launch();
    const each = (threadMicroseconds() - start) / LAUNCHES;
    await device.queue.onSubmittedWorkDone();
    if (round >= 0) times.get(what)!.push(each);
  }
}
const dawn = [...times.values()].at(-1)!;
const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
for (const [what, values] of times) {
  const range = `${Math.min(...values).toFixed(1)} … ${Math.max(...values).toFixed(1)}`;
  const more = middle(values.map((value, round) => value - dawn[round]!));
  console.log(
    `${what.padEnd(42)} ${middle(values).toFixed(1).padStart(5)} µs  (${range})` +
      (values === dawn ? '' : `, the library's part ${more.toFixed(1)} µs`),
  );
}
console.log(`The library's part is to be at most ${MOST} µs.`);
process.exit(0);
