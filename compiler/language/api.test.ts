import { describe, expect, it } from 'vitest';
import { isLibraryMember, libraryNames } from '../2-lower/library';
import { resolvePath, TL } from '../2-lower/paths';
import { allBuiltins } from '../2-lower/registry';
import { languageApi, lookUp, mergeApis, parametersOf, TILE } from './api';
import { CLASS_DOCS, LANGUAGE_DOCS, METHOD_DOCS } from './docs';

const api = languageApi();

describe('the language’s documentation', () => {
  const functions = [
    ...[...allBuiltins()]
      .filter(({ path }) => /^triton\.language\.[a-z]\w*$/.test(path))
      .map(({ path }) => path.slice(TL.length + 1)),
    ...libraryNames(),
  ];
  it('has a text for every function of the compiler, and for no other', () => {
    expect(functions.filter((name) => !LANGUAGE_DOCS[name])).toEqual([]);
    expect(Object.keys(LANGUAGE_DOCS).filter((name) => !functions.includes(name))).toEqual([]);
    const methods = [...allBuiltins()].filter(({ path }) => path.startsWith('method.'));
    expect(Object.keys(METHOD_DOCS).sort()).toEqual(
      methods.map(({ path }) => path.slice(7)).sort(),
    );
  });
  it('names nothing that the compiler would refuse', () => {
    for (const name of Object.keys(api[TL]!))
      expect(resolvePath(`${TL}.${name}`), name).toBeTruthy();
    for (const name of Object.keys(CLASS_DOCS)) expect(resolvePath(`${TL}.${name}`)).toBeTruthy();
    for (const name of Object.keys(api[`${TL}.math`]!))
      expect(resolvePath(`${TL}.math.${name}`), name).toBeTruthy();
  });
});

describe('the api', () => {
  it('takes signatures from the tables and from the library', () => {
    expect(lookUp(api, 'triton.language.load')?.entry.signature).toMatch(/^\(pointer, mask=None, /);
    expect(lookUp(api, 'triton.language.sum')?.entry.signature).toBe(
      '(input, axis=None, keep_dims=False, dtype=None)',
    );
    expect(lookUp(api, 'triton.language.math.exp')?.entry.kind).toBe('function');
    expect(lookUp(api, 'triton.language.constructor')).toBeUndefined();
  });
  it('methods of a tile lack the tile', () => {
    expect(api[TILE]!['to']!.signature).toBe('(dtype, fp_downcast_rounding=None, bitcast=False)');
    expect(api[TILE]!['exp']!.signature).toBe('()');
    for (const name of libraryNames())
      expect(Object.hasOwn(api[TILE]!, name), name).toBe(isLibraryMember(name));
  });
  it('splits signatures at their own commas', () => {
    expect(parametersOf('(a, /, b=(1, 2), *, c=",", **kw) -> int').map(({ name }) => name)).toEqual(
      ['a', 'b', 'c', 'kw'],
    );
    expect(parametersOf('()')).toEqual([]);
  });
  it('is the compiler’s where both know a module', () => {
    const merged = mergeApis({ torch: {}, [TL]: { Enum: { kind: 'class' } } }, api);
    expect(merged[TL]!['Enum']).toBeUndefined();
    expect(merged[TL]!['load']).toBeDefined();
    expect(merged['torch']).toBeDefined();
  });
});
