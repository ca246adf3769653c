/**
 * The front end's types against Triton's own, for programs that are fetched beside the project.
 *
 *     node scripts/typing/run.ts guess FOLDER GUESSES.json   (guesses from the text)
 *     python scripts/typing/expected.py FOLDER GUESSES.json EXPECTED.json  (triton and torch)
 *     node scripts/typing/run.ts compare FOLDER EXPECTED.json [PATTERN] [--show]
 *
 * FOLDER holds collections of programs, one a folder. EXPECTED.json holds no text of theirs: a case
 * whose file is missing or has another hash is counted and left out.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { guessArguments } from '../../compiler/1-parse/guess';
import { moduleScopes } from '../../compiler/1-parse/moduleScope';
import { returnsValue } from '../../compiler/1-parse/outline';
import { createParser, type Parser } from '../../compiler/1-parse/parser';
import type { ArgumentSpec } from '../../compiler/program';
import { compareCase, readCases, type Case, type Verdict, type Written } from './compare';
import core from '../../node_modules/web-tree-sitter/web-tree-sitter.wasm';
import grammar from '../../node_modules/tree-sitter-python/tree-sitter-python.wasm';

const { values, positionals } = parseArgs({
  options: {
    show: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
  allowPositionals: true,
});
const [command, folder, file, pattern = ''] = positionals;
if (!folder || !file || (command !== 'guess' && command !== 'compare')) {
  console.error('usage: run.ts guess FOLDER OUT.json | compare FOLDER EXPECTED.json [PATTERN]');
  process.exit(2);
}
const parser = await createParser(core, grammar);
if (command === 'guess') guess(parser, folder, file);
else compare(parser, folder, file);

function pythonFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      return /^(\.|__pycache__|node_modules)/.test(name) ? [] : pythonFiles(path);
    return name.endsWith('.py') ? [path] : [];
  });
}

/** A specialization's argument in the notation of Triton's signatures. */
function signature(spec: ArgumentSpec): unknown {
  const hint = (divisible: boolean): string => (divisible ? ':16' : '');
  switch (spec.kind) {
    case 'pointer':
      return `*${short(spec.dtype)}${hint(spec.divisibleBy16)}`;
    case 'scalar':
      return `${short(spec.dtype)}${hint(spec.divisibleBy16)}`;
    case 'constexpr': {
      const { value } = spec;
      if (value.kind === 'int' || value.kind === 'float') return { constexpr: Number(value.value) };
      if (value.kind === 'bool' || value.kind === 'string') return { constexpr: value.value };
      return { constexpr: null };
    }
    case 'tuple':
      return { constexpr: null };
    default:
      return spec satisfies never;
  }
}
function short(dtype: string): string {
  return dtype
    .replace('uint', 'u')
    .replace('int', 'i')
    .replace('bfloat', 'bf')
    .replace('float', 'fp');
}

function guess(parser: Parser, folder: string, out: string): void {
  const files: Record<string, Record<string, unknown>> = {};
  for (const path of pythonFiles(folder)) {
    const text = readFileSync(path, 'utf8');
    if (!/triton/.test(text) || !/\.jit\b/.test(text)) continue;
    const kernels: Record<string, unknown> = {};
    const module = parser.parse(path, text);
    const scope = moduleScopes([module]).get(path)!;
    for (const definition of scope.functions.values()) {
      if (returnsValue(definition.body)) continue;
      const { specs } = guessArguments(definition, [module], scope);
      kernels[definition.name] = {
        arguments: Object.fromEntries(
          definition.parameters.map(({ name }, i) => {
            const spec = specs[i];
            return [name, spec ? signature(spec) : null];
          }),
        ),
      };
    }
    files[relative(folder, path)] = kernels;
  }
  writeFileSync(out, JSON.stringify(files));
  console.log(`${Object.keys(files).length} files`);
}

function compare(parser: Parser, folder: string, expected: string): void {
  const cases = readCases(JSON.parse(readFileSync(expected, 'utf8')) as Written);
  const counts = new Map<string, number>();
  const kernels = new Set<string>();
  const report: unknown[] = [];
  for (const one of cases) {
    const { file } = one;
    if (!new RegExp(pattern).test(file)) continue;
    const verdict = judge(parser, folder, one);
    counts.set(verdict.kind, (counts.get(verdict.kind) ?? 0) + 1);
    if (verdict.kind === 'equal') kernels.add(`${file}:${one.kernel}`);
    if (verdict.kind === 'equal' || verdict.kind === 'both refuse') {
      if (values.show && verdict.kind === 'both refuse')
        console.log(
          `${file} ${one.kernel}: both refuse\n    ${one.refused}\n    ${verdict.detail}`,
        );
      continue;
    }
    report.push({ file, kernel: one.kernel, how: one.how, ...verdict });
    if (verdict.kind !== 'skipped')
      console.log(`${file} ${one.kernel} (${one.how}): ${verdict.kind}\n${verdict.detail}`);
  }
  if (values.json) writeFileSync(values.json, JSON.stringify(report, null, 1));
  console.log(
    [...counts].map(([kind, n]) => `${n} ${kind}`).join(', ') + `; ${kernels.size} kernels equal`,
  );
}

function judge(parser: Parser, folder: string, one: Case): Verdict {
  if (one.skipped !== undefined) return { kind: 'skipped', detail: one.skipped };
  const texts: Record<string, string> = {};
  for (const [file, hash] of Object.entries(one.files)) {
    const path = join(folder, file);
    if (!existsSync(path)) return { kind: 'missing', detail: file };
    const bytes = readFileSync(path);
    if (createHash('sha256').update(bytes).digest('hex').slice(0, 16) !== hash)
      return { kind: 'missing', detail: `${file} has changed` };
    texts[file] = bytes.toString('utf8');
  }
  return compareCase(parser, texts, one);
}
