/**
 * Options of a launch: what `compiler/language/hints.ts` says of each is so. An ignored one changes
 * nothing of what the compiler is asked, so that launches which differ in it compile once; it is
 * reported once.
 */
import { describe, expect, it } from 'vitest';
import { LAUNCH_HINTS } from '../../compiler/language/hints';
import { HEAD, ok, python } from './testing/triton';

const KERNEL = `${HEAD}
@triton.jit
def k(x, B: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
`;
/** A value that is not the usual one. */
const VALUES: Readonly<Record<string, string>> = {
  num_warps: '8',
  num_stages: '1',
  num_ctas: '2',
  maxnreg: '128',
  debug: 'True',
  sanitize_overflow: 'False, debug=True',
  default_dot_input_precision: '"tf32"',
  max_num_imprecise_acc_default: '2',
};

/** Requests of launches, except for the lines where they stand. */
function requests(calls: string): string[] {
  const before = python.launches.length;
  ok(`${KERNEL}${calls}`);
  return python.launches
    .slice(before)
    .map((request) => JSON.stringify({ ...request, site: null, program: 0, values: [] }));
}

describe('an option of a launch', () => {
  it.each(LAUNCH_HINTS)('$name is $word', ({ name, word }) => {
    const value = VALUES[name] ?? 'True';
    const plain =
      name === 'sanitize_overflow' ? 'k[(1,)](x, B=32, debug=True)' : 'k[(1,)](x, B=32)';
    const [without, given] = requests(`${plain}\nk[(1,)](x, B=32, ${name}=${value})\n`);
    expect(given === without).toBe(word === 'ignored');
  });

  it('is in the table, where something is made of it', () => {
    const text = ok(`
from triton.runtime.options import HONOURED, OPTIONS
print(" ".join(sorted(HONOURED)))
print(" ".join(sorted(OPTIONS - HONOURED)))
`);
    const [honoured, ignored] = text
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const named = (ignoring: boolean): string[] =>
      LAUNCH_HINTS.filter(({ word }) => (word === 'ignored') === ignoring).map(({ name }) => name);
    expect(named(false).sort()).toEqual(honoured);
    expect(named(true).filter((name) => !ignored!.includes(name))).toEqual([]);
  });

  it('is reported once a kernel where it has no effect, and says what it is in the metadata', () => {
    const result = python.run(`${KERNEL}
for stages in (3, 2, 4, 4):
    compiled = k[(1,)](x, B=32, num_stages=stages, maxnreg=64 if stages == 4 else None)
    print(compiled.metadata.num_stages)
`);
    expect([result.errors, result.output]).toEqual(['', '3\n2\n4\n4\n']);
    const reported = result.events.filter((event) => event.type === 'diagnostic');
    expect(reported).toMatchObject([
      {
        diagnostic: {
          code: 'HC0906',
          severity: 'info',
          message: 'num_stages has no effect on k here: it runs the same without',
        },
      },
    ]);
  });
});

describe('num_warps', () => {
  const stated = (calls: string): string[] =>
    requests(calls).map((request) => {
      const { specialization } = JSON.parse(request) as { specialization: { statedWarps?: true } };
      return String(specialization.statedWarps);
    });

  it('is stated by a launch that gives it, and by no other', () => {
    const launches = ['', ', num_warps=4', ', num_warps=None', ', num_warps=8'];
    const calls = launches.map((option) => `k[(1,)](x, B=32${option})`).join('\n');
    expect(stated(`${calls}\n`)).toEqual(['undefined', 'true', 'undefined', 'true']);
  });

  it('is stated by a configuration that gives it, also where that is the default', () => {
    for (const [given, wanted] of [
      ['', 'undefined'],
      [', num_warps=4', 'true'],
    ]) {
      const config = `triton.Config({"B": 32}${given})`;
      const made = stated(`
config = ${config}
assert (config.num_warps, str(config).split(", ")[1]) == (4, "num_warps: 4")
tuned = triton.autotune(configs=[config], key=[])(k)
for _ in range(2):
    tuned[(1,)](x)
`);
      expect(made).toEqual([wanted, wanted]);
    }
  });

  it('of another launch from the same line is another request', () => {
    const calls = `
from triton.runtime.options import DefaultWarps
for warps in (4, DefaultWarps(4), 4, DefaultWarps(4)):
    k[(1,)](x, B=32, num_warps=warps)
`;
    expect(stated(calls).slice(0, 2)).toEqual(['true', 'undefined']);
  });
});

it('refuses ir_override, which would run other code than the kernel', () => {
  const launch = (option: string) => python.run(`${KERNEL}k[(1,)](x, B=4, ir_override=${option})`);
  expect(launch('"k.ttir"').errors).toContain('IR in a file is not compiled here');
  expect(launch('None').errors).toBe('');
});
