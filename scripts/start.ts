/**
 * `npm start`: serves the IDE's production build on localhost, building it first where there is
 * none or the sources are newer. A browser opens only for a person at a terminal with a display.
 *
 *   npm start -- [--port 4173] [--host] [--no-open] [--build]
 */
import { readdirSync, statSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, preview } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const BUILT = join(ROOT, 'dist', 'index.html');
const SOURCES = [
  ...['app', 'compiler', 'public', 'scripts'],
  ...['index.html', 'vite.config.ts', 'package-lock.json'],
];

/** Milliseconds since 1970 of the newest change below `path`. */
function newest(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(
    stat.mtimeMs,
    ...readdirSync(path)
      .filter((name) => !name.includes('.test.'))
      .map((name) => newest(join(path, name))),
  );
}

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4173' },
    host: { type: 'boolean', default: false },
    'no-open': { type: 'boolean', default: false },
    build: { type: 'boolean', default: false },
  },
});

const stale =
  !existsSync(BUILT) ||
  SOURCES.some((source) => newest(join(ROOT, source)) > statSync(BUILT).mtimeMs);
if (values.build || stale) {
  console.log('Building the page …');
  await build({ root: ROOT, logLevel: 'warn' });
}

const display =
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
const open = !values['no-open'] && process.stdout.isTTY && !process.env['CI'] && display;
const server = await preview({
  root: ROOT,
  preview: { port: Number(values.port), host: values.host, open },
});
console.log('\nHippocamp is open at');
for (const url of [
  ...(server.resolvedUrls?.local ?? []),
  ...(server.resolvedUrls?.network ?? []),
]) {
  console.log(`  ${url}`);
}
console.log('Stop it with Ctrl+C.');
