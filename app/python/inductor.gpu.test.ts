/**
 * The modules of `scripts/inductor/testdata` on the software adapter: what PyTorch returned, there
 * too.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { moduleNames, playModule, startModules } from '../../scripts/inductor/play';
import { findSoftwareAdapter } from '../cli/dawn';
import type { Runner } from '../runtime/runner';

const FOLDER = join(import.meta.dirname, '..', '..', 'scripts', 'inductor', 'testdata');
const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

describe.skipIf(software.kind === 'missing')('a module that Inductor wrote', () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startModules();
  });

  it.each(moduleNames(FOLDER))('%s returns what PyTorch returned', async (name) => {
    const { verdict, message, adapter } = await playModule(runner, FOLDER, name, 'webgpu');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
    expect(adapter?.kind).toBe('webgpu');
  });
});
