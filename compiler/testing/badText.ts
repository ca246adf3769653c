/**
 * For tests: Python text as it should not be, made from text as it should be. Everything follows
 * from the random numbers, so a seed names an input. The compiler must answer all of it with
 * diagnostics.
 */

export type Random = () => number;

const int = (random: Random, n: number): number => Math.floor(random() * n);
const pick = <T>(random: Random, list: readonly T[]): T => list[int(random, list.length)]!;

/** Replacements of a token: what the language has, and what breaks it. */
const TOKENS = [
  ...'( ) [ ] { } : , . ; @ = == != <= >= < > + - * / // % ** << >> & | ^ ~ -> := += -= @= ...'.split(
    ' ',
  ),
  ...'if else elif for while in return def class lambda and or not is None True False'.split(' '),
  ...'pass break continue try except with yield await global del assert import from as'.split(' '),
  ...'tl.load tl.store tl.arange tl.program_id tl.dot tl.sum tl.max tl.where tl.zeros'.split(' '),
  ...'tl.static_range tl.range range tl.reshape tl.trans tl.cumsum tl.sort tl.cast'.split(' '),
  ...'tl.constexpr tl.float32 tl.int64 tl.float16 tl.uint8 tl.float8e5 tl.pointer_type'.split(' '),
  ...'tl.make_block_ptr tl.advance tl.atomic_add tl.join tl.split tl.gather tl.histogram'.split(
    ' ',
  ),
  ...'tl.reduce tl.associative_scan tl.full tl.expand_dims tl.broadcast_to tl.rand'.split(' '),
  ...'.to .T .shape .dtype [None, [:, [None,:] *args **kwargs'.split(' '),
  ...'0 1 2 -1 3 16 1024 0x7fffffff 4294967296 9223372036854775808 1e400 1e-400 0.1 1j'.split(' '),
  ...'10**9 2**100000 1<<99999 -0.0 0b102 0o9 1__0 00 "" \'\' """ \'\'\' f"{x}" b"x" # \\ $ ? !'.split(
    ' ',
  ),
];
const CHARACTERS = [
  '\0',
  '\t',
  '\r',
  '\n',
  '\f',
  '\v',
  '\u00a0',
  '\u2028',
  '\u200b',
  '\ufeff',
  '\ufffd',
  'é',
  '变量',
  '𝔁',
  '🦛',
  '\ud800',
  '\udc00',
  '\u202e',
  'ß',
  'ﬁ',
  '\x7f',
  '\x1b[2J',
  ' '.repeat(40),
  '\n\n\n',
];

type Mutation = (text: string, random: Random, corpus: readonly string[]) => string;

const splice = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to);

/** A word, a number or a sign of the text: from, to. */
function token(text: string, random: Random): readonly [number, number] {
  const pattern = /[A-Za-z_][\w.]*|\d[\w.]*|[^\s\w]/g;
  pattern.lastIndex = int(random, text.length);
  const found = pattern.exec(text) ?? { index: 0, 0: text.slice(0, 1) };
  return [found.index, found.index + found[0].length];
}
function lines(text: string, change: (all: string[]) => void): string {
  const all = text.split('\n');
  change(all);
  return all.join('\n');
}

const MUTATIONS: readonly Mutation[] = [
  // Cut off, or the beginning cut away.
  (text, random) => text.slice(0, int(random, text.length + 1)),
  (text, random) => text.slice(int(random, text.length + 1)),
  // A piece gone, or twice.
  (text, random) => {
    const at = int(random, text.length);
    return splice(text, at, at + 1 + int(random, 30), '');
  },
  (text, random) => {
    const at = int(random, text.length);
    const piece = text.slice(at, at + 1 + int(random, 60));
    return splice(text, at, at, piece.repeat(1 + int(random, 4)));
  },
  // A token that is another, three times as likely as the rest: it stays Python most often.
  ...[0, 1, 2].map((): Mutation => (text, random) => {
    const [from, to] = token(text, random);
    return splice(text, from, to, pick(random, TOKENS));
  }),
  ...[0, 1, 2].map((): Mutation => (text, random, corpus) => {
    const [from, to] = token(text, random);
    const other = random() < 0.5 ? text : pick(random, corpus);
    const [start, end] = token(other, random);
    return splice(text, from, to, other.slice(start, end));
  }),
  (text, random) => {
    const [, to] = token(text, random);
    return splice(text, to, to, ` ${pick(random, TOKENS)} `);
  },
  (text, random) => {
    const at = int(random, text.length + 1);
    return splice(text, at, at, pick(random, CHARACTERS));
  },
  (text, random) => {
    const at = int(random, text.length + 1);
    const bytes = Array.from({ length: 1 + int(random, 20) }, () => int(random, 256));
    return splice(text, at, at, String.fromCharCode(...bytes));
  },
  // Lines gone, twice, elsewhere, further in or out.
  (text, random) => lines(text, (all) => all.splice(int(random, all.length), 1)),
  (text, random) => lines(text, (all) => all.splice(int(random, all.length), 0, pick(random, all))),
  (text, random) =>
    lines(text, (all) => {
      const [gone = ''] = all.splice(int(random, all.length), 1);
      all.splice(int(random, all.length + 1), 0, gone);
    }),
  (text, random) =>
    lines(text, (all) => {
      const at = int(random, all.length);
      const count = 1 + int(random, 5);
      const deeper = random() < 0.5;
      for (let i = at; i < Math.min(all.length, at + count); i++)
        all[i] = deeper ? `    ${all[i]}` : all[i]!.replace(/^ {1,4}/, '');
    }),
  (text, random, corpus) => {
    const other = pick(random, corpus).split('\n');
    return lines(text, (all) => {
      const from = int(random, other.length);
      const piece = other.slice(from, from + 1 + int(random, 8));
      all.splice(int(random, all.length), 0, ...piece);
    });
  },
  // Brackets around something, many times.
  (text, random) => {
    const [from, to] = token(text, random);
    const [open, close] = pick(random, ['()', '[]', '-', '~', 'not ', '(,)', '{}'] as const);
    const depth = 1 + int(random, 60);
    const inner = text.slice(from, to);
    const right = close === undefined || close === ',' ? ')' : close;
    return splice(text, from, to, `${open!.repeat(depth)}${inner}${right.repeat(depth)}`);
  },
];

/** One of the corpus with a few mutations; the first of them is often the only one. */
export function mutate(corpus: readonly string[], random: Random): string {
  let text = pick(random, corpus);
  do text = pick(random, MUTATIONS)(text, random, corpus);
  while (random() < 0.45 && text.length < 200_000);
  return text;
}

/**
 * Items of a corpus: the files, and each `@triton.jit` function with the file's imports and the
 * helpers left out, which is a small program of its own.
 */
export function corpusOf(files: readonly string[]): string[] {
  return files.flatMap((text) => {
    const imports = text.match(/^(?:import|from) .*$/gm)?.join('\n') ?? '';
    const blocks = text.split(/^(?=@triton)/m).slice(1);
    const units = blocks.map((block) => {
      const end = /\n(?=\S)(?!def |@|#|\))/.exec(block);
      return `${imports}\n\n\n${end ? block.slice(0, end.index) : block}\n`;
    });
    return [text, ...units];
  });
}
