/** Python's number and string literals, read as Python reads them. */
import type { Node } from 'web-tree-sitter';
import type { Expression, FStringPart, Literal } from './syntax';

/** Python's own limit (`sys.get_int_max_str_digits`). */
const MAX_DIGITS = 4300;

/** `undefined` for imaginary numbers, and for what is no number or too long for one. */
export function parseNumber(text: string): Literal | undefined {
  const plain = text.replaceAll('_', '').toLowerCase();
  if (/^(0x[\da-f]+|0o[0-7]+|0b[01]+|\d+)l?$/.test(plain)) {
    if (plain.length > MAX_DIGITS) return undefined;
    return { type: 'int', value: BigInt(plain.replace(/l$/, '')) };
  }
  if (plain.endsWith('j') || /^0[xob]/.test(plain)) return undefined;
  return { type: 'float', value: Number(plain) };
}
/** Value of a literal that `parseNumber` does not take. */
export function numberRefused(text: string): string {
  if (text.length > MAX_DIGITS) return `number of more than ${MAX_DIGITS} digits`;
  return /j$/i.test(text) ? 'complex number' : 'malformed number';
}

const SIMPLE_ESCAPES: Record<string, string> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\n': '',
};

function unescape(text: string): string {
  return text.replace(
    /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|\r?\n|[^])/g,
    (whole, code: string) => {
      if (/^[xuU]./.test(code) && code.length > 2) {
        const point = Number.parseInt(code.slice(1), 16);
        return point > 0x10ffff ? whole : String.fromCodePoint(point);
      }
      if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
      return SIMPLE_ESCAPES[code.replace('\r', '')] ?? whole;
    },
  );
}

/** The parts of a string or of several adjoining ones; `undefined` for bytes. */
export function stringParts(
  node: Node,
  convert: (node: Node) => Expression,
): FStringPart[] | undefined {
  if (node.type === 'concatenated_string') {
    const parts: FStringPart[] = [];
    for (const child of node.namedChildren) {
      if (!child || child.isExtra) continue;
      const inner = stringParts(child, convert);
      if (!inner) return undefined;
      parts.push(...inner);
    }
    return parts;
  }
  const start = node.namedChildren[0]?.text ?? '"';
  const prefix = start.replace(/['"]+$/, '').toLowerCase();
  if (prefix.includes('b')) return undefined;
  const isFormatted = prefix.includes('f') || prefix.includes('t');
  const read = (text: string): string => {
    const plain = prefix.includes('r') ? text : unescape(text);
    return isFormatted ? plain.replaceAll('{{', '{').replaceAll('}}', '}') : plain;
  };
  const parts: FStringPart[] = [];
  for (const child of node.namedChildren) {
    if (child?.type === 'string_content') parts.push({ kind: 'text', text: read(child.text) });
    else if (child?.type === 'interpolation') {
      const value = child.childForFieldName('expression');
      const conversion = child.childForFieldName('type_conversion')?.text.slice(1);
      const format = child.childForFieldName('format_specifier')?.text.slice(1);
      if (value)
        parts.push({
          kind: 'value',
          value: convert(value),
          ...(conversion ? { conversion } : {}),
          ...(format ? { format } : {}),
        });
    }
  }
  return parts;
}
