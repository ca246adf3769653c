/**
 * For tests: launches that programs really made, as exported modules with what they are given and
 * what has to come out. Every kernel of a program is exported as the page would; the bytes that it
 * must leave behind are those that the runtime's own launch left, on the same adapter.
 */
import { readPackages } from '../../cli/files';
import { openNodeEngine } from '../../cli/nodeEngine';
import { nodeParser } from '../../cli/nodeParser';
import { startPython } from '../../cli/pythonSnapshot';
import type { ProgramEvent, RunOptions } from '../../events';
import type { Engine } from '../../runtime/engine';
import { Runner } from '../../runtime/runner';
import { cpuCopy, type Storage } from '../../runtime/storage';
import { outline } from '../../../compiler/1-parse/outline';
import { filledBuffer } from '../../../compiler/inspect/fill';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import { createCompiler, type Compiler } from '../../../compiler/pipeline';
import type { CompileRequest, CompileResult } from '../../../compiler/program';
import { settle } from '../../../compiler/regroup';
import { MAX_REGROUPS } from '../../workers/compilerHost';
import type { Exported } from './compileForExport';
import { moduleFiles } from './module';
import { requestForExport } from './request';

export interface ExportCase {
  /** `fft.py: fft_kernel`, and a number where it was specialized more than once. */
  readonly title: string;
  readonly js: string;
  readonly dts: string;
  readonly grid: readonly [number, number, number];
  /** Base64 of what each buffer holds before and after. */
  readonly buffers: readonly { readonly before: string; readonly after: string }[];
  readonly args: Readonly<Record<string, CaseArgument>>;
}
export type CaseArgument =
  | { readonly buffer: number; readonly offset: number; readonly size: number }
  | { readonly number: number }
  | { readonly integer: string };

/** A kernel that an export refuses, with the reason that the visitor reads. */
export interface Refused {
  readonly title: string;
  readonly reason: string;
}

const OPTIONS: RunOptions = {
  adapter: 'webgpu',
  maxBytes: null,
  chartSeconds: 1,
  tuneSeconds: 1,
  check: false,
  seed: 0,
  keepInputs: true,
};
/**
 * Buffers of WebGPU begin and end at multiples of it, and tensors inside of one at multiples of
 * this.
 */
const ALIGN = 256;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export class ExportCases {
  /** Storages after a launch, by the launch's number. */
  private readonly after = new Map<number, ReadonlyMap<number, Uint8Array>>();
  private launches: LaunchInputs[] = [];
  private readonly seen = new Set<string>();
  private constructor(
    private readonly compiler: Compiler,
    private readonly namesOf: (file: Readonly<Record<string, string>>, kernel: string) => string[],
  ) {}
  private runner: Runner | null = null;

  static async start(root: string): Promise<ExportCases> {
    const [pyodide, parser] = await Promise.all([startPython(root), nodeParser(root)]);
    const compiler = createCompiler(parser);
    const cases = new ExportCases(compiler, (files, kernel) => {
      const found = outline(files, parser).find(({ name }) => name === kernel);
      return found?.parameters.map(({ name }) => name) ?? [];
    });
    cases.runner = Runner.create(pyodide, readPackages(root), {
      compiler,
      keepInputs: (inputs) => cases.launches.push(inputs),
      openEngine: async (kind, events) =>
        cases.watched(await openNodeEngine(kind, events, () => {})),
    });
    return cases;
  }

  dispose(): void {
    this.runner?.dispose();
  }

  /** Copies what the first launch of each specialization leaves behind. */
  private watched(engine: Engine): Engine {
    if (engine.info.kind !== 'webgpu') throw new Error('exports are tried on WebGPU');
    const launch = engine.launch.bind(engine);
    engine.launch = async (one) => {
      await launch(one);
      if (this.seen.has(one.unit.key)) return;
      this.seen.add(one.unit.key);
      const storages = new Set<Storage>(
        one.leaves.flatMap((leaf) => (leaf.kind === 'pointer' ? [leaf.storage] : [])),
      );
      const copies = new Map<number, Uint8Array>();
      for (const storage of storages) {
        await engine.read(storage);
        copies.set(storage.address, cpuCopy(storage).slice());
      }
      this.after.set(one.id, copies);
    };
    return engine;
  }

  /** Runs a program; throws where it does not end well. */
  async of(name: string, text: string): Promise<{ cases: ExportCase[]; refused: Refused[] }> {
    this.launches = [];
    this.seen.clear();
    this.after.clear();
    const problems: string[] = [];
    const files = { [name]: text };
    const outcome = await this.runner!.run(files, name, OPTIONS, (event: ProgramEvent) => {
      if (event.type === 'diagnostic') problems.push(event.diagnostic.message);
    });
    if (outcome !== 'ok') throw new Error(`${name}: ${problems.join('\n')}`);
    const cases: ExportCase[] = [];
    const refused: Refused[] = [];
    const counts = new Map<string, number>();
    for (const inputs of this.launches) {
      const after = this.after.get(inputs.launch);
      if (!after) continue;
      const { kernel } = inputs;
      const count = (counts.get(kernel) ?? 0) + 1;
      counts.set(kernel, count);
      const title = `${name}: ${kernel}${count > 1 ? ` ${count}` : ''}`;
      try {
        cases.push(this.caseOf(title, inputs, after, this.namesOf(files, kernel)));
      } catch (error) {
        refused.push({ title, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    return { cases, refused };
  }

  private settle(first: CompileRequest): Exported {
    const compile = (request: CompileRequest): CompileResult => this.compiler.compile(request);
    const { result, request } = settle(compile, first, MAX_REGROUPS);
    if (result.kind === 'compiled') return { kernel: result.kernel, request };
    if (result.kind === 'failed')
      throw new Error(result.diagnostics[0]?.message ?? 'the kernel does not compile');
    throw new Error('the compiler kept requesting other binding groups');
  }

  private caseOf(
    title: string,
    inputs: LaunchInputs,
    after: ReadonlyMap<number, Uint8Array>,
    names: readonly string[],
  ): ExportCase {
    const exported = this.settle(requestForExport(inputs.request));
    const { js, dts, given } = moduleFiles(exported, names);
    if (given.length !== inputs.args.length)
      throw new Error(`${given.length} parameters for ${inputs.args.length} arguments`);
    // Tensors of one binding group lie in one buffer.
    const places = new Map<number, { readonly buffer: number; readonly base: number }>();
    const sizes: number[] = [];
    const buffers = new Map<number, number>();
    given.forEach(({ spec }, index) => {
      const arg = inputs.args[index]!;
      if (spec.kind !== 'pointer' || arg.kind !== 'pointer' || places.has(arg.storage)) return;
      const { group } = spec;
      if (!buffers.has(group)) {
        buffers.set(group, sizes.length);
        sizes.push(0);
      }
      const buffer = buffers.get(group)!;
      const base = sizes[buffer]!;
      places.set(arg.storage, { buffer, base });
      const bytes = inputs.storages[arg.storage]!.byteLength;
      sizes[buffer] = base + Math.max(ALIGN, Math.ceil(bytes / ALIGN) * ALIGN);
    });
    const before = sizes.map((size) => new Uint8Array(size));
    const wanted = sizes.map((size) => new Uint8Array(size));
    for (const [index, { buffer, base }] of places) {
      const storage = inputs.storages[index]!;
      if (storage.contents === null) throw new Error('what it was given was not kept');
      const { byteLength } = storage;
      const held =
        storage.contents instanceof Uint8Array
          ? storage.contents.subarray(0, byteLength)
          : new Uint8Array(filledBuffer(byteLength, storage.contents), 0, byteLength);
      before[buffer]!.set(held, base);
      wanted[buffer]!.set(after.get(storage.address)!.subarray(0, byteLength), base);
    }
    const args = inputs.args.map((arg, index): [string, CaseArgument] => {
      const { name } = given[index]!;
      if (arg.kind === 'scalar') {
        const { value } = arg;
        return [
          name,
          typeof value === 'bigint' ? { integer: String(value) } : { number: Number(value) },
        ];
      }
      const { buffer, base } = places.get(arg.storage)!;
      const storage = inputs.storages[arg.storage]!;
      const inside = arg.address - storage.address;
      return [name, { buffer, offset: base + inside, size: storage.byteLength - inside }];
    });
    return {
      title,
      js,
      dts,
      grid: inputs.grid,
      buffers: before.map((bytes, index) => ({
        before: base64(bytes),
        after: base64(wanted[index]!),
      })),
      args: Object.fromEntries(args),
    };
  }
}
