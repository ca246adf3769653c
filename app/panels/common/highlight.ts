/**
 * Colours of WGSL and printed IR where Monaco is not: a line at a time, by rules that need no state
 * across lines, because neither text has tokens of several lines.
 */
import { TILE_IR, tileIrTokens } from '../../editor/tileIr';

/** A piece of a line and the name of its colour (`--code-NAME`); null for plain text. */
export interface Token {
  readonly text: string;
  readonly color: Color | null;
}
type Color = 'comment' | 'string' | 'number' | 'keyword' | 'type';
type Rule = readonly [pattern: RegExp, color: Color | null];

/** Monaco's names of tokens, in the colours of its theme. */
const COLORS: Readonly<Record<string, Color>> = {
  comment: 'comment',
  string: 'string',
  number: 'number',
  keyword: 'keyword',
  type: 'type',
  annotation: 'keyword',
  function: 'number',
};

const tileIr: readonly Rule[] = tileIrTokens.tokenizer['root']!.map((rule) => {
  const [pattern, name] = rule as readonly [RegExp, string];
  return [pattern, COLORS[name] ?? null];
});

const wgsl: readonly Rule[] = [
  [/\/\/.*$/, 'comment'],
  [/@\w+/, 'keyword'],
  [
    /\b(?:alias|break|case|const|const_assert|continue|continuing|default|diagnostic|discard|else|enable|fn|for|if|let|loop|override|requires|return|struct|switch|var|while|true|false)\b/,
    'keyword',
  ],
  [
    /\b(?:array|atomic|bool|f16|f32|i32|mat[234]x[234][fh]?|ptr|u32|vec[234][iufh]?|subgroup_matrix_\w+)\b/,
    'type',
  ],
  [/\b0x[\da-fA-F]+[iu]?\b|\b\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[iufh]?/, 'number'],
];

/** One pattern with a group for each rule, and the rules' colours. */
interface Grammar {
  readonly pattern: RegExp;
  readonly colors: readonly (Color | null)[];
}
function grammar(rules: readonly Rule[]): Grammar {
  const pattern = new RegExp(rules.map(([one]) => `(${one.source})`).join('|'), 'g');
  return { pattern, colors: rules.map(([, color]) => color) };
}
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  [TILE_IR]: grammar(tileIr),
  wgsl: grammar(wgsl),
};

/** @returns pieces whose texts make the line; one piece in a language without rules. */
export function highlight(language: string, line: string): readonly Token[] {
  const rules = GRAMMARS[language];
  if (!rules) return [{ text: line, color: null }];
  const tokens: Token[] = [];
  let end = 0;
  const plain = (to: number): void => {
    if (to > end) tokens.push({ text: line.slice(end, to), color: null });
  };
  for (const match of line.matchAll(rules.pattern)) {
    const color = rules.colors[match.slice(1).findIndex((group) => group !== undefined)] ?? null;
    if (color === null) continue;
    plain(match.index);
    tokens.push({ text: match[0], color });
    end = match.index + match[0].length;
  }
  plain(line.length);
  return tokens;
}
