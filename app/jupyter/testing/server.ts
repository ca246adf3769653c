/**
 * A real Jupyter server for tests, whose kernel runs Triton on its CPU interpreter.
 * HIPPOCAMP_JUPYTER names the `bin` folder of a Python that has jupyter_server, HIPPOCAMP_TRITON a
 * Python that has ipykernel, Triton and PyTorch; without them only what needs no server is tested.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = process.env['HIPPOCAMP_JUPYTER'];
const triton = process.env['HIPPOCAMP_TRITON'];
export const JUPYTER = Boolean(bin && triton);

export interface TestJupyter {
  readonly url: string;
  readonly token: string;
  stop(): void;
}

/** @param origin the pages that may ask it, as Jupyter's `allow_origin` says. */
export async function startJupyter(port: number, origin: string): Promise<TestJupyter> {
  if (!bin || !triton) throw new Error('HIPPOCAMP_JUPYTER and HIPPOCAMP_TRITON are not set');
  const folder = mkdtempSync(join(tmpdir(), 'jupyter-'));
  const spec = join(folder, 'kernels', 'triton');
  mkdirSync(spec, { recursive: true });
  writeFileSync(
    join(spec, 'kernel.json'),
    JSON.stringify({
      argv: [triton, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
      display_name: 'triton',
      language: 'python',
      env: { TRITON_INTERPRET: '1' },
    }),
  );
  const options = [
    `--port=${port}`,
    '--ServerApp.token=secret',
    `--ServerApp.allow_origin=${origin}`,
    '--MultiKernelManager.default_kernel_name=triton',
  ];
  const child = spawn(
    join(bin, 'jupyter'),
    ['server', '--no-browser', '--allow-root', ...options],
    {
      env: { ...process.env, JUPYTER_PATH: folder },
      cwd: folder,
      stdio: 'ignore',
    },
  );
  const url = `http://127.0.0.1:${port}/`;
  for (let i = 0; ; i++) {
    const answer = await fetch(`${url}api`).catch(() => null);
    if (answer?.ok) break;
    if (i > 80) throw new Error('The Jupyter server did not start.');
    await new Promise((wait) => setTimeout(wait, 500));
  }
  return {
    url,
    token: 'secret',
    stop() {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
