/**
 * The npm package: packed, installed into an empty folder without a network, and used there from
 * plain Node. The examples of docs/package.md run there, too, on a software adapter, with the
 * packages that they name beside it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage } from '../../scripts/package';
import { findSoftwareAdapter } from '../cli/dawn';
import { FILES, PAGE } from './testing';

const ROOT = join(import.meta.dirname, '../..');
const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);
/** Share by which a size may differ from the one that the page states. */
const STRAY = 0.05;
/** Bytes by Brotli. */
const LIMITS = { compiler: 250_000, parser: 160_000, runtime: 40_000, plugin: 255_000 };

const KERNELS = FILES.get('kernels.py')?.text ?? '';

/** Puts Dawn where browsers have `navigator.gpu`. Dawn's threads would keep the process alive. */
const DAWN = `import { create, globals } from 'webgpu';
Object.assign(globalThis, globals);
const gpu = (globalThis.keep = create([]));
Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'node' } });
process.on('beforeExit', () => process.exit());
`;

describe('the package', () => {
  let folder = '';
  let project = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hippocamp-package-'));
    project = join(folder, 'project');
    mkdirSync(project);
    await buildPackage(join(folder, 'package'));
    const npm = (cwd: string, ...args: string[]): string =>
      execFileSync('npm', [...args, '--silent'], { cwd, encoding: 'utf8' }).trim();
    const packed = npm(folder, 'pack', './package');
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    npm(
      project,
      ...['install', '--offline', '--no-audit', '--no-fund', '--omit=optional'],
      join(folder, packed),
    );
    writeFileSync(join(project, 'kernels.py'), KERNELS);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const installed = (...path: string[]): string =>
    join(project, 'node_modules', 'hippocamp', ...path);
  /** Runs a file of the project's. */
  function node(name: string, text: string, ...options: string[]): string {
    writeFileSync(join(project, name), text);
    return execFileSync(process.execPath, [...options, name], {
      cwd: project,
      encoding: 'utf8',
      timeout: 60_000,
    });
  }
  /** @throws with what tsc prints. */
  function checkTypes(
    resolution: string,
    files: readonly string[],
    texts: Readonly<Record<string, string>> = {},
  ): void {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(project, name), text);
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2023',
          lib: ['ES2023', 'DOM'],
          module: resolution === 'Bundler' ? 'ESNext' : resolution,
          moduleResolution: resolution,
          strict: true,
          noEmit: true,
          types: [],
        },
        files,
      }),
    );
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project], {
      encoding: 'utf8',
    });
    expect(`${stdout}${status}`).toBe('0');
  }
  const dawn = ['--import', './dawn.mjs'];
  /** Links packages of development beside the package, as `npm install` would put them. */
  function withPackages(): void {
    writeFileSync(join(project, 'dawn.mjs'), DAWN);
    for (const name of ['vite', 'esbuild', 'webgpu', '@tensorflow'])
      if (!existsSync(join(project, 'node_modules', name)))
        symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  function vite(...args: string[]): { readonly status: number | null; readonly said: string } {
    const bin = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
      cwd: project,
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  }

  it('has no dependencies but those of `run`, and nothing of development', () => {
    const manifest = JSON.parse(readFileSync(installed('package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).toHaveProperty('optionalDependencies.pyodide');
  });

  it('compiles in plain Node', () => {
    const said = node(
      'compile.mjs',
      `import { readFileSync } from 'node:fs';
import { compile, HippocampError, TARGETS } from 'hippocamp';
const source = readFileSync('kernels.py', 'utf8');
const signature = { x_ptr: '*fp32', y_ptr: '*fp32', out_ptr: '*fp32', n: 'i32', BLOCK: 128 };
const made = await compile({ source, signature, target: 'apple-m1', passes: true });
const failed = await compile({ source: source.replace('x + y', 'x + z'), signature });
const code = await compile({ source, target: 'no such' }).catch((error) => error.code);
console.log(JSON.stringify({
  ok: made.ok, wgsl: made.wgsl, bindings: made.bindings, passes: made.passes.map((p) => p.name),
  launch: made.launch.js.includes('createKernel'), code, targets: TARGETS.length,
  failed: failed.diagnostics.map(({ code, location }) => [code, location.line]), failedOk: failed.ok,
}));`,
    );
    const found = JSON.parse(said) as Record<string, unknown>;
    const line = KERNELS.split('\n').findIndex((text) => text.includes('x + y')) + 1;
    expect(found).toMatchObject({
      ok: true,
      launch: true,
      code: 'unknown-target',
      failedOk: false,
    });
    expect(found['wgsl']).toContain('@compute');
    expect(found['passes']).toContain('lower_tiles');
    expect(found['failed']).toEqual([['HC0103', line]]);
    expect(found['bindings']).toMatchObject([
      { type: 'read-only-storage', arguments: ['x_ptr'] },
      { type: 'read-only-storage', arguments: ['y_ptr'] },
      { type: 'storage', arguments: ['out_ptr'] },
      { type: 'uniform', arguments: [] },
    ]);
  });

  it.each(['NodeNext', 'Bundler'])('has types that hold with %s', (resolution) => {
    writeFileSync(
      join(project, 'typed.ts'),
      `import { compile, type CompileOutput } from 'hippocamp';
import { createRuntime, HippocampError, type Runtime } from 'hippocamp/runtime';
export async function run(device: GPUDevice, buffer: GPUBuffer): Promise<ArrayBuffer> {
  const runtime: Runtime = await createRuntime(device);
  const made: CompileOutput = await compile({ source: '', target: runtime.target });
  await runtime.load(made);
  // @ts-expect-error Only what compiled has WGSL.
  made.wgsl;
  if (!made.ok) throw new HippocampError('bad-signature', made.diagnostics[0]?.message ?? '');
  const kernel = await runtime.load(made);
  const x = runtime.tensor({ buffer, shape: [4], dtype: 'float32' });
  kernel.launch(({ BLOCK = 1 }) => [4 / BLOCK], { x_ptr: x, n: 4 });
  kernel.launch(({ ACT }) => [ACT === 'relu' ? 1 : 2], { x_ptr: x, n: 4 });
  // @ts-expect-error A string is no argument.
  kernel.launch([1], { x_ptr: 'x' });
  // @ts-expect-error There is no such option.
  await compile({ source: '', optimise: true });
  return runtime.read(x);
}
`,
    );
    checkTypes(resolution, ['typed.ts']);
  });

  it('has the command, built', () => {
    const cli = (...args: string[]): string =>
      execFileSync(process.execPath, [installed('app', 'cli', 'hippocamp.mjs'), ...args], {
        cwd: project,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(cli('compile', 'kernels.py')).toContain('@compute');
    expect(cli('compile', '--target', 'list')).toContain('apple-m1');
    expect(() => cli('run', 'kernels.py')).toThrow('npm install pyodide');
  });

  it('serves tools for agents, with their schemas', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const args = [installed('app', 'cli', 'hippocamp.mjs'), 'mcp'];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: project }),
    );
    const call = async (name: string, input: Record<string, unknown>): Promise<string> =>
      JSON.stringify(await client.callTool({ name, arguments: input }));
    expect(await call('explain', { code: 'HC0203' })).toContain('power of two');
    expect(await call('read_example', { name: 'lesson/05-matmul' })).toContain('tl.dot');
    expect(await call('compile', { path: 'kernels.py', level: 'wgsl' })).toContain('@compute');
    expect(await call('run', { path: 'kernels.py' })).toContain('not-installed');
    await client.close();
    const said = node(
      'schema.mjs',
      `import schema from 'hippocamp/schemas/tool-run.v1.json' with { type: 'json' };
console.log(schema.properties.version.const);`,
    );
    expect(said).toBe('1\n');
    const notices = readFileSync(installed('third-party-notices.txt'), 'utf8');
    expect(notices).toContain('@modelcontextprotocol/sdk');
  });

  const modules = [...FILES].filter(([name]) => name.endsWith('.mjs'));
  it('has five examples, with the Vite project', () => {
    expect(modules.map(([name]) => name)).toHaveLength(4);
    expect([...FILES.keys()]).toContain('main.ts');
  });
  it.skipIf(software.kind === 'missing').each(modules)('runs %s', (name, { text, output }) => {
    withPackages();
    expect(node(name, text, ...dawn)).toBe(output);
  });

  it.skipIf(software.kind === 'missing')('makes a Vite project that runs', () => {
    withPackages();
    for (const name of ['vite.config.js', 'main.ts'])
      writeFileSync(join(project, name), FILES.get(name)!.text);
    writeFileSync(join(project, 'index.html'), '<script type="module" src="/main.ts"></script>');
    const page = vite('build');
    expect(page.said).toContain('built in');
    const assets = readdirSync(join(project, 'dist', 'assets'));
    const script = readFileSync(join(project, 'dist', 'assets', assets[0]!), 'utf8');
    expect(script).toContain('@compute');
    expect(script).not.toContain('lower_tiles');
    // The same modules, for a process without a page.
    expect(vite('build', '--ssr', 'main.ts', '--outDir', 'server').said).toContain('built in');
    const main = readFileSync(join(project, 'server', 'main.js'), 'utf8');
    expect(node('built.mjs', main, ...dawn)).toBe(FILES.get('main.ts')!.output);
  });

  it('gives the plugin’s imports their types', () => {
    checkTypes('Bundler', ['main.ts', 'wrong.ts', 'kernels.d.ts'], {
      'wrong.ts': `import { add_kernel } from './kernels.py?triton';
import type { Runtime } from 'hippocamp/runtime';
export async function wrong(runtime: Runtime, x: GPUBuffer): Promise<void> {
  const kernel = await add_kernel(runtime);
  // @ts-expect-error A number is no pointer.
  kernel.launch([1], { x_ptr: 1, y_ptr: x, out_ptr: x, n: 4 });
  // @ts-expect-error An argument is missing.
  kernel.launch([1], { x_ptr: x, y_ptr: x, out_ptr: x });
}
`,
    });
  });

  it('reloads the page of the dev server where a Python file changes', () => {
    withPackages();
    const changed = KERNELS.replace('x + y', 'x * y');
    const said = node(
      'serve.mjs',
      `import { writeFileSync } from 'node:fs';
import { createServer } from 'vite';
const server = await createServer({ server: { middlewareMode: true, ws: false }, logLevel: 'silent' });
const code = async () => (await server.transformRequest('/kernels.py?triton')).code;
await server.transformRequest('/main.ts');
const before = await code();
const { hot } = server.environments.client;
const message = new Promise((resolve) => (hot.send = resolve));
writeFileSync('kernels.py', ${JSON.stringify(changed)});
const { type } = await message;
const after = await code();
writeFileSync('kernels.py', ${JSON.stringify(KERNELS)});
console.log(type, before.includes(' * y'), after.includes(' * y'));
process.exit();`,
    );
    expect(said).toBe('full-reload false true\n');
  });

  it('fails a build at the line of Python, with Vite and esbuild', () => {
    withPackages();
    const line = KERNELS.split('\n').findIndex((text) => text.includes('x + y')) + 1;
    writeFileSync(join(project, 'kernels.py'), KERNELS.replace('x + y', 'x + z'));
    try {
      const { status, said } = vite('build');
      expect(status).toBe(1);
      expect(said).toContain(`kernels.py:${line}:`);
      expect(said).toContain('HC0103: z is not defined');
      const bundled = node(
        'bundle.mjs',
        `import { build } from 'esbuild';
import { tritonEsbuild } from 'hippocamp/plugin';
const options = { entryPoints: ['main.ts'], bundle: true, format: 'esm', write: false,
  logLevel: 'silent', plugins: [tritonEsbuild()] };
const { errors } = await build(options).catch((error) => error);
console.log(JSON.stringify(errors.map(({ location, text }) => [location.line, text])));`,
      );
      expect(JSON.parse(bundled)).toEqual([[line, 'HC0103: z is not defined']]);
    } finally {
      writeFileSync(join(project, 'kernels.py'), KERNELS);
    }
  });

  it.skipIf(software.kind === 'missing')('runs a program, once npm has put Python beside', () => {
    withPackages();
    symlinkSync(join(ROOT, 'node_modules', 'pyodide'), join(project, 'node_modules', 'pyodide'));
    const program = join(ROOT, 'docs', 'kernels', 'vector_add.py');
    const command = installed('app', 'cli', 'hippocamp.mjs');
    const said = execFileSync(process.execPath, [command, 'run', '--json', program], {
      cwd: project,
      encoding: 'utf8',
      timeout: 60_000,
    });
    const report = JSON.parse(said) as Record<string, unknown>;
    expect(report).toMatchObject({ adapter: { kind: 'webgpu' }, outcome: 'ok' });
    expect(said).toContain('True\\n');
  });

  it('has the pages that its README and --help name', () => {
    const command = installed('app', 'cli', 'hippocamp.mjs');
    const help = execFileSync(process.execPath, [command, '--help'], { encoding: 'utf8' });
    const readme = readFileSync(installed('README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^):#]+)\)/g)].map(([, path]) => path!);
    const named = [...`${help}${readme}`.matchAll(/docs\/[\w/]+\.md/g)].map(([path]) => path);
    expect(links).toContain('CHANGELOG.md');
    expect(named).toContain('docs/prove.md');
    for (const path of [...links, ...named]) expect(existsSync(installed(path)), path).toBe(true);
  });

  it('is as small as stated', () => {
    const sizes = {
      compiler: sizeOf('index.js'),
      parser: compressed(parserFile()),
      runtime: sizeOf('runtime.js'),
      plugin: sizeOf('plugin.js'),
    };
    console.log('bytes by Brotli and gzip:', sizes);
    const stated = [...PAGE.matchAll(/\| (\d+) kB +\| (\d+) kB +\|/g)];
    expect(stated).toHaveLength(3);
    for (const [i, size] of [sizes.compiler, sizes.parser, sizes.runtime].entries()) {
      const [, brotli, gzip] = stated[i]!;
      expect(Math.abs(size.brotli / 1000 / Number(brotli) - 1)).toBeLessThan(STRAY);
      expect(Math.abs(size.gzip / 1000 / Number(gzip) - 1)).toBeLessThan(STRAY);
    }
    for (const [name, limit] of Object.entries(LIMITS))
      expect(sizes[name as keyof typeof LIMITS].brotli, name).toBeLessThan(limit);
  });

  interface Size {
    readonly brotli: number;
    readonly gzip: number;
  }
  const parserFile = (): string =>
    readdirSync(installed('lib')).find((file) => file.includes('parser-wasm'))!;
  const known = new Map<string, Size>();
  function compressed(file: string): Size {
    const size = known.get(file) ?? measured(file);
    known.set(file, size);
    return size;
  }
  function measured(file: string): Size {
    const bytes = readFileSync(installed('lib', file));
    return { brotli: brotliCompressSync(bytes).length, gzip: gzipSync(bytes, { level: 9 }).length };
  }
  /** An entry with everything that it imports statically. */
  function sizeOf(entry: string): Size {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(installed('lib', file), 'utf8');
      for (const [, path = ''] of text.matchAll(/(?:from|import)"(\.\/[^"]+)"/g))
        visit(join(dirname(file), path));
    };
    visit(entry);
    const all = [...seen].map(compressed);
    return {
      brotli: all.reduce((sum, { brotli }) => sum + brotli, 0),
      gzip: all.reduce((sum, { gzip }) => sum + gzip, 0),
    };
  }
});
