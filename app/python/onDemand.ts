/**
 * Python packages that go with the runs of programs that import or name them
 * (`state/runExtras.ts`), and are not downloaded before: path relative to this folder → text. Vite
 * and Vitest only.
 */
const found = import.meta.glob<string>(
  [
    './safetensors/**/*.py',
    './matplotlib/**/*.py',
    './_hippocamp_matplotlib.py',
    './torch/_inductor/**/*.py',
    './{einops,helion,IPython,triton_viz,tritonparse}/**/*.py',
    './{pytest,_hippocamp_tests,jaxtyping}.py',
  ],
  { query: '?raw', import: 'default', eager: true },
);

export const ON_DEMAND: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(found).map(([path, text]) => [path.slice(2), text]),
);
