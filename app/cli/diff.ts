/** `hippocamp diff`: the difference of two runs, from what `run --json` wrote of them. */
import { readFileSync, statSync } from 'node:fs';
import { difference, differenceText } from '../profile/difference';
import { profileOf, recordOf, type Profile } from '../profile/profile';
import type { DiffCommand } from './options';
import { runOutput } from './schema/outputs';
import { write } from './standardOutput';

/** Bytes: a longer file is no run that was meant to be compared. */
const LARGEST = 512 * 2 ** 20;

/** Exit codes: 0, or 2 where a file is no run. */
export async function diffCommand({ before, after, json }: DiffCommand): Promise<number> {
  const profiles: Profile[] = [];
  for (const file of [before, after]) {
    const read = readRun(file);
    if (typeof read === 'string') {
      process.stderr.write(`hippocamp: ${file} ${read}\n`);
      return 2;
    }
    profiles.push(read);
  }
  const found = difference(profiles[0]!, profiles[1]!);
  const text = json ? `${JSON.stringify(found)}\n` : differenceText(found);
  await write(text);
  return 0;
}

/** @returns why the file is no run, else its profile. */
function readRun(file: string): Profile | string {
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > LARGEST) return `has ${size} bytes; the output of run --json has at most ${LARGEST}`;
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is no JSON: diff takes what run --json wrote';
  }
  const read = runOutput.safeParse(value);
  if (read.success) return profileOf(recordOf(read.data.events));
  const [issue] = read.error.issues;
  return `is no output of run --json: ${issue?.path.join('.') || 'the object'}: ${issue?.message}`;
}
