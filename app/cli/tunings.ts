/**
 * Texts that the headless runner keeps from run to run (tunings, calibrations): a file each in the
 * user's cache folder. Where it cannot be written nothing is kept.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { TuningStore } from '../runtime/keptCalibration';

/** HIPPOCAMP_CACHE, or the system's place for such files. */
function cacheFolder(): string {
  const { env, platform } = process;
  if (env['HIPPOCAMP_CACHE']) return env['HIPPOCAMP_CACHE'];
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'hippocamp', 'Cache');
  }
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'hippocamp');
  return join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'hippocamp');
}

export const tuningsFolder = (): string => join(cacheFolder(), 'tunings');

/** @param folder made where it is missing. */
export function fileTunings(folder: string = tuningsFolder()): TuningStore {
  const fileOf = (key: string): string => {
    if (!/^[\w-]+$/.test(key)) throw new RangeError(`${key} cannot be kept under this name`);
    return join(folder, `${key}.json`);
  };
  return {
    get(key) {
      try {
        return Promise.resolve(readFileSync(fileOf(key), 'utf8'));
      } catch {
        return Promise.resolve('');
      }
    },
    set(key, text) {
      try {
        if (text === '') {
          rmSync(fileOf(key), { force: true });
          return;
        }
        mkdirSync(folder, { recursive: true });
        // Another process may do the same: write beside, then rename.
        const fresh = `${fileOf(key)}.${process.pid}`;
        writeFileSync(fresh, text);
        renameSync(fresh, fileOf(key));
      } catch {
        // A read-only home.
      }
    },
  };
}
