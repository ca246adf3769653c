/**
 * Finds a Chromium for the tests, or installs one: the one named by HIPPOCAMP_CHROMIUM, else the
 * system's, else Playwright's, else (as root, where there is apt) the distribution's package.
 *
 * A browser counts only when it answers `--version`: a wrapper without its package, or a download
 * without its system libraries, does not.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

export interface Chromium {
  readonly path: string;
  readonly version: string;
  /** For people: where it came from. */
  readonly origin: string;
}

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
];

/** Places that are not on the PATH. */
function knownPlaces(): string[] {
  const { env, platform } = process;
  if (platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].flatMap((name) =>
      ['/Applications', join(env['HOME'] ?? '', 'Applications')].map((folder) =>
        join(folder, `${name}.app`, 'Contents', 'MacOS', name),
      ),
    );
  }
  if (platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) => env[name]);
    const files = [
      ['Google', 'Chrome', 'Application', 'chrome.exe'],
      ['Chromium', 'Application', 'chrome.exe'],
      ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
    ];
    return roots.flatMap((root) => (root ? files.map((file) => join(root, ...file)) : []));
  }
  return ['/opt/google/chrome/chrome', '/usr/lib/chromium/chromium'];
}

function onPath(): string[] {
  if (process.platform === 'win32') return [];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** The binary that Playwright downloads, whether it is there or not. */
function playwrightPath(): string | null {
  try {
    const playwright = createRequire(import.meta.url)('playwright') as typeof import('playwright');
    return playwright.chromium.executablePath();
  } catch {
    return null;
  }
}

/** The browser at `path`, if it starts. */
function probe(path: string | null, origin: string): Chromium | null {
  if (!path || !existsSync(path)) return null;
  // Windows browsers open a window instead of answering; there, existing is enough.
  if (process.platform === 'win32') return { path, version: 'unknown version', origin };
  const answer = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  if (answer.status !== 0) return null;
  return { path, version: answer.stdout.trim(), origin };
}

/** The first Chromium that is there already. */
export function findChromium(): Chromium | null {
  const named = process.env['HIPPOCAMP_CHROMIUM'];
  if (named) {
    const chromium = probe(named, 'HIPPOCAMP_CHROMIUM');
    if (!chromium) throw new Error(`HIPPOCAMP_CHROMIUM names ${named}, which does not start`);
    return chromium;
  }
  for (const path of [...onPath(), ...knownPlaces()]) {
    const chromium = probe(path, 'the system');
    if (chromium) return chromium;
  }
  return probe(playwrightPath(), 'Playwright');
}

/** Finds one or installs one; null, with the reasons printed, when neither works. */
export function ensureChromium(): Chromium | null {
  const present = findChromium();
  if (present) return present;
  const playwright = join(import.meta.dirname, '..', 'node_modules', 'playwright', 'cli.js');
  console.log('No Chromium on this machine: installing one by Playwright.');
  execute(process.execPath, [playwright, 'install', 'chromium']);
  const downloaded = probe(playwrightPath(), 'Playwright, just installed');
  if (downloaded) return downloaded;
  const root = process.getuid?.() === 0;
  if (root && existsSync('/usr/bin/apt-get')) {
    console.log('That did not give one that starts: trying apt.');
    const environment = { DEBIAN_FRONTEND: 'noninteractive' };
    execute('apt-get', ['update'], environment);
    execute('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], environment);
    const packaged = findChromium();
    if (packaged) return { ...packaged, origin: 'apt, just installed' };
    // The download may only lack its libraries where `chromium` is no real package (Ubuntu).
    execute(process.execPath, [playwright, 'install', '--with-deps', 'chromium'], environment);
    const completed = probe(playwrightPath(), 'Playwright, with its libraries just installed');
    if (completed) return completed;
  }
  console.error(
    'No Chromium could be found or installed. Install Chromium or Chrome, or set ' +
      'HIPPOCAMP_CHROMIUM to the path of one.',
  );
  return null;
}

function execute(command: string, args: string[], environment: Record<string, string> = {}): void {
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
}

/**
 * The folder of a browser's binary, where its SwiftShader and Vulkan loader lie. Distributions put
 * a shell script on the PATH and the binary elsewhere.
 */
function chromiumFolder(path: string): string | null {
  const real = realpathSync(path);
  const folders = [dirname(real)];
  if (readFileSync(real).subarray(0, 2).toString() === '#!') {
    const script = readFileSync(real, 'utf8');
    for (const [folder] of script.matchAll(/\/[\w./-]*\/(?:chromium|chrome)[\w.-]*(?=[/\s"'])/g)) {
      folders.push(folder);
    }
    folders.push('/usr/lib/chromium', '/usr/lib64/chromium', '/usr/lib/chromium-browser');
  }
  // macOS keeps libraries in the framework; there Dawn uses Metal and needs none of this.
  return folders.find((folder) => existsSync(join(folder, 'vk_swiftshader_icd.json'))) ?? null;
}

/** Environment variables that make Dawn in Node compute on Chromium's SwiftShader. */
export function softwareAdapterEnvironment(chromium: Chromium): Record<string, string> | null {
  const folder = chromiumFolder(chromium.path);
  if (!folder) return null;
  return {
    CHROMIUM: chromium.path,
    VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json'),
    XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] ?? '/tmp',
  };
}
