/**
 * The program as a notebook that runs on Colab: nbformat 4.5, a GPU requested, nothing to install,
 * because Colab has PyTorch and Triton. Files are written as files, since Triton reads kernels from
 * their source.
 */
import type { ProgramFiles } from '../../events';
import { importsOf } from '../../open/imports';
import { plain } from './plain';

interface Cell {
  readonly cell_type: 'markdown' | 'code';
  readonly id: string;
  readonly metadata: Readonly<Record<string, never>>;
  readonly source: readonly string[];
  readonly execution_count?: null;
  readonly outputs?: readonly never[];
}

/** Every line but the last keeps its end. */
function lines(text: string): string[] {
  const all = text.replace(/\n$/, '').split('\n');
  return all.map((line, index) => (index < all.length - 1 ? `${line}\n` : line));
}
const markdown = (id: string, text: string): Cell => ({
  cell_type: 'markdown',
  id,
  metadata: {},
  source: lines(text),
});
const code = (id: string, text: string): Cell => ({
  cell_type: 'code',
  id,
  metadata: {},
  source: lines(text),
  execution_count: null,
  outputs: [],
});

/** Names that IPython's commands and the shell take as they are; they expand others. */
const isPlain = (name: string): boolean => /^[\w./-]+$/.test(name) && !name.startsWith('-');

function foldersText(folders: readonly string[]): string {
  if (folders.every(isPlain)) return `!mkdir -p ${folders.join(' ')}`;
  return `import os\n\nfor folder in ${JSON.stringify(folders)}:\n    os.makedirs(folder, exist_ok=True)`;
}
function fileText(name: string, text: string): string {
  if (isPlain(name)) return `%%writefile ${name}\n${text}`;
  return (
    `with open(${JSON.stringify(name)}, "w", encoding="utf-8") as file:\n` +
    `    file.write(${JSON.stringify(text)})`
  );
}
/** A file with relative imports runs as a module of its package, as it does here. */
function runText(entry: string, text: string): string {
  const isInPackage = /^([^\W\d]\w*\/)+[^\W\d]\w*\.py$/.test(entry);
  if (isInPackage && importsOf(text).some(({ level }) => level > 0))
    return `%run -m ${entry.slice(0, -'.py'.length).replaceAll('/', '.')}`;
  if (isPlain(entry)) return `%run ${entry}`;
  return `import runpy\n\nrunpy.run_path(${JSON.stringify(entry)}, run_name="__main__")`;
}

/** @param link to the same program in the browser, where it is small enough for one. */
export function notebookOf(program: {
  readonly name: string;
  readonly entry: string;
  readonly files: ProgramFiles;
  readonly link: string | null;
}): string {
  const { name, entry, files, link } = program;
  const names = Object.keys(files).sort((a, b) => Number(a === entry) - Number(b === entry));
  const folders = [
    ...new Set(names.flatMap((file) => file.split('/').slice(0, -1).join('/') || [])),
  ];
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      accelerator: 'GPU',
      colab: { name: `${name}.ipynb`, provenance: [], gpuType: 'T4' },
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    cells: [
      markdown(
        'about',
        `# ${plain(name)}\n\nA Triton program, the same file as in the browser` +
          `${link === null ? '' : `: [open it in Hippocamp](${link})`}.\n` +
          'It needs a GPU: Runtime → Change runtime type → T4 GPU.',
      ),
      ...(folders.length > 0 ? [code('folders', foldersText(folders))] : []),
      ...names.map((file, index) => code(`file-${index}`, fileText(file, files[file] ?? ''))),
      code('run', runText(entry, files[entry] ?? '')),
    ],
  };
  return `${JSON.stringify(notebook, null, 1)}\n`;
}
