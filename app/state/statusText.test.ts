/** The status says what is true: idle only where nothing works for the page. */
import { expect, it } from 'vitest';
import type { SessionState } from './session';
import { statusText } from './statusText';

const READY: SessionState = {
  ...{ phase: 'ready', loading: { text: '', loaded: 0, total: 0 }, target: null, queued: false },
  ...{ failure: null, running: null, draining: false, ended: 1, readBack: false },
  adapter: { kind: 'webgpu', name: 'google swiftshader', vendor: 'google', reason: null } as never,
};
const RUNNING = { ...READY, phase: 'running' } as const;
const progress = { text: 'timing', fraction: null };
const running = { program: 'a', id: 'a', name: 'a', progress };

it('is not ready while the GPU works for what was stopped', () => {
  expect(statusText(READY)).toBe('Python ready · SwiftShader (Google) · WebGPU');
  expect(statusText({ ...READY, draining: true })).toBe('stopped; the GPU finishes its work');
  expect(statusText({ ...READY, draining: true, adapter: null })).not.toContain('ready');
});

it('says so of a run that shares the GPU with it', () => {
  expect(statusText(RUNNING)).toBe('running');
  expect(statusText({ ...RUNNING, draining: true })).toMatch(/^running, while the GPU/);
  expect(statusText({ ...RUNNING, draining: true, running })).toBe('timing');
});
