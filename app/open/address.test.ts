/** Addresses as their hosts write them; and such that must not be opened. */
import { describe, expect, it } from 'vitest';
import { placeOf, rawAddress, type Place } from './address';

/** The address that is fetched for a file. */
const fetched = (place: Place): string =>
  place.kind === 'file' ? rawAddress(place.tree, place.path, place.query) : place.kind;

const RAW = 'https://raw.githubusercontent.com/triton-lang/triton';

describe('an address of a file', () => {
  it.each([
    [
      'https://github.com/triton-lang/triton/blob/main/python/tutorials/01-vector-add.py',
      `${RAW}/main/python/tutorials/01-vector-add.py`,
    ],
    ['github.com/triton-lang/triton/blob/main/a.py#L10-L20', `${RAW}/main/a.py`],
    ['https://github.com/triton-lang/triton/raw/main/a%20b.py', `${RAW}/main/a%20b.py`],
    [`${RAW}/refs/heads/main/a.py?token=GHSAT0`, `${RAW}/refs/heads/main/a.py?token=GHSAT0`],
    [
      'https://colab.research.google.com/github/triton-lang/triton/blob/main/n.ipynb',
      `${RAW}/main/n.ipynb`,
    ],
    [
      'https://huggingface.co/kernels-community/liger_kernels/blob/main/torch-ext/x/rms_norm.py',
      'https://huggingface.co/kernels-community/liger_kernels/raw/main/torch-ext/x/rms_norm.py',
    ],
    [
      'https://huggingface.co/kernels/org/name/blob/v1/build/a.py',
      'https://huggingface.co/kernels/org/name/raw/v1/build/a.py',
    ],
    ['https://example.org:8443/k/a.py?x=1', 'https://example.org:8443/k/a.py?x=1'],
  ])('%s', (address, raw) => {
    expect(fetched(placeOf(address))).toBe(raw);
  });
});

it.each([
  ['https://github.com/o/r', 'github', ['HEAD']],
  ['https://github.com/o/r/tree/feature/x/dir', 'github', ['feature', 'x', 'dir']],
  ['https://huggingface.co/kernels-community/activation', 'hugging-face', ['main']],
  ['https://hf.co/kernels/o/n/tree/v0/build', 'hugging-face', ['v0', 'build']],
])('%s is a folder', (address, service, rest) => {
  expect(placeOf(address)).toMatchObject({ kind: 'folder', service, rest });
});

it.each([
  ['https://gist.github.com/someone/aa5a315d61ae9438b18d', 'aa5a315d61ae9438b18d', null],
  [
    'https://gist.github.com/aa5a315d61ae9438b18d/57a7f021a713b1c5a6a199b54cc514735d2d462f',
    'aa5a315d61ae9438b18d',
    '57a7f021a713b1c5a6a199b54cc514735d2d462f',
  ],
])('%s is a gist', (address, id, revision) => {
  expect(placeOf(address)).toMatchObject({ kind: 'gist', id, revision });
});

it.each([
  'javascript:alert(1)',
  'data:text/x-python,import os',
  'file:///etc/passwd',
  'http://example.org/a.py',
  'https://user:secret@example.org/a.py',
  'https://github.com/o/r/blob/main/%2e%2e%2f%2e%2e%2fa.py',
  'https://github.com/o/r/blob/main/..%5ca.py',
  'https://github.com/o/r/blob/main/%zz.py',
  'https://github.com/o/r/issues/7',
  'https://example.org/',
  'https://colab.research.google.com/drive/1AbC',
  'https://[',
  '',
  `https://example.org/${'a'.repeat(3000)}`,
])('is refused in a sentence: %.60s', (address) => {
  expect(() => placeOf(address)).toThrow(/\.$/);
});

it('names hosts as they are, not as they look', () => {
  // A Cyrillic letter.
  expect(placeOf('https://gіthub.com/a.py').hosts).toEqual(['xn--gthub-n2e.com']);
  expect(placeOf('https://github.com.example.org/o/r/blob/main/a.py').hosts).toEqual([
    'github.com.example.org',
  ]);
});

it('takes http from the host of the page itself, as one on localhost is', () => {
  expect(placeOf('http://localhost:8000/a.py', 'localhost').hosts).toEqual(['localhost:8000']);
});
