#!/usr/bin/env node
/**
 * The command `hippocamp`. It only finds a Node that is new enough (Pyodide's synchronous waits
 * need WebAssembly's JSPI, which Node has since 25) and starts the runner: the built one of the
 * package, else that of the repository, whose TypeScript it bundles where it changed. Plain
 * JavaScript: any Node must be able to read it far enough to say what is missing.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 25;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** The runner of the package, built before (`scripts/package.ts`). */
const built = join(root, 'lib', 'cli.js');
const packaged = existsSync(built);

/** The process of a program, or of a tool, which a command has started from what it built. */
const isProgram = ['__program__', '__tool__'].includes(process.argv[2]);
/** Those that run Python: their processes are started by this Node, so it must be the newer one. */
const needsNewer = isProgram || ['run', 'prove', 'check', 'bench', 'mcp'].includes(process.argv[2]);
/**
 * Signals that a run got before it listens: it takes a second to be bundled and loaded, and its
 * report must come all the same.
 */
const early = [];
const hold = (signal) => void early.push(signal);
const SIGNALS = ['SIGINT', 'SIGTERM'];
const takeEarly = () => {
  for (const signal of SIGNALS) process.off(signal, hold);
  return early.splice(0);
};
if (process.argv[2] === 'run') for (const signal of SIGNALS) process.on(signal, hold);

if (packaged && !needsNewer) {
  // Only Python's waits need the newer Node.
  await start(built);
} else if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  const newer = findNode();
  if (!newer) {
    process.stderr.write(
      `hippocamp needs Node ${NEEDED} or newer; this is ${process.versions.node}. ` +
        (packaged
          ? 'The package `node` brings one: `npm install node@26`.\n'
          : 'Run `npm install` in the repository: it brings one.\n'),
    );
    process.exit(2);
  }
  const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, HIPPOCAMP_LAUNCHED: '1' },
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  for (const signal of takeEarly()) child.kill(signal);
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
} else {
  await start(packaged ? built : await bundle(isProgram));
}

async function start(file) {
  const { main } = await import(pathToFileURL(file).href);
  process.exitCode = await main(process.argv.slice(2), root, takeEarly);
}

/** The Node that the npm package `node` installed. */
function findNode() {
  const names = process.platform === 'win32' ? ['node.exe'] : ['node'];
  let folder;
  try {
    folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
  } catch {
    return null;
  }
  for (const name of names) {
    const path = join(folder, 'bin', name);
    if (existsSync(path)) return path;
  }
  return null;
}

/**
 * `main.ts` and `programProcess.ts` with all that they import, packages left out. Built again when
 * one of the files that went into it is newer than it was.
 * @param asItIs by a process that may write nothing
 */
async function bundle(asItIs) {
  const folder = join(root, 'node_modules', '.cache', 'hippocamp');
  const output = join(folder, 'main.mjs');
  const stamp = join(folder, 'main.json');
  if ((asItIs && existsSync(output)) || isFresh(output, stamp)) return output;
  const { build } = await import('esbuild');
  const { compilerVersion } = await import('./compilerVersion.mjs');
  const { raw } = await import('./raw.mjs');
  mkdirSync(folder, { recursive: true });
  // Another runner may build at the same time: write beside, then rename.
  const fresh = join(folder, `main.${process.pid}.mjs`);
  const started = Date.now();
  const result = await build({
    entryPoints: [join(root, 'app', 'cli', 'main.ts')],
    outfile: fresh,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node25',
    packages: 'external',
    sourcemap: 'inline',
    metafile: true,
    logLevel: 'error',
    absWorkingDir: root,
    define: compilerVersion(root),
    plugins: [raw],
  });
  const inputs = {};
  for (const name of Object.keys(result.metafile.inputs)) {
    const path = resolve(root, name.replace(/^raw:/, ''));
    if (!existsSync(path)) continue;
    const time = statSync(path).mtimeMs;
    // A file that changed while it was read may be in it in either form: build again next time.
    inputs[path] = time < started ? time : 0;
  }
  renameSync(fresh, output);
  writeFileSync(stamp, JSON.stringify(inputs));
  return output;
}

function isFresh(output, stamp) {
  try {
    if (!existsSync(output)) return false;
    const inputs = JSON.parse(readFileSync(stamp, 'utf8'));
    // Worktrees may share `node_modules`: the bundle must be of this one's files.
    return Object.entries(inputs).every(
      ([path, time]) => path.startsWith(root) && statSync(path).mtimeMs === time,
    );
  } catch {
    return false;
  }
}
