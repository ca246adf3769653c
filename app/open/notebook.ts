/**
 * A Jupyter notebook as a program: its code cells as one file, in order, under `# %%` marks; text
 * cells as comments; outputs dropped. Nothing of IPython's own syntax runs: magics and shell lines
 * become comments, each of which is named, and what they would have written (`%%writefile`) becomes
 * a file of the program. Lines that only look like one (`%` inside brackets, text inside a string)
 * stay. Works on the parsed JSON of anybody: what has no cells throws a sentence.
 */
import type { ProgramFiles } from '../events';
import { fileNameFrom } from '../state/fileNames';
import { OpenFault } from './fault';
import { scan, START, type ScanState } from './lineState';

export interface NotebookProgram {
  readonly files: ProgramFiles;
  readonly entry: string;
  /** Sentences: what of the notebook does not run. */
  readonly notes: readonly string[];
}

/** Characters of a notebook's code; more is no program. */
const MOST_CODE = 2e6;
const MOST_CELLS = 5000;

/** A picture within a text. */
const PICTURE = /data:[\w/+.-]{1,100};base64,[A-Za-z\d+/=]{100,}/g;

/** Cell magics of which the body is Python that runs here as well. */
const PYTHON_CELLS = /^%%(?:time|timeit|capture|prun|python3?|skip_if_no_gpu)\b/;

type Fields = Readonly<Record<string, unknown>>;
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

interface Cell {
  readonly kind: string;
  readonly text: string;
}

/** Cells of nbformat 4, and of 3, which has them in worksheets. */
function cellsOf(notebook: Fields): readonly Cell[] {
  const sheets = items(notebook['worksheets']).flatMap((sheet) => items(fields(sheet)['cells']));
  const all = Array.isArray(notebook['cells']) ? items(notebook['cells']) : sheets;
  return all.slice(0, MOST_CELLS).map((value) => {
    const cell = fields(value);
    const source = cell['source'] ?? cell['input'];
    const text = Array.isArray(source) ? source.map(String).join('') : source;
    return { kind: String(cell['cell_type']), text: typeof text === 'string' ? text : '' };
  });
}

function languageOf(notebook: Fields): string {
  const metadata = fields(notebook['metadata']);
  const language =
    fields(metadata['language_info'])['name'] ?? fields(metadata['kernelspec'])['language'];
  return typeof language === 'string' ? language.toLowerCase() : 'python';
}

/**
 * @param name of the notebook's file, for the messages and the program's.
 * @throws OpenFault where it is none, or one of another language.
 */
export function programOfNotebook(json: string, name: string): NotebookProgram {
  let notebook: Fields;
  try {
    notebook = fields(JSON.parse(json));
  } catch {
    throw new OpenFault(`${name} is no notebook: it is not JSON, or its end is missing.`, 'file');
  }
  const cells = cellsOf(notebook);
  if (cells.length === 0) throw new OpenFault(`${name} is no notebook: it has no cells.`, 'file');
  const language = languageOf(notebook);
  if (!/^(?:i?python[23]?)$/.test(language))
    throw new OpenFault(`${name} is a notebook in ${language}, not in Python.`, 'file');
  const made = new Maker();
  for (const cell of cells) made.add(cell);
  return made.program(name);
}

class Maker {
  private readonly parts: string[] = [];
  private readonly files: Record<string, string> = {};
  /** Lines of IPython and of the shell that became comments, by what they were. */
  private readonly left: Record<'installs' | 'commands' | 'cells', string[]> = {
    installs: [],
    commands: [],
    cells: [],
  };
  private count = 0;
  private characters = 0;

  add({ kind, text: whole }: Cell): void {
    // Pictures of text cells, megabytes of them, are as little of the program as outputs are.
    const text = kind === 'markdown' ? whole.replaceAll(PICTURE, 'data:…') : whole;
    if (text.trim() === '') return;
    this.characters += text.length;
    if (kind === 'code') this.code(text.replaceAll('\r\n', '\n').replace(/\n+$/, ''));
    else if (kind === 'markdown')
      this.parts.push(`# %% [markdown]\n${commented(text.replace(/\n+$/, ''))}`);
  }

  private code(text: string): void {
    this.count++;
    const head = /^\s*(%%\S+)[^\n]*/.exec(text);
    const mark = `# %% [${this.count}]`;
    if (!head) {
      this.parts.push(`${mark}\n${this.lines(text)}`);
      return;
    }
    const line = head[0].trim();
    const body = text.slice(head[0].length).replace(/^\n/, '');
    const written = /^%%(?:writefile|file)\s+(?:-a\s+)?(\S+\.py)$/.exec(line);
    const file = written ? fileNameFrom(written[1]!.replaceAll(/^["']|["']$/g, '')) : null;
    if (file !== null) {
      const before = / -a /.test(line) ? (this.files[file] ?? '') : '';
      this.files[file] = `${before}${body}\n`;
    } else if (PYTHON_CELLS.test(line)) this.parts.push(`${mark} ${line}\n${this.lines(body)}`);
    else {
      this.left.cells.push(line);
      this.parts.push(`${mark}\n${commented(text)}`);
    }
  }

  /** The lines of a cell, those of IPython and of the shell as comments. */
  private lines(text: string): string {
    let state: ScanState = START;
    let goesOn = false;
    const out = text.split('\n').map((line) => {
      if (goesOn) {
        goesOn = line.endsWith('\\');
        return `# ${line}`;
      }
      const command = state.open ? null : commandOf(line);
      if (command === null) {
        state = scan(line, state);
        return line;
      }
      goesOn = line.endsWith('\\');
      return this.command(line, command);
    });
    return out.join('\n');
  }

  private command(line: string, command: string): string {
    const indent = /^\s*/.exec(line)![0];
    const module = /^%run\s+-m\s+([\w.]+)\s*$/.exec(command)?.[1];
    const run = module
      ? `${module.replaceAll('.', '/')}.py`
      : /^%run\s+(?:-i\s+)?(\S+\.py)\s*$/.exec(command)?.[1];
    if (run !== undefined && Object.hasOwn(this.files, run.replace(/^\.\//, ''))) {
      const path = JSON.stringify(run.replace(/^\.\//, ''));
      return `${indent}__import__("runpy").run_path(${path}, run_name="__main__")`;
    }
    const timed = /^%(?:time|timeit|prun)(?:\s+-\w+(?:\s+\d+)?)*\s+([^-\s].*)$/.exec(command)?.[1];
    if (timed !== undefined) return `${indent}${timed}`;
    const installs = /^[%!]\s*(?:(?:uv|conda|mamba)\s+)?(?:pip3?|conda|mamba|uv)\b.*\binstall\b/;
    const quiet = /^%(?:matplotlib|load_ext|autoreload|reload_ext|config|pylab)\b/;
    if (installs.test(command)) this.left.installs.push(command);
    else if (!quiet.test(command)) this.left.commands.push(command);
    // A block may have no other statement.
    return indent === '' ? `# ${line}` : `${indent}pass  # ${line.trim()}`;
  }

  program(name: string): NotebookProgram {
    if (this.characters > MOST_CODE)
      throw new OpenFault(
        `${name} has ${(this.characters / 1e6).toFixed(1)} million characters of code; a program has at most ${MOST_CODE / 1e6} million.`,
        'file',
      );
    const own = Object.keys(this.files);
    const only = this.onlyRuns();
    if (only !== null) return { files: this.files, entry: only, notes: this.notes() };
    if (this.count === 0) throw new OpenFault(`${name} has no cell with code.`, 'file');
    const stem = fileNameFrom(
      name
        .split('/')
        .at(-1)!
        .replace(/\.ipynb$/i, ''),
    );
    const base = (stem ?? 'notebook').replaceAll(/[^\p{L}\p{N}_-]+/gu, '_');
    const entry = own.includes(`${base}.py`) ? 'notebook.py' : `${base}.py`;
    const shows = this.parts.join('\n');
    const display =
      /^[^#\n]*\bdisplay\(/m.test(shows) && !/\bdef display\b|import .*\bdisplay\b/.test(shows)
        ? 'from IPython.display import display\n\n'
        : '';
    const text = `${display}${this.parts.join('\n\n')}\n`;
    return { files: { ...this.files, [entry]: text }, entry, notes: this.notes() };
  }

  /** The file that a notebook of nothing but written files runs; null for any other. */
  private onlyRuns(): string | null {
    const statements = this.parts
      .flatMap((part) => part.split('\n'))
      .filter((line) => line.trim() !== '' && !line.startsWith('#'));
    const run = /^__import__\("runpy"\)\.run_path\(("[^"]+"), run_name="__main__"\)$/;
    const found = statements.length === 1 ? run.exec(statements[0]!)?.[1] : undefined;
    return found === undefined ? null : (JSON.parse(found) as string);
  }

  private notes(): string[] {
    const { installs, commands, cells } = this.left;
    const some = (all: readonly string[]): string =>
      all
        .slice(0, 3)
        .map((each) => (each.length > 60 ? `${each.slice(0, 60)}…` : each))
        .join(' · ') + (all.length > 3 ? ' …' : '');
    return [
      ...(installs.length > 0 ? [`Not installed: ${some(installs)}.`] : []),
      ...(commands.length > 0 ? [`Made comments: ${some(commands)}.`] : []),
      ...(cells.length > 0 ? [`Cells that are not Python made comments: ${some(cells)}.`] : []),
    ];
  }
}

const commented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '#' : `# ${line}`))
    .join('\n');

/** A line of IPython's own syntax, without its indentation; null for one of Python. */
function commandOf(line: string): string | null {
  const text = line.trim();
  if (/^[%!][^=\s%]/.test(text) || text.startsWith('!!') || /^!\s/.test(text)) return text;
  // `name?`, `?name`: help.
  if (/^\?{1,2}[\w.]+$/.test(text) || /^[\w.]+\?{1,2}$/.test(text)) return text;
  // `lines = !ls`, `out = %time f()`.
  return /^[A-Za-z_][\w, ]*=\s*(?:![^=]|%[a-z]+\b)/.test(text) ? text : null;
}
