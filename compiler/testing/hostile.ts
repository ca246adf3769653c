/**
 * For tests: programs that are made to hurt: deep, long, huge when unrolled or inlined, without an
 * end. Each must end within seconds, with a diagnostic or a kernel, and never with an exception.
 */

const HEADER = 'import triton\nimport triton.language as tl\n\n\n';
const kernel = (body: string, parameters = 'x_ptr, n'): string =>
  `${HEADER}@triton.jit\ndef kernel(${parameters}):\n${body}\n`;
const repeat = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('');
const indent = (depth: number): string => '    '.repeat(depth);

/** `n` statements nested in each other, one line each. */
const nested = (n: number, line: (i: number) => string, inner: string): string =>
  kernel(`${repeat(n, (i) => `${indent(i + 1)}${line(i)}\n`)}${indent(n + 1)}${inner}`);
/** An expression of a run-time number stored. */
const stored = (expression: string): string => kernel(`    tl.store(x_ptr, ${expression})`);
/** Helpers of which each calls the one before `times` times. */
const doubling = (depth: number, times: number): string =>
  `${HEADER}@triton.jit\ndef f0(x):\n    return x * 3 + 1\n\n\n` +
  repeat(
    depth,
    (i) =>
      `@triton.jit\ndef f${i + 1}(x):\n    return ${Array(times).fill(`f${i}(x)`).join(' + ')}\n\n\n`,
  ) +
  `@triton.jit\ndef kernel(x_ptr, n):\n    tl.store(x_ptr, f${depth}(n))\n`;

export const HOSTILE: Readonly<Record<string, () => string>> = {
  nothing: () => '',
  'only NULs': () => '\0'.repeat(100_000),
  'a NUL in a kernel': () => kernel('    x = tl.load(x_ptr)\0 + 1\n    tl.store(x_ptr, x)'),
  'lone surrogates': () => kernel('    x\ud800 = "\udc00"\n    tl.store(x_ptr, 1)'),
  binary: () => String.fromCharCode(...Array.from({ length: 65_000 }, (_, i) => (i * 7919) & 255)),
  'carriage returns': () => stored('n').replaceAll('\n', '\r'),
  'one MB of spaces': () => kernel(`    tl.store(x_ptr, 1)${' '.repeat(1_000_000)}`),
  'one MB of newlines': () => kernel(`    tl.store(x_ptr, 1)${'\n'.repeat(1_000_000)}`),
  'a string of one MB': () => kernel(`    """${'x'.repeat(1_000_000)}"""\n    tl.store(x_ptr, 1)`),
  'a string of one MB without an end': () => `x = "${'x'.repeat(1_000_000)}`,
  'a docstring without an end': () => `"""${kernel('    pass').repeat(1000)}`,
  'a name of one MB': () => kernel(`    ${'x'.repeat(1_000_000)} = 1\n    tl.store(x_ptr, 1)`),
  'a number of one MB': () => stored('9'.repeat(1_000_000)),
  'a hexadecimal number of one MB': () => stored(`0x${'f'.repeat(1_000_000)}`),
  'a float of one MB': () => stored(`1.${'9'.repeat(1_000_000)}`),
  '10,000 open parentheses': () => stored('('.repeat(10_000)),
  '100,000 open brackets': () => stored('['.repeat(100_000)),
  '100,000 closing brackets': () => ')'.repeat(100_000),
  '10,000 parentheses': () => stored(`${'('.repeat(10_000)}n${')'.repeat(10_000)}`),
  '150 parentheses': () => stored(`${'('.repeat(150)}n${')'.repeat(150)}`),
  '10,000 lists': () => stored(`${'['.repeat(10_000)}n${']'.repeat(10_000)}`),
  '10,000 minus signs': () => stored(`${'-'.repeat(10_000)}n`),
  '10,000 nots': () => stored(`${'not '.repeat(10_000)}n`),
  '10,000 terms': () => stored(`n${' + n'.repeat(10_000)}`),
  '10,000 powers': () => stored(`2${' ** 2'.repeat(10_000)}`),
  '10,000 comparisons': () => stored(`n${' < n'.repeat(10_000)}`),
  '10,000 ands': () => stored(`n${' and n'.repeat(10_000)}`),
  '10,000 attributes': () => stored(`n${'.T'.repeat(10_000)}`),
  '10,000 calls of calls': () => stored(`n${'()'.repeat(10_000)}`),
  '10,000 subscripts': () => stored(`n${'[None]'.repeat(10_000)}`),
  '10,000 choices': () => stored(`${'1 if n else '.repeat(10_000)}2`),
  '1,000 lambdas': () => stored(`${'lambda x: '.repeat(1000)}2`),
  '3,000 f-strings': () => stored(`${'f"{'.repeat(3000)}n${'}"'.repeat(3000)}`),
  '100,000 items': () => kernel(`    t = (${'1, '.repeat(100_000)})\n    tl.store(x_ptr, t[5])`),
  '20,000 arguments': () => stored(`max(${'n, '.repeat(20_000)}n)`),
  '5,000 parameters': () => kernel('    pass', `x_ptr${repeat(5000, (i) => `, a${i}`)}`),
  '10,000 lines': () =>
    kernel(`${repeat(10_000, (i) => `    y${i} = n * ${i} + ${i}\n`)}    tl.store(x_ptr, y7)`),
  '10,000 lines of tiles': () =>
    kernel(
      `    y = tl.load(x_ptr + tl.arange(0, 64))\n` +
        `${repeat(10_000, (i) => `    y = y * n + ${i}\n`)}    tl.store(x_ptr + tl.arange(0, 64), y)`,
    ),
  '3,000 loads and stores': () =>
    kernel(repeat(3000, (i) => `    tl.store(x_ptr + ${i}, tl.load(x_ptr + ${i + 1}) + 1)\n`)),
  '10,000 functions': () => `${HEADER}${repeat(10_000, (i) => `def f${i}():\n    pass\n\n\n`)}`,
  '1,000 kernels': () =>
    `${HEADER}${repeat(1000, (i) => `@triton.jit\ndef f${i}(x_ptr):\n    tl.store(x_ptr, ${i})\n\n\n`)}`,
  '5,000 lines that are wrong': () => kernel(repeat(5000, (i) => `    y${i} = nothing${i}\n`)),
  '5,000 syntax errors': () => kernel(repeat(5000, () => '    y = = )\n')),
  '90 ifs': () => nested(90, (i) => `if n > ${i}:`, 'tl.store(x_ptr, 1)'),
  '1,000 ifs': () => nested(1000, (i) => `if n > ${i}:`, 'tl.store(x_ptr, 1)'),
  '1,000 ifs known at compile time': () => nested(1000, () => 'if True:', 'tl.store(x_ptr, 1)'),
  '30 loops': () => nested(30, (i) => `for i${i} in range(n):`, 'tl.store(x_ptr, 1)'),
  '1,000 loops': () => nested(1000, (i) => `for i${i} in range(n):`, 'tl.store(x_ptr, 1)'),
  '25 loops unrolled': () =>
    nested(25, (i) => `for i${i} in tl.static_range(2):`, 'tl.store(x_ptr, i0)'),
  '4 loops unrolled 1,000 times': () =>
    nested(4, (i) => `for i${i} in tl.static_range(1000):`, 'tl.store(x_ptr, i0)'),
  '1,000 whiles': () => nested(1000, () => 'while n > 0:', 'tl.store(x_ptr, 1)'),
  '1,000 functions in each other': () => nested(1000, (i) => `def f${i}():`, 'pass'),
  '1,000 classes in each other': () => nested(1000, (i) => `class C${i}:`, 'pass'),
  '1,000 trys': () => nested(1000, () => 'with n:', 'pass'),
  '2,000 elifs': () =>
    kernel(
      `    if n == 0:\n        tl.store(x_ptr, 0)\n` +
        repeat(2000, (i) => `    elif n == ${i + 1}:\n        tl.store(x_ptr, ${i})\n`),
    ),
  '1,000 early returns': () =>
    kernel(`${repeat(1000, (i) => `    if n == ${i}:\n        return\n`)}    tl.store(x_ptr, 1)`),
  '30 early returns that may go on': () =>
    kernel(
      `${repeat(30, (i) => `    if n > ${i}:\n        if n > ${i + 1}:\n            return\n        n += 1\n`)}` +
        '    tl.store(x_ptr, n)',
    ),
  'static_range(10**9)': () =>
    kernel('    for i in tl.static_range(10**9):\n        tl.store(x_ptr, i)'),
  'static_range(10**40)': () =>
    kernel('    for i in tl.static_range(10**40):\n        tl.store(x_ptr, i)'),
  'static_range of 60,000 tiles': () =>
    kernel(
      '    for i in tl.static_range(60000):\n' +
        '        tl.store(x_ptr + tl.arange(0, 64), i + tl.arange(0, 64))',
    ),
  'static_range of 60,000 passes': () =>
    kernel('    for i in tl.static_range(60000):\n        pass'),
  'a tile of 2**40 elements': () => stored('tl.sum(tl.arange(0, 2**40), 0)'),
  'a tile of 2**200 elements': () => stored('tl.sum(tl.zeros([2**100, 2**100], tl.int32))'),
  'a product of sizes above 2**53': () => stored('tl.sum(tl.zeros([2**18] * 12, tl.int32))'),
  'a tile of 1,000 dimensions': () => stored('tl.sum(tl.zeros([1] * 1000, tl.int32))'),
  'a tile of 20 dimensions': () => stored('tl.sum(tl.zeros([2] * 20, tl.int32))'),
  'a tuple of 10**9': () => kernel('    t = (1, 2) * 10**9\n    tl.store(x_ptr, t[0])'),
  'a string of 10**12': () => kernel('    t = "ab" * 10**12\n    tl.static_print(t)'),
  'tuples that double': () =>
    kernel(`    t = (1,)\n${repeat(60, () => '    t = t + t\n')}    tl.store(x_ptr, t[0])`),
  'tuples of themselves': () =>
    kernel(`    t = (n,)\n${repeat(60, () => '    t = (t, t)\n')}    tl.store(x_ptr, 1)`),
  'strings that double': () =>
    kernel(`    t = "a"\n${repeat(60, () => '    t = t + t\n')}    tl.static_print(t)`),
  'f-strings that double': () =>
    kernel(`    t = "a"\n${repeat(60, () => '    t = f"{t}{t}"\n')}    tl.static_print(t)`),
  'numbers that square': () =>
    kernel(`    t = 3\n${repeat(60, () => '    t = t * t\n')}    tl.store(x_ptr, t)`),
  'numbers shifted': () =>
    kernel(`    t = 3\n${repeat(60_000, () => '    t = t << 60000\n')}    tl.store(x_ptr, t)`),
  'a power of powers': () => stored('9 ** 9 ** 9 ** 9'),
  'powers of powers': () => stored('((9 ** 60000) ** 60000) ** 60000'),
  'a division of the huge': () => stored('(2 ** 65536) / (2 ** 65535)'),
  recursion: () =>
    `${HEADER}@triton.jit\ndef f(x):\n    return f(x) + 1\n\n\n@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, f(1))\n`,
  'recursion twice': () =>
    `${HEADER}@triton.jit\ndef f(x):\n    return f(x + 1) + f(x * 2)\n\n\n@triton.jit\ndef kernel(x_ptr, n):\n    tl.store(x_ptr, f(n))\n`,
  'recursion of a kernel': () => kernel('    kernel(x_ptr, n)\n    kernel(x_ptr, n)'),
  'helpers that call helpers twice, 40 deep': () => doubling(40, 2),
  'helpers that call helpers 10 times, 6 deep': () => doubling(6, 10),
  'helpers nested in expressions, 90 deep': () => doubling(90, 1),
  'helpers that are wrong, 20 deep': () => doubling(20, 2).replace('x * 3', 'nothing * 3'),
  'a default that refers to itself': () =>
    `${HEADER}X = X\nY = (Y, Y)\nA = B\nB = A\n\n\n@triton.jit\ndef kernel(x_ptr, n: tl.constexpr = A, m=X):\n    tl.store(x_ptr, n)\n`,
  'globals that double': () =>
    `${HEADER}A0 = (1, 1)\n${repeat(60, (i) => `A${i + 1} = (A${i}, A${i})\n`)}\n\n@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, A60[0])\n`,
  'globals that square': () =>
    `${HEADER}A0 = tl.constexpr(3)\n${repeat(60, (i) => `A${i + 1} = A${i} * A${i}\n`)}\n\n@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, A60)\n`,
  'sorts of large tiles': () =>
    kernel(
      '    x = tl.load(x_ptr + tl.arange(0, 65536))\n' +
        repeat(2, () => '    x = tl.sort(x)\n') +
        '    tl.store(x_ptr + tl.arange(0, 65536), x)',
    ),
  'a dot of the largest tiles': () =>
    kernel(
      '    i = tl.arange(0, 1024)\n    x = tl.load(x_ptr + i[:, None] * 1024 + i[None, :])\n' +
        '    tl.store(x_ptr + i[:, None] * 1024 + i[None, :], tl.dot(x, x))',
    ),
  'a pointer as a condition': () =>
    kernel(
      '    while x_ptr:\n        tl.store(x_ptr, 1)\n    if x_ptr:\n        tl.store(x_ptr, 2)',
    ),
  'half a comparison': () => kernel('    if x_ptr not n:\n        n = n <> 3\n    n = n not 3'),
  'five sums of large dots': () =>
    kernel(
      '    a = tl.full((128, 128), 0.0, tl.float16)\n' +
        repeat(5, (i) => `    c${i} = tl.zeros((128, 128), tl.float32)\n`) +
        '    for i in range(0, 100):\n' +
        repeat(5, (i) => `        c${i} = tl.dot(a, a, c${i})\n`) +
        '    c = (c0 + c1 + c2 + c3 + c4).reshape([16384])\n' +
        '    tl.store(x_ptr + tl.arange(0, 16384), c)',
    ),
  'the largest tile': () =>
    kernel(
      '    i = tl.arange(0, 1048576)\n    x = tl.load(x_ptr + i)\n' +
        '    tl.store(x_ptr + i, tl.cumsum(x, 0) + tl.sum(x, 0))',
    ),
  'many carried variables': () =>
    kernel(
      `${repeat(500, (i) => `    y${i} = n + ${i}\n`)}    for i in range(n):\n` +
        `${repeat(500, (i) => `        y${i} = y${i} * y${(i + 1) % 500}\n`)}    tl.store(x_ptr, y0)`,
    ),
};

/** Those that must be refused, with one of the codes they must be refused with. */
export const REFUSED: Readonly<Record<string, string>> = {
  'only NULs': 'HC0101',
  'a NUL in a kernel': 'HC0101',
  'a number of one MB': 'HC0102',
  '10,000 parentheses': 'HC0101',
  '10,000 terms': 'HC0101',
  '10,000 calls of calls': 'HC0101',
  '100,000 items': 'HC0214',
  '5,000 lines that are wrong': 'HC0103',
  '1,000 ifs': 'HC0101',
  '1,000 loops': 'HC0101',
  '25 loops unrolled': 'HC0221',
  '4 loops unrolled 1,000 times': 'HC0221',
  '1,000 early returns': 'HC0221',
  'half a comparison': 'HC0102',
  'static_range(10**9)': 'HC0215',
  'static_range(10**40)': 'HC0215',
  'static_range of 60,000 tiles': 'HC0221',
  'a tile of 2**200 elements': 'HC0217',
  'a product of sizes above 2**53': 'HC0217',
  'a tuple of 10**9': 'HC0214',
  'a string of 10**12': 'HC0214',
  'tuples that double': 'HC0214',
  'tuples of themselves': 'HC0214',
  'a power of powers': 'HC0214',
  'powers of powers': 'HC0214',
  recursion: 'HC0219',
  'recursion twice': 'HC0219',
  'helpers that call helpers twice, 40 deep': 'HC0221',
  'helpers that call helpers 10 times, 6 deep': 'HC0221',
};
