/**
 * The Python packages' text, bundled: path relative to this folder → text. Vite and Vitest only.
 * Those that few programs import are in `onDemand.ts`.
 */
const found = import.meta.glob<string>(
  [
    './**/*.py',
    '!./safetensors/**',
    '!./matplotlib/**',
    '!./_hippocamp_matplotlib.py',
    '!./torch/_inductor/**',
    '!./{einops,helion,IPython,triton_viz,tritonparse}/**',
    '!./{pytest,_hippocamp_tests,jaxtyping}.py',
  ],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
);

export const PYTHON_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(found)
    .map(([path, text]): [string, string] => [path.slice(2), text])
    .filter(([path]) => !path.startsWith('testdata/')),
);
