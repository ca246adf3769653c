/**
 * Nothing is said of a program that is right: every program of the gallery, every lesson's solution
 * and start, from the text alone. A guess of sizes that the kernel is not written for would show
 * here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler } from '../pipeline';
import { checkProgram } from './checkProgram';

const ROOT = join(import.meta.dirname, '..', '..');
const parser = await testParser();
const compiler = createCompiler(parser);

const pythonIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.py') && !file.endsWith('checks.py'))
    .map((file) => `${folder}/${file}`);

const programs = ['public/examples', 'app/tutorials/lessons', 'e2e/programs/good'].flatMap(
  pythonIn,
);

it.each(programs)('says nothing of %s', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { diagnostics } = checkProgram({ 'main.py': text }, parser, compiler);
  expect(diagnostics.map(({ code, message, location }) => [code, location.line, message])).toEqual(
    [],
  );
});
