import { expect, it } from 'vitest';
import { routeOf } from './route';

it('reads the address', () => {
  expect(routeOf('')).toEqual({ kind: 'home' });
  expect(routeOf('#/')).toEqual({ kind: 'home' });
  expect(routeOf('#/learning')).toEqual({ kind: 'home' });
  expect(routeOf('#/learn')).toEqual({ kind: 'learn', path: '' });
  expect(routeOf('#/learn/01-tiles/')).toEqual({ kind: 'learn', path: '01-tiles' });
  expect(routeOf('#/s/2.AA-_?embed=1&panels=output')).toEqual({
    kind: 'link',
    payload: '2.AA-_',
    query: 'embed=1&panels=output',
  });
});
