/** Wheels of `--packages FOLDER`: those that the program imports or declares go with its run. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ProgramFiles } from '../events';
import { OpenFault } from '../open/fault';
import { lockFrom, type Lock } from '../packages/lock';
import { wheelsOf } from '../packages/needs';
import { readWheel, type Wheel } from '../packages/wheel';
import type { RunWheel } from '../workers/protocol';

/** Bytes of a wheel. */
const LARGEST = 80e6;

interface WheelFile extends Wheel {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * @param say gets a sentence for each wheel that does not run here.
 * @throws where the folder cannot be read.
 */
export function readWheels(
  folder: string,
  { files, entry }: { readonly files: ProgramFiles; readonly entry: string },
  say: (text: string) => void,
): readonly RunWheel[] {
  const installed = createRequire(import.meta.url).resolve('pyodide/pyodide-lock.json');
  const text = readFileSync(installed, 'utf8');
  const lock: Lock = lockFrom(JSON.parse(text) as Parameters<typeof lockFrom>[0]);
  const wheels: WheelFile[] = [];
  for (const fileName of readdirSync(folder)
    .filter((name) => name.endsWith('.whl'))
    .toSorted()) {
    const path = join(folder, fileName);
    const facts = statSync(path);
    if (!facts.isFile() || facts.size > LARGEST) {
      say(`note: ${fileName} is left out: no file, or more than ${LARGEST / 1e6} MB`);
      continue;
    }
    try {
      const bytes = new Uint8Array(readFileSync(path));
      const wheel = { ...readWheel(fileName, bytes, lock.platform), bytes };
      const other = wheels.find(({ name }) => name === wheel.name);
      if (other) say(`note: ${other.fileName} gives way to ${fileName}`);
      wheels.push(wheel);
    } catch (error) {
      if (!(error instanceof OpenFault)) throw error;
      say(`note: ${error.message}`);
    }
  }
  return wheelsOf(files, entry, wheels, lock).map(({ fileName, bytes }) => ({ fileName, bytes }));
}
