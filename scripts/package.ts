/**
 * `npm run build:package`: the npm package, in `dist-package/` (or the folder given). It holds the
 * library's entries with their types, the command, and Python's packages; nothing is bundled or
 * downloaded at first run. `npm pack dist-package` makes the file that npm installs.
 *
 * Types are those that tsc writes for the entries, without the files that no entry's types reach.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { compilerVersion } from '../app/cli/compilerVersion.mjs';
import { raw } from '../app/cli/raw.mjs';
import { NOTICES, noticesText } from './notices.ts';

const ROOT = join(import.meta.dirname, '..');
/** The package's entries: `exports`, and the source of each. */
const ENTRIES = {
  index: { path: '.', source: 'app/library/index.ts' },
  runtime: { path: './runtime', source: 'app/library/runtime.ts' },
  plugin: { path: './plugin', source: 'app/library/plugin.ts' },
} as const;
/** Needed by `hippocamp run` alone: the library works without them. */
const OF_RUN = ['pyodide'];
const DEVICE = 'webgpu';

/** The parser's WebAssembly as a module, and the command's parser read from it. */
const embedParser: Plugin = {
  name: 'embed-parser',
  setup({ onResolve, onLoad }) {
    const require = createRequire(import.meta.url);
    const text = (name: string): string =>
      deflateRawSync(readFileSync(require.resolve(name)), { level: 9 }).toString('base64');
    onResolve({ filter: /^hippocamp:parser-wasm$/ }, ({ path }) => ({ path, namespace: 'wasm' }));
    onLoad({ filter: /.*/, namespace: 'wasm' }, () => ({
      contents:
        `export const treeSitter = '${text('web-tree-sitter/web-tree-sitter.wasm')}';\n` +
        `export const python = '${text('tree-sitter-python/tree-sitter-python.wasm')}';\n`,
    }));
    onResolve({ filter: /\/nodeParser$/ }, () => ({ path: 'nodeParser', namespace: 'embedded' }));
    onLoad({ filter: /.*/, namespace: 'embedded' }, () => ({
      contents: `export { embeddedParser as nodeParser } from './app/library/embeddedParser';`,
      resolveDir: ROOT,
    }));
  },
};

/**
 * The library's modules and the command's share no file: what the command alone takes of a module
 * would be in the library, too, which is a fifth of it.
 * @returns the folders of the packages that went into them, from the root.
 */
async function bundle(out: string): Promise<Set<string>> {
  const library = Object.entries(ENTRIES).map(([name, { source }]) => [name, join(ROOT, source)]);
  const entries = [Object.fromEntries(library), { cli: join(ROOT, 'app/cli/main.ts') }];
  const inputs = await Promise.all(entries.map((entryPoints) => bundleOf(entryPoints, out)));
  const folders = inputs
    .flat()
    .flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return new Set(folders);
}

/** @returns the files that went into it. */
async function bundleOf(
  entryPoints: Readonly<Record<string, string>>,
  out: string,
): Promise<string[]> {
  const { metafile } = await build({
    metafile: true,
    entryPoints,
    outdir: join(out, 'lib'),
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
    // tree-sitter's output names Node's modules without the prefix.
    // The protocol's library does so, too.
    external: [
      ...['node:*', 'fs/promises', 'module', 'url', 'crypto', 'http', 'http2', 'stream'],
      ...OF_RUN,
      DEVICE,
    ],
    legalComments: 'none',
    logLevel: 'error',
    absWorkingDir: ROOT,
    define: compilerVersion(ROOT),
    plugins: [raw as Plugin, embedParser],
  });
  return Object.keys(metafile.inputs);
}

const SPECIFIER = /(from\s+|import\(|import\s+)(['"])(\.{1,2}\/[^'"]+)\2/g;

/** Writes `types/` with the declarations that the entries reach. */
function declarations(out: string): void {
  const made = mkdtempSync(join(tmpdir(), 'hippocamp-types-'));
  try {
    const project = join(made, 'tsconfig.json');
    writeFileSync(
      project,
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          allowImportingTsExtensions: true,
          rootDir: ROOT,
          outDir: join(made, 'out'),
          typeRoots: [join(ROOT, 'node_modules', '@types'), join(ROOT, 'node_modules')],
        },
        include: [],
        files: [
          ...Object.values(ENTRIES).map(({ source }) => join(ROOT, source)),
          join(ROOT, 'app/library/parserWasm.d.ts'),
        ],
      }),
    );
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], {
      stdio: 'inherit',
    });
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8').replace(
        SPECIFIER,
        (_, before: string, quote: string, path: string) => {
          const base = join(dirname(file), path.replace(/\.(js|ts)$/, ''));
          const found = [`${base}.d.ts`, join(base, 'index.d.ts')].find((each) => existsSync(each));
          if (!found) throw new Error(`${file}: no declarations of ${path}`);
          visit(found);
          const to = relative(dirname(file), found)
            .replaceAll('\\', '/')
            .replace(/\.d\.ts$/, '.js');
          return `${before}${quote}${to.startsWith('.') ? to : `./${to}`}${quote}`;
        },
      );
      const target = join(out, 'types', relative(join(made, 'out'), file));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    };
    for (const { source } of Object.values(ENTRIES))
      visit(join(made, 'out', source.replace(/\.ts$/, '.d.ts')));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function manifest(): object {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly [key: string]: unknown;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const { name, version, description, license, type, engines } = own;
  const exports = Object.entries(ENTRIES).map(([entry, { path, source }]) => [
    path,
    { types: `./types/${source.replace(/\.ts$/, '.d.ts')}`, default: `./lib/${entry}.js` },
  ]);
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    sideEffects: false,
    bin: { hippocamp: 'app/cli/hippocamp.mjs' },
    exports: {
      ...Object.fromEntries(exports),
      './schemas/*': './schemas/*',
      './package.json': './package.json',
    },
    optionalDependencies: {
      ...Object.fromEntries(OF_RUN.map((each) => [each, own.dependencies[each]])),
      [DEVICE]: own.devDependencies[DEVICE],
    },
  };
}

function python(out: string): void {
  const harness = 'app/judge/harness';
  cpSync(join(ROOT, harness), join(out, harness), {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  cpSync(join(ROOT, 'app/python'), join(out, 'app/python'), {
    recursive: true,
    filter: (path) =>
      !/__pycache__|python[\\/](testdata|testing)|\.ts$/.test(path.slice(ROOT.length)),
  });
}

/** Documents of `hippocamp mcp`: the gallery, the lessons' texts, the diagnostics' pages. */
const READ_BY_MCP: readonly (readonly [string, RegExp])[] = [
  ['public/examples', /\.(py|json)$/],
  ['app/tutorials/lessons', /[\\/](lesson\.md|start\.py)$/],
  ['docs/diagnostics', /[\\/]HC\d{4}\.md$/],
];

/** Pages that the package's README and `--help` name. */
const NAMED = ['check.md', 'json.md', 'mcp.md', 'prove.md'];

function documents(out: string): void {
  for (const [folder, wanted] of READ_BY_MCP)
    cpSync(join(ROOT, folder), join(out, folder), {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || wanted.test(path),
    });
  for (const page of NAMED) cpSync(join(ROOT, 'docs', page), join(out, 'docs', page));
  cpSync(join(ROOT, 'docs/schemas'), join(out, 'schemas'), { recursive: true });
  const readme = readFileSync(join(ROOT, 'docs/package.md'), 'utf8');
  writeFileSync(join(out, 'README.md'), readme.replaceAll('](../', ']('));
}

/**
 * @param out is replaced.
 * @param types whether to write declarations, which take most of the time
 */
export async function buildPackage(out: string, types = true): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, 'app/cli'), { recursive: true });
  const bundled = await bundle(out);
  if (types) declarations(out);
  python(out);
  documents(out);
  cpSync(join(ROOT, 'app/cli/hippocamp.mjs'), join(out, 'app/cli/hippocamp.mjs'));
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(join(ROOT, file), join(out, file));
  writeFileSync(join(out, NOTICES), noticesText(ROOT, bundled));
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

if (import.meta.main) await buildPackage(resolve(process.argv[2] ?? join(ROOT, 'dist-package')));
