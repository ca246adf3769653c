/** Code is shown for the adapter's target, or for a profile's. */
import { afterEach, expect, it } from 'vitest';
import { BASELINE_TARGET } from '../../compiler/target';
import type { CompileRequest } from '../../compiler/program';
import { readSlices, writeSlices } from '../share/slices';
import { compileAsIf, shownRequest, useAsIf } from './asIf';
import '../panels/common/AsIf';

afterEach(() => compileAsIf(''));

const REQUEST: CompileRequest = {
  program: { files: {}, functions: {}, entry: 'k' },
  specialization: { arguments: [], numWarps: 4 },
  target: BASELINE_TARGET,
  options: { verify: false, keepIr: true, checkBounds: true, linearGrid: false },
};

it('changes nothing without a choice, or for a name that no profile has', () => {
  expect(shownRequest(REQUEST)).toBe(REQUEST);
  compileAsIf('voodoo');
  expect(shownRequest(REQUEST)).toBe(REQUEST);
  expect(readSlices()).not.toHaveProperty('asIf');
});

it('takes the target of the profile, and travels in a link', () => {
  compileAsIf('h200');
  expect(shownRequest(REQUEST).target.name).toBe('NVIDIA H200');
  expect(readSlices()).toMatchObject({ asIf: 'h200' });
  compileAsIf('');
  writeSlices({ asIf: 'mali' });
  expect(useAsIf.getState().profile?.id).toBe('mali');
  writeSlices({ asIf: { no: 'text' } });
  expect(useAsIf.getState().profile?.id).toBe('mali');
});
