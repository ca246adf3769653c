/** The editor's documentation of the packages, asked of the packages. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type Api, lookUp, membersOf } from '../../compiler/language/api';
import { pythonApi } from './pythonApi';

let api: Api;
beforeAll(async () => {
  api = await pythonApi(join(import.meta.dirname, '..', '..'));
});

it('reads signatures and documentation from the packages', () => {
  expect(lookUp(api, 'torch.matmul')?.entry.signature).toMatch(/^\(input, other/);
  expect(lookUp(api, 'torch.nn.functional.softmax')?.entry.signature).toMatch(/^\(input, dim/);
  expect(lookUp(api, 'triton.testing.do_bench')?.entry.doc).toContain('Milliseconds');
  expect(lookUp(api, 'triton.cdiv')?.entry.signature).toBe('(x, y)');
});
it('methods have what the functions take, less the tensor', () => {
  expect(lookUp(api, 'torch.Tensor.matmul')?.entry.signature).toMatch(/^\(other/);
  expect(lookUp(api, 'torch.Tensor.shape')?.entry.kind).toBe('property');
});
it('a class has the members of its base', () => {
  expect(membersOf(api, 'torch.nn.Linear')).toHaveProperty('parameters');
});
it('shows nothing of the packages’ inside', () => {
  const paths = Object.entries(api).flatMap(([path, space]) =>
    Object.keys(space).map((name) => `${path}.${name}`),
  );
  expect(paths.length).toBeGreaterThan(2000);
  expect(paths.filter((path) => /\._|_hippocamp/.test(path))).toEqual([]);
});
