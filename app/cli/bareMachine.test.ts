/**
 * The adapter of a run on machines that lack something: what is printed, and what the JSON says, is
 * the adapter that ran. A library that is no library, first in the linker's path, makes a system
 * without Vulkan.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdapterInfo, ProgramEvent } from '../events';
import { findSoftwareAdapter } from './dawn';
import { chromiumFolders } from './vulkanLoader';

const COMMAND = join(import.meta.dirname, 'hippocamp.mjs');
const PROGRAM = `
import torch, triton, triton.language as tl
@triton.jit
def twice(x):
    tl.store(x + tl.arange(0, 64), tl.load(x + tl.arange(0, 64)) * 2)
x = torch.ones(64, device='cuda')
twice[(1,)](x)
print(x.sum().item())
`;
/** Variables that choose an adapter or a browser: the machines here have none of them. */
const CHOICES = ['VK_ICD_FILENAMES', 'LD_LIBRARY_PATH', 'CHROMIUM', 'CHROME_BIN', 'DAWN_NODE'];

const chromium = process.env['HIPPOCAMP_CHROMIUM'] ?? process.env['CHROMIUM'];
const software = findSoftwareAdapter();

describe.skipIf(process.platform !== 'linux' || software.kind === 'missing')('a machine', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hippocamp-'));
    writeFileSync(join(folder, 'program.py'), PROGRAM);
    writeFileSync(join(folder, 'libvulkan.so.1'), 'no library');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function call(environment: Record<string, string>, ...options: string[]): Promise<string> {
    const kept = Object.entries(process.env).filter(([name]) => !CHOICES.includes(name));
    const env = { ...Object.fromEntries(kept), ...environment };
    const args = [COMMAND, 'run', 'program.py', ...options];
    const child = spawn(process.execPath, args, { cwd: folder, env });
    let text = '';
    child.stdout.on('data', (data: Buffer) => (text += data.toString()));
    if (!options.includes('--json')) {
      child.stderr.on('data', (data: Buffer) => (text += data.toString()));
    }
    return new Promise((resolve) => child.on('close', () => resolve(text)));
  }
  async function report(environment: Record<string, string>): Promise<AdapterInfo> {
    const { adapter, events } = JSON.parse(await call(environment, '--json')) as {
      adapter: AdapterInfo;
      events: ProgramEvent[];
    };
    const printed = events.flatMap((event) => (event.type === 'print' ? [event.text] : []));
    expect(printed.join('')).toContain('128.0');
    return adapter;
  }

  const named: Record<string, string> = chromium ? { HIPPOCAMP_CHROMIUM: chromium } : {};

  it('without a Vulkan loader runs on the one beside Chromium', async () => {
    const bare = { ...named, LD_LIBRARY_PATH: folder };
    const adapter = await report(bare);
    expect(adapter).toMatchObject({ kind: 'webgpu', reason: null });
    const text = await call(bare);
    expect(text).toContain(`Running on ${adapter.name}`);
    expect(text).not.toMatch(/interpreter/i);
  });

  it('finds the browsers that Playwright keeps, the newest first', () => {
    const kept = join(folder, 'kept');
    const places = ['chromium-9/chrome-linux', 'chromium_headless_shell-1200/shell', 'firefox-9/x'];
    for (const place of places) mkdirSync(join(kept, place), { recursive: true });
    const found = chromiumFolders({ PLAYWRIGHT_BROWSERS_PATH: kept });
    expect(found.filter((path) => path.startsWith(kept))).toEqual([
      join(kept, 'chromium_headless_shell-1200', 'shell'),
      join(kept, 'chromium-9', 'chrome-linux'),
    ]);
  });

  it('without a Chromium says that the interpreter ran, and nothing of SwiftShader', async () => {
    const none = { HIPPOCAMP_CHROMIUM: join(folder, 'nowhere'), LD_LIBRARY_PATH: folder };
    const adapter = await report(none);
    expect(adapter).toMatchObject({ kind: 'interpreter' });
    expect(adapter.reason).toContain('no Vulkan loader');
    expect(adapter.reason).toContain('apt install libvulkan1');
    expect(adapter.reason).toContain('apt install chromium');
    const text = await call(none);
    expect(text).toContain('Running on the interpreter: no Vulkan loader');
    expect(text).not.toMatch(/swiftshader/i);
  });

  it('with a driver that does not load says that the interpreter ran', async () => {
    const icd = join(folder, 'broken_icd.json');
    writeFileSync(icd, '{"file_format_version":"1.0.0","ICD":{"library_path":"./none.so"}}');
    const adapter = await report({ ...named, VK_ICD_FILENAMES: icd });
    expect(adapter).toMatchObject({ kind: 'interpreter' });
    expect(adapter.reason).toContain('WebGPU found no adapter');
  });
});
