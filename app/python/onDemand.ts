/**
 * Python packages that go with the runs of programs that import them, and are not downloaded
 * before: path relative to this folder → text. Vite and Vitest only.
 */
const found = import.meta.glob<string>(
  ['./safetensors/**/*.py', './matplotlib/**/*.py', './_hippocamp_matplotlib.py'],
  { query: '?raw', import: 'default', eager: true },
);

export const ON_DEMAND: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(found).map(([path, text]) => [path.slice(2), text]),
);
