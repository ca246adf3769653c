/**
 * Vulkan's loader on Linux, which Dawn opens by its name. Where the system has none, the copy
 * beside a Chromium is loaded here and stays: the dynamic linker then gives Dawn that one.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

const LIBRARY = 'libvulkan.so.1';
/** RTLD_NOW, and glibc's RTLD_NODELETE: Node closes what turns out to be no module of its own. */
const STAYS = 0x2 | 0x1000;

/**
 * Folders where a Chromium binary may lie, with its SwiftShader: those of the one that is named, if
 * one is.
 */
export function chromiumFolders(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const named = env['HIPPOCAMP_CHROMIUM'] ?? env['CHROMIUM'] ?? env['CHROME_BIN'];
  if (named && !existsSync(named)) return [];
  return [
    // A distribution's may be a shell script on the PATH, with the binary elsewhere.
    ...(named ? [dirname(realpathSync(named))] : []),
    '/usr/lib/chromium',
    '/usr/lib64/chromium',
    '/usr/lib/chromium-browser',
    '/usr/lib64/chromium-browser',
    '/opt/google/chrome',
    '/opt/microsoft/msedge',
    ...playwrightFolders(env),
  ];
}

/** Where Playwright keeps its browsers. */
export const browsersFolder = (env: NodeJS.ProcessEnv): string =>
  env['PLAYWRIGHT_BROWSERS_PATH'] ?? join(homedir(), '.cache', 'ms-playwright');

/** Browsers that Playwright keeps for all of a user's projects, the newest first. */
function playwrightFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const kept = browsersFolder(env);
  if (!existsSync(kept)) return [];
  const revision = (name: string): number => Number(name.split('-').at(-1));
  const browsers = readdirSync(kept, { withFileTypes: true })
    .filter((item) => item.isDirectory() && /^chromium(_headless_shell)?-\d+$/.test(item.name))
    .map(({ name }) => name)
    .sort((a, b) => revision(b) - revision(a));
  return browsers.flatMap((name) =>
    readdirSync(join(kept, name)).map((inner) => join(kept, name, inner)),
  );
}

/** Whether the dynamic linker finds `library`, a name or a path; it stays loaded then. */
function loads(library: string): boolean {
  try {
    process.dlopen({ exports: {} }, library, STAYS);
    return true;
  } catch (error) {
    // No module of Node's, but loaded. Otherwise the message is the dynamic linker's.
    return error instanceof Error && error.message.startsWith('Module did not self-register');
  }
}

/** Makes Dawn find a Vulkan loader. @returns whether there is one. */
export function ensureVulkanLoader(): boolean {
  if (process.platform !== 'linux' || loads(LIBRARY)) return true;
  return chromiumFolders()
    .map((folder) => join(folder, LIBRARY))
    .some((path) => existsSync(path) && loads(path));
}
