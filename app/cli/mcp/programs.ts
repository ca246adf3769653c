/** The program that a call is about: a text, a file below the working directory, or an example. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { ProgramFiles } from '../../events';
import { reachable } from '../files';
import { readProgram } from '../programs';
import { ToolError } from './errors';
import { readExample } from './examples';
import type { z } from 'zod';
import type { Problem } from '../../judge/files';
import { readProblem } from '../problems';
import type { checkInput, ProgramInput } from './inputs';
import { FILES, SOURCE_CHARACTERS } from './limits';

export interface GivenProgram {
  /** The entry first. */
  readonly files: ProgramFiles;
  readonly entry: string;
}

/** The name of a program that came as a text. */
const ENTRY = 'program.py';
const MODULE = /^(?:[A-Za-z_]\w*\/){0,16}[A-Za-z_]\w*\.py$/;

/** @throws ToolError `bad-arguments`, `too-large`, `not-found` */
export function programOf(input: ProgramInput, root: string): GivenProgram {
  const given = (['source', 'path', 'example'] as const).filter((key) => input[key] !== undefined);
  if (given.length !== 1)
    throw new ToolError(
      'bad-arguments',
      `give exactly one of source, path and example, not ${given.join(' and ') || 'none'}`,
      'source',
    );
  const { source, path, example, files = {} } = input;
  if (path !== undefined && Object.keys(files).length > 0)
    throw new ToolError('bad-arguments', 'files go with source; path brings its imports', 'files');
  if (path !== undefined) return ofPath(path);
  const names = Object.keys(files);
  if (names.length > FILES)
    throw new ToolError('too-large', `files has ${names.length}; at most ${FILES}`, 'files');
  for (const name of names)
    if (!MODULE.test(name) || name === ENTRY)
      throw new ToolError(
        'bad-arguments',
        `${name.slice(0, 100)} is no module's file name`,
        'files',
      );
  const text = source ?? readExample(root, example ?? '').source;
  const size = text.length + Object.values(files).reduce((sum, each) => sum + each.length, 0);
  if (size > SOURCE_CHARACTERS)
    throw new ToolError(
      'too-large',
      `the program has ${size} characters; at most ${SOURCE_CHARACTERS}`,
      'source',
    );
  return { files: { [ENTRY]: text, ...files }, entry: ENTRY };
}

/**
 * A file of the working directory. Links are followed before the folder is compared.
 * @throws ToolError
 */
function fileBelow(path: string, argument: 'path' | 'problem'): string {
  const folder = realpathSync(process.cwd());
  const file = resolve(folder, path);
  if (!existsSync(file)) throw new ToolError('not-found', `there is no file ${path}`, path);
  const inside = relative(folder, realpathSync(file));
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new ToolError('bad-arguments', `${path} lies outside of ${folder}`, argument);
  return join(folder, inside);
}

/** The problem of a call. @throws ToolError */
export function problemOf({ problem, reference }: z.infer<typeof checkInput>): Problem {
  if ((problem === undefined) === (reference === undefined))
    throw new ToolError('bad-arguments', 'give exactly one of problem and reference', 'problem');
  if (problem === undefined) return { reference: reference ?? null, checks: null };
  try {
    return readProblem(fileBelow(problem, 'problem'));
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError('not-found', error instanceof Error ? error.message : '', problem);
  }
}

function ofPath(path: string): GivenProgram {
  const file = fileBelow(path, 'path');
  if (!statSync(file).isDirectory() && !file.endsWith('.py'))
    throw new ToolError('bad-arguments', `${path} is no Python file`, 'path');
  try {
    const program = readProgram(file);
    return { files: reachable(program), entry: program.entry };
  } catch (error) {
    throw new ToolError('not-found', error instanceof Error ? error.message : String(error), path);
  }
}
