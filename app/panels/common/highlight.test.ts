/** Colours of WGSL and IR without Monaco: every character stays, and tokens have their kinds. */
import { expect, it } from 'vitest';
import { TILE_IR } from '../../editor/tileIr';
import { highlight } from './highlight';

const colored = (language: string, line: string): string[] =>
  highlight(language, line)
    .filter(({ color }) => color !== null)
    .map(({ text, color }) => `${color}: ${text}`);

const WGSL = '  let x_1: vec4<f32> = vec4f(0.5f, 1e-3, 0x10u, x2[3]); // the tile';
const IR = '%x = tt.load %p, %m {vector = 4} : tensor<64x!tt.ptr<f32>, #L0> // a.py:3';

it('colours WGSL', () => {
  expect(colored('wgsl', WGSL)).toEqual([
    'keyword: let',
    'type: vec4',
    'type: f32',
    'type: vec4f',
    'number: 0.5f',
    'number: 1e-3',
    'number: 0x10u',
    'number: 3',
    'comment: // the tile',
  ]);
  expect(colored('wgsl', '@compute @workgroup_size(64) fn main() {')).toEqual([
    'keyword: @compute',
    'keyword: @workgroup_size',
    'number: 64',
    'keyword: fn',
  ]);
});

it('colours printed IR as the editor does', () => {
  expect(colored(TILE_IR, IR)).toEqual([
    'keyword: tt.load',
    'number: 4',
    'type: tensor<64x!tt.ptr<f32>, #L0>',
    'comment: // a.py:3',
  ]);
});

it.each([WGSL, IR, '', 'words of no language'])('keeps every character of “%s”', (line) => {
  for (const language of ['wgsl', TILE_IR, 'python'])
    expect(
      highlight(language, line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
});
