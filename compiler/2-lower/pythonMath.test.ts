/**
 * Python names that a kernel may call at compile time: `math`, and objects that Python itself
 * calls.
 */
import { expect, test } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import type { StaticValue } from '../program';
import { callMath } from './pythonMath';
import { lowerText } from './testing/lowerText';

const parser = await testParser();
const POINTERS = { X: '*fp32' } as const;

function stored(
  body: string,
  imports = 'import math',
  more: readonly StaticValue[] = [],
): string[] {
  const text = `${imports}\nimport triton\nimport triton.language as tl\n@triton.jit\ndef k(X, F: tl.constexpr${more.map((_, i) => `, M${i}: tl.constexpr`).join('')}):\n    ${body}\n`;
  const object: StaticValue = { kind: 'other', type: 'function <lambda>', reference: 'object:0:0' };
  const calls: string[] = [];
  const { diagnostics } = lowerText(
    parser,
    text,
    'k',
    {
      ...POINTERS,
      F: { constexpr: object },
      ...Object.fromEntries(more.map((value, i) => [`M${i}`, { constexpr: value }])),
    },
    {
      print: (line) => calls.push(line),
      callConstexpr: (id, args, keywords) => {
        if (id === 'getattr') return { kind: 'float', value: '2.5' };
        calls.push(`${id} ${JSON.stringify(args)} ${JSON.stringify(keywords)}`);
        return { kind: 'int', value: '42' };
      },
    },
  );
  return [...diagnostics.map((each) => each.message), ...calls];
}

test("math's functions give what Python gives", () => {
  const cases: [string, (number | bigint)[], unknown][] = [
    ['sqrt', [16n], 4],
    ['ceil', [16 / 3], 6n],
    ['floor', [-2.5], -3n],
    ['trunc', [-2.5], -2n],
    ['ceil', [7n], 7n],
    ['log2', [1024n], 10],
    ['log2', [2n ** 2000n], 2000],
    ['log', [8n, 2n], 3],
    ['gcd', [12n, -18n], 6n],
    ['lcm', [4n, 6n], 12n],
    ['isqrt', [99n], 9n],
    ['factorial', [5n], 120n],
    ['copysign', [3, -0], -3],
    ['isinf', [Infinity], true],
    ['pow', [2n, 0.5], Math.SQRT2],
    ['hypot', [3n, 4n], 5],
    ['pow', [2n, Infinity], Infinity],
    ['pow', [1n, NaN], 1],
    ['pow', [2n, NaN], NaN],
    ['fmod', [7n, Infinity], 7],
    ['fmod', [7n, NaN], NaN],
    ['degrees', [1e308], Infinity],
    ['isqrt', [0n], 0n],
    ['isqrt', [10n ** 60n], 10n ** 30n],
    ['isqrt', [10n ** 60n - 1n], 10n ** 30n - 1n],
  ];
  for (const [name, args, value] of cases) expect(callMath(name, args), name).toBe(value);
  expect(() => callMath('sqrt', [-1n])).toThrow('math domain error');
  expect(() => callMath('exp', [1000n])).toThrow('math range error');
  const outside: [string, (number | bigint)[]][] = [
    ['pow', [0, -1n]],
    ['pow', [-1n, 0.5]],
    ['fmod', [1, 0]],
    ['sin', [Infinity]],
    ['atanh', [1n]],
    ['log1p', [-1n]],
    ['acosh', [0.5]],
  ];
  for (const [name, args] of outside)
    expect(() => callMath(name, args), name).toThrow('math domain error');
  expect(() => callMath('pow', [1e300, 2n])).toThrow('math range error');
  expect(() => callMath('cos', [10n ** 400n])).toThrow('int too large to convert to float');
  expect(() => callMath('ceil', [NaN])).toThrow('cannot convert float NaN to integer');
  expect(callMath('toString', [])).toBeUndefined();
});

test('kernels call them with compile-time values only', () => {
  expect(stored('tl.static_print(math.sqrt(16) * math.pi, math.ceil(7 / 2))')).toEqual([
    '12.566370614359172 4',
  ]);
  expect(stored('tl.store(X, math.exp(tl.load(X)))')).toEqual([
    'exp is no function of Triton’s: a kernel cannot call it. Use tl.exp',
  ]);
  expect(stored('tl.store(X, math.sqrt(-1))')).toEqual(['math.sqrt failed: math domain error']);
  expect(stored('tl.store(X, sqrt(4))', 'from math import sqrt')).toHaveLength(1);
});

test('Python calls its own functions', () => {
  expect(stored('tl.static_print(F(3, k=2) + 1, F.width)')).toEqual([
    'object:0:0 [{"kind":"int","value":"3"}] {"k":{"kind":"int","value":"2"}}',
    '43 2.5',
  ]);
  expect(stored('tl.store(X, F(tl.load(X)))')).toEqual([
    '<lambda> is no function of Triton’s: a kernel cannot call it with tensors. Make it a ' +
      '@triton.jit function: one of Python’s takes compile-time values only',
  ]);
});

test('members of enums stay members for Python, and nothing made of them is one', () => {
  const members = [
    { kind: 'string', value: 'silu', member: "enum:m.A('silu')" },
    { kind: 'int', value: '2', member: 'enum:m.I(2)' },
    { kind: 'float', value: '0.5', member: 'enum:m.S(0.5)' },
  ] as const;
  const [call] = stored('F(M0, M1, M2, M1 + 1, M0 == "silu")', 'import math', members);
  const made = [
    { kind: 'int', value: '3' },
    { kind: 'bool', value: true },
  ];
  expect(call).toBe(`object:0:0 ${JSON.stringify([...members, ...made])} {}`);
});
