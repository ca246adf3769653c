/**
 * WGSL → compute pipelines, cached by text, with explicit layouts. WGSL that WebGPU rejects is our
 * bug: it becomes a diagnostic at the user's line through the kernel's source map.
 */
import { MESSAGES } from '../../../compiler/codes';
import type { Diagnostic } from '../../../compiler/diagnostics';
import { UNKNOWN_LOCATION } from '../../../compiler/ir/location';
import type { CompiledKernel } from '../../../compiler/program';
import { REPORT_BYTES } from './batch';
import { diagnostic, RuntimeFault } from '../errors';
import type { Block } from '../storage';
import { uniformBytes } from './uniforms';

export interface Pipeline {
  readonly id: number;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

export class Pipelines {
  /** By kernel, too: the text is long to hash, and a launch looks it up every time. */
  private readonly known = new WeakMap<CompiledKernel, Pipeline>();
  private readonly ready = new Map<string, Pipeline>();
  private readonly pending = new Map<string, Promise<Pipeline>>();
  private nextId = 1;

  constructor(private readonly device: GPUDevice) {}

  /** The pipeline, at once where it was made before. @throws RuntimeFault (rejects). */
  get(kernel: CompiledKernel): Pipeline | Promise<Pipeline> {
    const known = this.known.get(kernel);
    if (known) return known;
    const key = pipelineKey(kernel);
    const ready = this.ready.get(key);
    if (ready) {
      this.known.set(kernel, ready);
      return ready;
    }
    let pending = this.pending.get(key);
    if (!pending) {
      pending = this.create(kernel).then(
        (pipeline) => {
          this.ready.set(key, pipeline);
          this.pending.delete(key);
          return pipeline;
        },
        (error: unknown) => {
          this.pending.delete(key);
          throw error;
        },
      );
      this.pending.set(key, pending);
    }
    return pending;
  }

  private async create(kernel: CompiledKernel): Promise<Pipeline> {
    const missing = kernel.features.filter(
      (feature) => !this.device.features.has(feature as GPUFeatureName),
    );
    if (missing.length > 0) {
      throw new RuntimeFault(
        'RuntimeError',
        `${kernel.name} needs the WebGPU feature ${missing.join(', ')}, which this device lacks`,
      );
    }
    const { device } = this;
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: kernel.wgsl, label: kernel.name });
    const layout = device.createBindGroupLayout({ entries: layoutEntries(kernel) });
    let pipeline: GPUComputePipeline | null = null;
    let failure: string | null = null;
    try {
      const pending = device.createComputePipelineAsync({
        label: kernel.name,
        layout: device.createPipelineLayout({
          bindGroupLayouts: [layout],
          ...(kernel.immediates ? { immediateSize: uniformBytes(kernel.uniforms.length) } : {}),
        }),
        compute: { module, entryPoint: kernel.entryPoint },
      });
      const [scope, created] = await Promise.allSettled([device.popErrorScope(), pending]);
      if (created.status === 'fulfilled') pipeline = created.value;
      else failure = String((created.reason as Error).message ?? created.reason);
      if (scope.status === 'fulfilled' && scope.value) failure = scope.value.message;
    } catch (error) {
      failure = String(error);
    }
    if (pipeline && failure === null) return { id: this.nextId++, pipeline, layout };
    const diagnostics = await rejection(kernel, module, failure ?? 'no pipeline was made');
    throw new RuntimeFault('RuntimeError', diagnostics[0]?.message ?? 'WGSL rejected', diagnostics);
  }
}

/** The text and what the layout depends on. */
function pipelineKey(kernel: CompiledKernel): string {
  const access = kernel.bindings.map((binding) => (binding.access === 'read' ? 'r' : 'w')).join('');
  return `${access}/${kernel.immediates ? 'i' : 'u'}${kernel.uniforms.length}/${reports(kernel) ? 1 : 0}/${kernel.wgsl}`;
}

/** Whether the kernel has a binding for its report. */
export function reports(kernel: CompiledKernel): boolean {
  return kernel.boundsReport !== null || kernel.debugSites !== undefined;
}

function layoutEntries(kernel: CompiledKernel): GPUBindGroupLayoutEntry[] {
  const entries: GPUBindGroupLayoutEntry[] = kernel.bindings.map((binding, index) => ({
    binding: index,
    visibility: GPUShaderStage.COMPUTE,
    buffer: { type: binding.access === 'read' ? 'read-only-storage' : 'storage' },
  }));
  if (!kernel.immediates)
    entries.push({
      binding: entries.length,
      visibility: GPUShaderStage.COMPUTE,
      buffer: {
        type: 'uniform',
        hasDynamicOffset: true,
        minBindingSize: uniformBytes(kernel.uniforms.length),
      },
    });
  if (reports(kernel)) {
    entries.push({
      binding: entries.length,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: 'storage', hasDynamicOffset: !kernel.immediates },
    });
  }
  return entries;
}

/**
 * The bind group of a launch. Uniforms and report are bound with dynamic offsets; of a kernel with
 * immediates the whole report buffer is bound, with none.
 */
export function createBindGroup(
  device: GPUDevice,
  pipeline: Pipeline,
  kernel: CompiledKernel,
  blocks: readonly Pick<Block, 'buffer'>[],
  uniforms: GPUBuffer,
  report: GPUBuffer,
): GPUBindGroup {
  const entries: GPUBindGroupEntry[] = blocks.map((block, index) => ({
    binding: index,
    resource: { buffer: block.buffer },
  }));
  if (!kernel.immediates)
    entries.push({
      binding: entries.length,
      resource: { buffer: uniforms, offset: 0, size: uniformBytes(kernel.uniforms.length) },
    });
  if (reports(kernel)) {
    // A queue of prints is as long as its buffer.
    const size = kernel.debugSites || kernel.immediates ? report.size : REPORT_BYTES;
    entries.push({
      binding: entries.length,
      resource: { buffer: report, offset: 0, size },
    });
  }
  return device.createBindGroup({ layout: pipeline.layout, entries });
}

/** What WebGPU said, at the user's lines; the WGSL line stands in the notes. */
async function rejection(
  kernel: CompiledKernel,
  module: GPUShaderModule,
  failure: string,
): Promise<Diagnostic[]> {
  const lines = kernel.wgsl.split('\n');
  let messages: readonly GPUCompilationMessage[] = [];
  try {
    messages = (await module.getCompilationInfo()).messages;
  } catch {
    // The device is gone; `failure` is all there is.
  }
  const errors = messages.filter((message) => message.type === 'error');
  const rejected = (reason: string): string =>
    MESSAGES.HC8002.rejected({ kernel: kernel.name, reason });
  if (errors.length === 0) {
    const first = kernel.sourceMap.find((location) => location !== null) ?? UNKNOWN_LOCATION;
    return [diagnostic('HC8002', 'error', rejected(failure), first)];
  }
  return errors.map((error) => {
    const location = nearest(kernel, error.lineNum - 1);
    const text = lines[error.lineNum - 1]?.trim() ?? '';
    return diagnostic('HC8002', 'error', rejected(error.message), location, [
      `WGSL line ${error.lineNum}, column ${error.linePos}: ${text}`,
    ]);
  });
}

/** The location of a WGSL line, or of the nearest line before it that has one. */
function nearest(kernel: CompiledKernel, line: number): Diagnostic['location'] {
  for (let at = Math.min(line, kernel.sourceMap.length - 1); at >= 0; at--) {
    const location = kernel.sourceMap[at];
    if (location) return location;
  }
  return UNKNOWN_LOCATION;
}
