import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeFor } from '../../scripts/budget';
import { canonical, decode, encode, encodeAs } from './codec';
import { checked, upgrade, VERSION, type Shared } from './shared';
import type { Json } from './slices';

const PROGRAM = 'import triton\n\nprint("Grüße 🐎")\n';
const shared: Shared = {
  name: 'Vector add',
  entry: 'add.py',
  files: { 'add.py': PROGRAM, 'lib/helpers.py': 'TWO = 2\n' },
  run: { seed: 7, adapter: 'interpreter', check: true },
  view: { panel: 'passes', second: 'wgsl', direction: 'right', kernel: 'add', specialization: 1 },
  panels: { passes: { index: 4, name: 'canonicalize', diff: 'split' } },
};

/** `npm run nightly` requests more. */
const RUNS = Number(process.env['LINKS_RUNS'] ?? 2000);
/** So many runs, or as many as there is time for: four properties share it. */
const runs = (numRuns: number): fc.Parameters<unknown> => {
  const interruptAfterTimeLimit = timeFor(1 / 4);
  return { numRuns, ...(interruptAfterTimeLimit === undefined ? {} : { interruptAfterTimeLimit }) };
};

/** Links as they were made: they must be read for ever. One a version; never edit them. */
const MADE = {
  1: '1.qJzk4KtWSsvMSVWyUkpMSdErqFTSUSpIzEvNAQqUpxfnALklqRUlQF5mbkF-UYlCSVFmSX5eDBAWFGXmlWjEKLkXHd5zeH6qwof5E_pilDRj8pRqAQ',
  2: '2.Epwwy0OoTkxJQVMMFYGrheUKWK6OUXIvOrzn8PxUhQ_zJ_TFKIFCFhRqSfoZqTnA9kAxRHdIuD8wWo2AksCghPosDJgfgRUO0AagDmyBhT1kTOAGJCfm5edlJifmAAtFpVqgwaQHlTlQFywhpGQWAV0ELJSBGosy0zNAdsITB5IrgTyoGzHTQDGwkMkEOSgRYpBhbS0A',
} as const;

describe('links', () => {
  it('carry everything, and one state is one link', () => {
    const link = encode(shared);
    expect(decode(link)).toEqual({ ok: true, shared });
    const { name, ...others } = shared;
    const shuffled = JSON.parse(canonical({ ...others, name })) as Shared;
    expect(encode({ ...shuffled, view: { ...shuffled.view, line: undefined } } as Shared)).toBe(
      link,
    );
    expect(link).toMatch(/^[\w.-]+$/);
  });

  it('stay short for small programs', () => {
    const { length } = encode({ name: 'a', entry: 'main.py', files: { 'main.py': KERNEL } });
    expect(KERNEL.length).toBeGreaterThan(590);
    expect(length).toBeLessThan(450);
  });

  it.each([
    [1, { name: 'add', entry: 'add.py', files: { 'add.py': PROGRAM }, view: { panel: 'wgsl' } }],
    [2, shared],
  ] as const)('of version %i are still read', (version, meaning) => {
    expect(decode(MADE[version])).toEqual({ ok: true, shared: meaning });
    expect(MADE[version].startsWith(`${version}.`)).toBe(true);
  });

  it('have a test for every version there was', () => {
    expect(Object.keys(MADE).map(Number)).toEqual(
      Array.from({ length: VERSION }, (_, index) => index + 1),
    );
    expect(encode(shared)).toBe(MADE[VERSION]);
  });

  it('are upgraded one version after the other', () => {
    const steps = { 3: (v: Json) => [v, 'a'], 4: (v: Json) => [v, 'b'] };
    expect(upgrade('x', 3, 5, steps)).toEqual([['x', 'a'], 'b']);
    expect(() => upgrade('x', 1, 5, steps)).toThrow('version 1');
  });

  it('say so where they are from the future, cut, or changed', () => {
    const link = encode(shared);
    const reason = (text: string): string => {
      const decoded = decode(text);
      return decoded.ok ? '' : decoded.reason;
    };
    expect(reason(link.replace(/^\d+/, '99'))).toContain('newer Hippocamp');
    expect(reason(link.slice(0, -20))).toContain('cut off');
    expect(reason('hello')).toContain('not a link');
    expect(reason('')).toContain('not a link');
  });

  it('never throw, whatever stands in them', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(9), fc.string(), (a, version, b) => {
        decode(a);
        decode(`${version}.${b}`);
      }),
      runs(RUNS),
    );
    fc.assert(
      fc.property(fc.nat(3), fc.jsonValue(), (version, value) => {
        const decoded = decode(encodeAs(version, value as Json));
        // Whatever is accepted is a program, and survives the way once more.
        if (decoded.ok) expect(decode(encode(decoded.shared))).toEqual(decoded);
      }),
      runs(RUNS / 2),
    );
    const link = encode(shared);
    fc.assert(
      fc.property(fc.nat(link.length - 1), fc.constantFrom(...'Az09-_.'), (at, letter) => {
        const decoded = decode(link.slice(0, at) + letter + link.slice(at + 1));
        if (decoded.ok) expect(decoded.shared).toEqual(shared);
      }),
      runs(RUNS / 2),
    );
  });

  it('carry any files and any settings unchanged', () => {
    const file = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?\.py$/);
    const small = fc.nat(1000);
    const program = fc
      .dictionary(file, fc.string({ unit: 'grapheme', maxLength: 200 }), { minKeys: 1, maxKeys: 5 })
      .chain((files) =>
        fc.record({
          name: fc.string({ maxLength: 30 }),
          entry: fc.constantFrom(...Object.keys(files)),
          files: fc.constant(files),
          run: fc.record({ seed: small, check: fc.boolean(), memoryCap: small }),
          view: fc.record({ panel: fc.string({ maxLength: 20 }), specialization: small }),
          panels: fc.dictionary(fc.string({ maxLength: 9 }), fc.jsonValue(), { maxKeys: 3 }),
        }),
      );
    fc.assert(
      fc.property(program, (value) => {
        const meant = checked(JSON.parse(JSON.stringify(value)) as Json);
        const link = encode(meant);
        expect(decode(link)).toEqual({ ok: true, shared: meant });
        expect(encode(value as unknown as Shared)).toBe(link);
      }),
      runs(Math.ceil(RUNS / 7)),
    );
  });

  it('do not unfold without end, nor leave the program’s folder', () => {
    const files = { 'a.py': 'x'.repeat(20e6) };
    expect(decode(encodeAs(2, { name: 'a', entry: 'a.py', files })).ok).toBe(false);
    for (const name of ['../a.py', '/a.py', 'a//b.py', '', 'a\\b.py'])
      expect(decode(encodeAs(2, { name: 'a', entry: name, files: { [name]: '' } })).ok).toBe(false);
  });
});

it('bounds what the panels carry: no link nests too deep to be made again', () => {
  const nested = (depth: number): Json => {
    let value: Json = 1;
    for (let i = 0; i < depth; i++) value = [value];
    return value;
  };
  const raw = (panels: string): Json => JSON.parse(panels) as Json;
  const deep = [nested(50), raw(`${'['.repeat(1e5)}${']'.repeat(1e5)}`), { a: nested(5000) }];
  const wide = ['x'.repeat(2e5), Array.from({ length: 1e5 }, () => 0)];
  for (const slice of [...deep, ...wide]) {
    const program = { name: 'a', entry: 'a.py', files: { 'a.py': '' } };
    const decoded = checked({ ...program, panels: { deep: slice, passes: { index: 3 } } });
    expect(decoded.panels).toEqual({ passes: { index: 3 } });
    expect(decode(encode(decoded))).toEqual({ ok: true, shared: decoded });
  }
});

it('says why a program has no link', () => {
  const program = (files: Record<string, string>): Shared => ({
    name: 'a',
    entry: Object.keys(files)[0]!,
    files,
  });
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}.py`, '']));
  expect(() => encode(program(many))).toThrow('it has 120 files');
  expect(() => encode(program({ '../a.py': '' }))).toThrow('name that cannot be shared: ../a.py');
  expect(() => encode(program({ 'a.py': 'x'.repeat(9e6) }))).toThrow('it is too large');
});

const KERNEL = `import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


x = torch.rand(98432, device="cuda")
y = torch.rand(98432, device="cuda")
out = torch.empty_like(x)
add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK_SIZE=1024)
torch.testing.assert_close(out, x + y)
`;
