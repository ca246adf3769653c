/**
 * The program as a notebook that runs on Colab: nbformat 4.5, a GPU asked for, nothing to install, because
 * Colab has PyTorch and Triton. Files are written as files, since Triton reads kernels from their source.
 */
import type { ProgramFiles } from '../../events';

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

/** @param link to the same program in the browser. */
export function notebookOf(program: {
  readonly name: string;
  readonly entry: string;
  readonly files: ProgramFiles;
  readonly link: string;
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
        `# ${name}\n\nA Triton program, the same file as in the browser: [open it in Hippocamp](${link}).\n` +
          'It needs a GPU: Runtime → Change runtime type → T4 GPU.',
      ),
      ...(folders.length > 0 ? [code('folders', `!mkdir -p ${folders.join(' ')}`)] : []),
      ...names.map((file, index) =>
        code(`file-${index}`, `%%writefile ${file}\n${files[file] ?? ''}`),
      ),
      code('run', `%run ${entry}`),
    ],
  };
  return `${JSON.stringify(notebook, null, 1)}\n`;
}
