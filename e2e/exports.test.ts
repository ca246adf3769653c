/**
 * Kernels that gallery programs really launched, exported as modules and run in a page that has
 * nothing else: each leaves the bytes that the runtime's own launch left. Their types are checked
 * by TypeScript. A few programs always, `EXPORTS=all` all of them, `EXPORTS=fft,sort` those.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExportCases, type CaseArgument, type ExportCase } from '../app/share/export/testing';
import { fromToday, skipIfLate } from '../scripts/budget';
import { findChromium } from '../scripts/chromium';
import { bareSite, type Bare } from './bare';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'public', 'examples');
const TYPES = join(ROOT, '.cache', 'export-types');
const FAST = ['vector_add', 'rms_norm', 'int4_matmul'];

const index = JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')) as { file: string }[];
const asked = process.env['EXPORTS'];
const chosen = fromToday(index)
  .map(({ file }) => file)
  .filter((file) => {
    if (asked === 'all') return true;
    return (asked?.split(',') ?? FAST).includes(file.replace('.py', ''));
  });
/** Kernels that add floats by atomics, in an order that no run repeats. */
const LOOSE = /^(embedding\.py: scatter_kernel|split_k_matmul\.py|stream_k_matmul\.py)/;

let exporter: ExportCases;
let browser: Browser;
const modules: Record<string, string> = {
  'index.html':
    '<!doctype html><title>bare</title><script>window.load = (file) => import(file)</script>',
};
let bare: Bare;
let page: Page;
const played: ExportCase[] = [];

beforeAll(async () => {
  exporter = await ExportCases.start(ROOT);
  browser = await chromium.launch({
    executablePath: findChromium()!.path,
    args: ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'],
  });
  bare = await bareSite(modules);
  page = await browser.newPage();
  await page.goto(bare.address);
});
afterAll(async () => {
  exporter?.dispose();
  await browser?.close();
  await bare?.close();
});

interface Played {
  readonly problems: readonly string[];
  /** Base64, one a buffer. */
  readonly buffers: readonly string[];
}

/** Runs in the bare page. */
async function playThere(one: {
  readonly address: string;
  readonly grid: readonly number[];
  readonly before: readonly string[];
  readonly args: Readonly<Record<string, CaseArgument>>;
}): Promise<Played> {
  interface Module {
    readonly requiredFeatures: readonly GPUFeatureName[];
    createKernel(device: GPUDevice): Promise<{
      run(args: Record<string, unknown>, grid: readonly number[]): void;
    }>;
  }
  // Tests are compiled so that an `import` here would be another one.
  const { load } = window as unknown as { load(address: string): Promise<Module> };
  const module = await load(one.address);
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('the bare page has no adapter');
  const { limits } = adapter;
  const device = await adapter.requestDevice({
    requiredFeatures: [...module.requiredFeatures],
    requiredLimits: {
      maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
      maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
      maxBufferSize: limits.maxBufferSize,
    },
  });
  const problems: string[] = [];
  device.onuncapturederror = (event) => problems.push(event.error.message);
  const kernel = await module.createKernel(device);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffers = one.before.map((text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const buffer = device.createBuffer({ size: bytes.length, usage });
    device.queue.writeBuffer(buffer, 0, bytes);
    return buffer;
  });
  const args = Object.fromEntries(
    Object.entries(one.args).map(([name, arg]) => [
      name,
      'buffer' in arg
        ? { buffer: buffers[arg.buffer], offset: arg.offset, size: arg.size }
        : 'integer' in arg
          ? BigInt(arg.integer)
          : arg.number,
    ]),
  );
  kernel.run(args, one.grid);
  const out: string[] = [];
  for (const buffer of buffers) {
    const read = device.createBuffer({
      size: buffer.size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, read, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(read.getMappedRange());
    let text = '';
    for (let at = 0; at < bytes.length; at += 0x8000)
      text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    out.push(btoa(text));
  }
  device.destroy();
  return { problems, buffers: out };
}

/** Largest difference of two results, as float32; bytes that are no floats must be the same. */
function difference(actual: string, wanted: string): number {
  if (actual === wanted) return 0;
  const [a, b] = [actual, wanted].map((text) => {
    const bytes = Buffer.from(text, 'base64');
    return new Float32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length - (bytes.length % 4)),
    );
  });
  let most = 0;
  a!.forEach((value, at) => {
    if (Object.is(value, b![at])) return;
    const off = Math.abs(value - b![at]!);
    most = Math.max(most, Number.isNaN(off) ? Infinity : off);
  });
  return most;
}

describe('in a page of its own', () => {
  it.for(chosen)(
    'kernels of %s leave what they left here',
    { timeout: 300_000 },
    async (file, { skip }) => {
      skipIfLate(skip);
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const { cases, refused } = await exporter.of(file, text);
      expect(refused).toEqual([]);
      expect(cases.length).toBeGreaterThan(0);
      for (const one of cases) {
        const name = `${Object.keys(modules).length}.js`;
        modules[name] = one.js;
        played.push(one);
        const { problems, buffers } = await page.evaluate(playThere, {
          address: bare.address + name,
          grid: one.grid,
          before: one.buffers.map(({ before }) => before),
          args: one.args,
        });
        expect(problems, one.title).toEqual([]);
        const off = buffers.map((bytes, at) => difference(bytes, one.buffers[at]!.after));
        if (LOOSE.test(one.title)) expect(Math.max(...off), one.title).toBeLessThan(1e-3);
        else expect(off, one.title).toEqual(off.map(() => 0));
        // Something was written at all.
        expect(buffers, one.title).not.toEqual(one.buffers.map(({ before }) => before));
      }
    },
  );
});

it('have types that TypeScript takes, and that refuse what the kernel does not take', () => {
  expect(played.length).toBeGreaterThan(0);
  rmSync(TYPES, { recursive: true, force: true });
  mkdirSync(TYPES, { recursive: true });
  played.forEach((one, at) => {
    writeFileSync(join(TYPES, `kernel${at}.d.ts`), one.dts);
    const args = Object.entries(one.args).map(([name, arg]) => {
      if ('buffer' in arg) return `${name}: ${at % 2 ? 'buffer' : '{ buffer, offset: 256 }'}`;
      return `${name}: ${'integer' in arg ? `${arg.integer}n` : '1'}`;
    });
    writeFileSync(
      join(TYPES, `use${at}.ts`),
      `import { createKernel, requiredFeatures, wgsl, type Kernel } from './kernel${at}';
export async function use(device: GPUDevice, buffer: GPUBuffer): Promise<Kernel> {
  const kernel = await createKernel(device);
  kernel.run({ ${args.join(', ')} }, [1, 2]);
  // @ts-expect-error: an argument is missing
  kernel.run({ ${args.slice(1).join(', ')} }, [1]);
  // @ts-expect-error: no such argument
  kernel.run({ ${args.join(', ')}, another_ptr: buffer }, [1]);
  // @ts-expect-error: a grid has one to three sizes
  kernel.run({ ${args.join(', ')} }, []);
  const text: string = wgsl + requiredFeatures.join();
  return text ? kernel : kernel;
}
`,
    );
  });
  writeFileSync(
    join(TYPES, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2022', 'dom'],
        types: [],
        exactOptionalPropertyTypes: true,
      },
      include: ['*.ts'],
    }),
  );
  const run = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', TYPES],
    { encoding: 'utf8' },
  );
  expect(run.stdout + run.stderr).toBe('');
  expect(run.status).toBe(0);
});
