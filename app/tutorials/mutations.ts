/**
 * Mistakes that people make in kernels, made on purpose: each mutation changes one place of a
 * program's `@triton.jit` functions, or of what launches them. A program whose own check accepts
 * one of them checks too little.
 */

export interface Mutation {
  /** Line of the program, from 1. */
  readonly line: number;
  readonly operator: string;
  /** The line as it becomes, trimmed. */
  readonly text: string;
  readonly program: string;
}

interface Operator {
  readonly name: string;
  /** With the flag `g`: each match is a place. */
  readonly pattern: RegExp;
  readonly replace: (match: RegExpExecArray) => string;
}

const NAME = String.raw`[A-Za-z_]\w*(?:\[[^\]]*\])?`;
const FLIPPED: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** In kernels and around them. */
const LAST_BLOCK: Operator = {
  name: 'last block left out',
  pattern: /t(?:l|riton)\.cdiv\(([^(),]+), ([^(),]+)\)/g,
  replace: ([, size, block]) => `(${size} // ${block})`,
};

const HOST: readonly Operator[] = [
  LAST_BLOCK,
  {
    name: 'strides swapped in a launch',
    pattern: /(\w+)\.stride\(0\), \1\.stride\(1\)/g,
    replace: ([, tensor]) => `${tensor}.stride(1), ${tensor}.stride(0)`,
  },
];

const KERNEL: readonly Operator[] = [
  LAST_BLOCK,
  {
    name: 'bound off by one',
    pattern: / (<=?|>=?) /g,
    replace: ([, sign]) => ` ${FLIPPED[sign!]!} `,
  },
  {
    name: 'other value of a masked load',
    pattern: /other=-?float\("inf"\)/g,
    replace: () => 'other=0.0',
  },
  {
    name: 'half-precision accumulator',
    pattern: /dtype=tl\.float32/g,
    replace: () => 'dtype=tl.float16',
  },
  {
    name: 'accumulator dropped from a dot',
    pattern: /tl\.dot\(([^,()]+(?:\([^()]*\))?), ([^,()]+(?:\([^()]*\))?), (\w+), /g,
    replace: ([, a, b]) => `tl.dot(${a}, ${b}, `,
  },
  {
    name: 'factor forgotten',
    pattern: new RegExp(String.raw` [*/] (?:\d[\d.]*|${NAME})(?![\w.(])`, 'g'),
    replace: () => '',
  },
  {
    name: 'term forgotten',
    pattern: new RegExp(String.raw` [+-] (?:\d[\d.]*|${NAME})(?![\w.(])`, 'g'),
    replace: () => '',
  },
  { name: 'overwritten, not added to', pattern: / \+= (?!\d)/g, replace: () => ' = ' },
  {
    name: 'half of a mask',
    pattern: /\(([^()]*)\) & \(([^()]*)\)/g,
    replace: ([, left]) => `(${left})`,
  },
  {
    name: 'other half of a mask',
    pattern: /\(([^()]*)\) & \(([^()]*)\)/g,
    replace: ([, , right]) => `(${right})`,
  },
  {
    name: 'factor of another axis',
    pattern: / ([-*/]) (\w+)\[:, None\]/g,
    replace: ([, sign, factor]) => ` ${sign} ${factor}[None, :]`,
  },
  {
    name: 'strides swapped',
    pattern: /(\w+\[:, None\]) \* (\w+) \+ (\w+\[None, :\]) \* (\w+)/g,
    replace: ([, row, first, column, second]) => `${row} * ${second} + ${column} * ${first}`,
  },
  {
    name: 'row-major taken for column-major',
    pattern: /(\w+\[:, None\]) \* (\w+) \+ (\w+\[None, :\])(?! \*)/g,
    replace: ([, row, width, column]) => `${row} + ${column} * ${width}`,
  },
];

/** For each `@triton.jit` function, the numbers of the lines that are code, from 0. */
function kernelsOf(lines: readonly string[]): number[][] {
  const kernels: number[][] = [];
  let state: 'outside' | 'head' | 'body' = 'outside';
  let quoted = false;
  lines.forEach((line, at) => {
    if (line.startsWith('@triton.jit')) state = 'head';
    else if (/^\S/.test(line) && !line.startsWith(')')) {
      if (line.startsWith('def ') && state === 'head') {
        state = 'body';
        kernels.push([]);
      } else if (!line.startsWith('@')) state = 'outside';
      return;
    }
    if (state !== 'body') return;
    const quotes = line.split('"""').length - 1;
    if (quotes > 0 || quoted) {
      if (quotes % 2 === 1) quoted = !quoted;
      return;
    }
    if (!/^\s*(#|$)|tl\.constexpr/.test(line)) kernels.at(-1)!.push(at);
  });
  return kernels;
}

const ZERO = /other=0(?![.\w])|other=0\.0/g;

/**
 * Ones in place of the zeros that masked loads give, in all loads of a function: where one load
 * gives ones, the zeros of another often cancel them.
 */
function otherOnes(lines: readonly string[], kernel: readonly number[]): Mutation[] {
  const inside = kernel.filter((at) => lines[at]!.search(ZERO) >= 0);
  if (inside.length === 0) return [];
  const ones = (line: string): string => line.replaceAll(ZERO, (zero) => zero.replace('0', '1'));
  const program = lines.map((line, at) => (inside.includes(at) ? ones(line) : line)).join('\n');
  const [first] = inside;
  const text = ones(lines[first!]!).trim();
  return [{ line: first! + 1, operator: 'other values of all masked loads', text, program }];
}

function inLine(lines: readonly string[], at: number, operators: readonly Operator[]): Mutation[] {
  const line = lines[at]!;
  return operators.flatMap(({ name, pattern, replace }) =>
    [...line.matchAll(pattern)].flatMap((match): Mutation[] => {
      const changed =
        line.slice(0, match.index) + replace(match) + line.slice(match.index + match[0].length);
      if (changed === line) return [];
      const program = lines.toSpliced(at, 1, changed).join('\n');
      return [{ line: at + 1, operator: name, text: changed.trim(), program }];
    }),
  );
}

/** Every mutation of a program: kernel by kernel, then of what launches them. */
export function mutationsOf(program: string): Mutation[] {
  const lines = program.split('\n');
  const kernels = kernelsOf(lines);
  const inside = new Set(kernels.flat());
  return [
    ...kernels.flatMap((kernel) => [
      ...otherOnes(lines, kernel),
      ...kernel.flatMap((at) => inLine(lines, at, KERNEL)),
    ]),
    ...lines.flatMap((_, at) => (inside.has(at) ? [] : inLine(lines, at, HOST))),
  ];
}

/** The program up to what it measures: benchmarks say nothing about a mistake. */
export function withoutBenchmarks(program: string): string {
  const [checked = ''] = program.split(/^@triton\.testing\.perf_report/m);
  return checked.replaceAll(/^measure\(.*$/gm, '');
}
