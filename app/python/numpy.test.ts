/**
 * numpy against NumPy: every expression of testdata/numpyCases.py, evaluated in Pyodide; what it
 * prints as is what NumPy 2 printed (testdata/numpyExpected.json), to the character.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import expected from './testdata/numpyExpected.json';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

/** Errors whose words are ours: of the same type. */
const OWN_WORDS = [
  'a[5]',
  'a[:, 9]',
  'a[0, 0, 0]',
  'np.concatenate([a, f])',
  'np.array([[1, 2], [3]])',
  'a @ f[:3]',
];

let python: TestPython;
let results: Map<string, string>;

beforeAll(async () => {
  python = await startPython();
  const cases = readFileSync(new URL('./testdata/numpyCases.py', import.meta.url), 'utf8');
  python.pyodide.FS.writeFile('/lib/hippocamp/numpyCases.py', cases);
  const text = python.pyodide.runPython(
    'import json, numpyCases; json.dumps(numpyCases.results())',
  ) as string;
  results = new Map(JSON.parse(text) as [string, string][]);
}, 120_000);

describe('numpy', () => {
  it.each(expected as [string, string][])('%s', (name, printed) => {
    const own = results.get(name);
    if (OWN_WORDS.includes(name)) expect(own?.split(':')[0]).toBe(printed.split(':')[0]);
    else expect(own).toBe(printed);
  });
});

describe('an array and a tensor', () => {
  it('share memory', () => {
    const { output, errors } = python.run(`
import numpy as np, torch
a = np.arange(4, dtype=np.float32)
t = torch.from_numpy(a)
t[0] = 7
a[1] = 8
print(t.tolist(), a.tolist(), t.numpy()[2])
print(torch.tensor(a).dtype, torch.as_tensor(np.int16([1, 2])).dtype, torch.tensor(np.float32(2)))
`);
    expect(errors).toBe('');
    expect(output).toBe(
      '[7.0, 8.0, 2.0, 3.0] [7.0, 8.0, 2.0, 3.0] 2.0\ntorch.float32 torch.int16 tensor(2.)\n',
    );
  });

  it('has no bf16, and says so', () => {
    const { errors } = python.run('import torch; torch.zeros(2, dtype=torch.bfloat16).numpy()');
    expect(errors).toContain('TypeError: Got unsupported ScalarType BFloat16');
  });

  it('names what is missing', () => {
    const { errors } = python.run('import numpy as np; np.fft.fft([1.0])');
    expect(errors).toContain("module 'numpy' has no attribute 'fft' (not available in Hippocamp");
  });

  it('shows a failed comparison as an event', () => {
    const { events, errors } = python.run(`
import numpy as np
np.testing.assert_allclose(np.array([1.0, 2.0]), np.array([1.0, 3.0]), rtol=1e-3)
`);
    expect(errors).toContain('Mismatched elements: 1 / 2 (50%)');
    const comparison = events.find((event) => event.type === 'comparison');
    expect(comparison).toMatchObject({ passed: false, mismatches: 1 });
  });
});
