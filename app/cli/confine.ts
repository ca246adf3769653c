/**
 * Walls around the process in which a program runs: Python's `js` and its C library lead to Node
 * there. Node's permission model closes files, processes and the network, the environment holds
 * only what drivers and this runner read, text is never evaluated as JavaScript, and `process`
 * is gone from the globals.
 *
 * Guarantee: a program reads no file of this machine but those of Hippocamp and of browsers, writes
 * none but its caches, starts no process, and opens no connection. Native code is not confined: a
 * fault of Dawn or of a driver leads outside.
 */
import childProcess from 'node:child_process';
import fs, { mkdirSync, realpathSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { browsersFolder, chromiumFolders } from './vulkanLoader';
import { GPU_DEVICES } from './gpuDevices';
import { tuningsFolder } from './tunings';

/** Variables that drivers, their loaders and this runner read. */
const ENVIRONMENT =
  /^(PATH|HOME|USERPROFILE|TE?MP|TMPDIR|LANG|LC_\w+|TZ|DISPLAY|WAYLAND_DISPLAY|SYSTEMROOT|WINDIR|(LOCAL)?APPDATA|(LD|DYLD)_\w+|CHROM(IUM|E_BIN)|PLAYWRIGHT_BROWSERS_PATH|(HIPPOCAMP|DAWN|VK|XDG|MESA|LIBGL|GALLIUM|LP|NVIDIA|CUDA|AMD|RADV|INTEL|ANV)_\w+)$/i;

export interface Confinement {
  readonly execArgv: string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * How the program's process is started. Makes the folder of tunings.
 * @param root of this package, or of the repository
 */
export function confinement(root: string): Confinement {
  const tunings = tuningsFolder();
  try {
    mkdirSync(tunings, { recursive: true });
  } catch {
    // Nothing is kept where it cannot be written.
  }
  const read = [
    ...['app', 'compiler', 'lib', 'package.json'].map((name) => join(root, name)),
    ...modules(root),
    ...(process.env['DAWN_NODE'] ? [dirname(process.env['DAWN_NODE'])] : []),
    ...chromiumFolders(),
    ...namedFiles(process.env),
    ...GPU_DEVICES,
    browsersFolder(process.env),
    tunings,
  ];
  return {
    execArgv: [
      '--permission',
      // Dawn is one; and a thread looks whether the runner is still there.
      ...['--allow-addons', '--allow-worker', '--no-warnings'],
      '--disallow-code-generation-from-strings',
      ...[...new Set(read.flatMap((path) => [path, behindLinks(path)]))].flatMap(
        // Node takes what does not exist for a file.
        (path) => [`--allow-fs-read=${path}`, `--allow-fs-read=${join(path, '*')}`],
      ),
      `--allow-fs-write=${tunings}`,
    ],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name))),
  };
}

/**
 * The command's file, for its other processes. Without links: npx and npm call it by one, which a
 * confined process may not read.
 */
export function commandFile(): string {
  return behindLinks(process.argv[1] ?? '');
}

/** Files that the environment names, there or not: whether they exist is looked at. */
function namedFiles(env: NodeJS.ProcessEnv): readonly string[] {
  const browsers = ['HIPPOCAMP_CHROMIUM', 'CHROMIUM', 'CHROME_BIN'].map((name) => env[name]);
  const drivers = env['VK_ICD_FILENAMES']?.split(delimiter) ?? [];
  return [...browsers, ...drivers].filter((path) => path !== undefined && path !== '') as string[];
}

function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Whoever looks for a file that is missing has to be allowed to.
    return path;
  }
}

/** Packages that the program's process imports. */
const PACKAGES = ['pyodide', 'webgpu', 'web-tree-sitter', 'tree-sitter-python'];

/**
 * Folders in which the packages lie that the runner imports; of a package that is a link, as pnpm
 * makes them, what it leads to.
 */
function modules(root: string): readonly string[] {
  const folders = createRequire(join(root, 'package.json')).resolve.paths('pyodide') ?? [];
  const packages = folders.flatMap((folder) => PACKAGES.map((name) => join(folder, name)));
  return [...folders, ...packages.filter((path) => behindLinks(path) !== path)];
}

/**
 * To be called before Python is loaded: what Emscripten reads of Node though the walls close it,
 * the constants of files and the wait for a disk. The C library's `system` gets a shell without
 * commands (127), where the walls would end Python.
 * @param note takes one sentence, the first time that a shell is asked for
 */
export function serveEmscripten(note: (text: string) => void): void {
  Object.assign(process, { binding: () => ({ fs: fs.constants }) });
  fs.fsyncSync = () => {};
  let noted = false;
  Object.assign(childProcess, {
    spawnSync: () => {
      if (!noted) note('note: os.system starts no process, and answers 127; --allow-node lets it');
      noted = true;
      return { status: 127, signal: null };
    },
  });
  syncBuiltinESMExports();
}

/** Powers of Node that are no file, process or connection. */
const POWERS = `
  process require module fetch WebSocket EventSource XMLHttpRequest Worker BroadcastChannel
  localStorage sessionStorage navigator`;

/** To be called once Python is loaded, before the program. Cannot be undone. */
export function hidePowers(): void {
  for (const name of POWERS.trim().split(/\s+/)) {
    if (!Reflect.deleteProperty(globalThis, name) && name in globalThis)
      throw new Error(`this Node keeps ${name} for programs`);
  }
  // Emscripten writes the code of an exit there.
  Object.assign(globalThis, { process: { exitCode: undefined } });
}
