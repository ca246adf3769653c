/**
 * PTX as programs write it in `tl.inline_asm_elementwise`: register declarations and straight-line
 * instructions, in nested blocks. What the instructions mean stands in `translate.ts`.
 */

/** A register, a number, or several operands in braces. */
export type Operand =
  | { readonly kind: 'register'; readonly name: string }
  | { readonly kind: 'integer'; readonly value: bigint }
  /** A float by its bits, as `0f3F800000` and `0d…` write it, or a decimal one of no width yet. */
  | {
      readonly kind: 'float';
      readonly value: number;
      readonly bits?: bigint;
      readonly width?: 32 | 64;
    }
  | { readonly kind: 'vector'; readonly items: readonly Operand[] }
  /** `p|q`: two destinations. */
  | { readonly kind: 'pair'; readonly first: Operand; readonly second: Operand }
  | { readonly kind: 'address' };

export interface Instruction {
  readonly kind: 'instruction';
  /** As written: `cvt.rn.bf16x2.f32`. */
  readonly text: string;
  /** `cvt`. */
  readonly name: string;
  /** `['rn', 'bf16x2', 'f32']`. */
  readonly modifiers: readonly string[];
  readonly operands: readonly Operand[];
  readonly guard?: { readonly register: string; readonly negated: boolean };
}
export interface Declaration {
  readonly kind: 'declaration';
  /** `b32`, `f16`, `pred` … */
  readonly type: string;
  readonly names: readonly string[];
}
/** A block's names end with it. */
export type Statement = Instruction | Declaration | { readonly kind: 'open' | 'close' };

/** A construct that is not translated; the message names it. */
export class PtxError extends Error {}
/** Text that is no PTX at all; the message is a sentence. */
export class PtxMistake extends PtxError {}

/** The statements of an inline assembly; throws a PtxError that quotes what is not understood. */
export function parsePtx(text: string): Statement[] {
  let rest = text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/\/\/[^\n]*/g, ' ')
    .trim();
  const statements: Statement[] = [];
  while (rest !== '') {
    const [first] = rest;
    if (first === '{' || first === '}') {
      statements.push({ kind: first === '{' ? 'open' : 'close' });
      rest = rest.slice(1).trim();
      continue;
    }
    const end = statementEnd(rest);
    const statement = rest.slice(0, end).trim();
    rest = rest.slice(end + 1).trim();
    if (statement !== '') statements.push(parseStatement(statement));
  }
  return statements;
}

/** End of a statement: at its semicolon, or before the brace that closes the block around it. */
function statementEnd(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '{') depth++;
    else if (c === '}' && --depth < 0)
      throw new PtxMistake(`no ; after ${text.slice(0, i).trim()}`);
    else if (c === ';') return i;
  }
  return text.length;
}

function parseStatement(text: string): Statement {
  const declared = /^\.reg\s+\.(\w+)\s+(.*)$/s.exec(text);
  if (declared) return parseDeclaration(declared[1]!, declared[2]!);
  if (/^[\w$%]+:/.test(text)) throw new PtxError(`the label ${text.split(':')[0]}`);
  const found = /^(?:@(!?)\s*([\w$%]+)\s+)?([a-z][\w.:]*)\s*(.*)$/s.exec(text);
  if (!found) throw new PtxMistake(`cannot read ${text}`);
  const [, negated, guard, mnemonic = '', operands = ''] = found;
  const [name = '', ...modifiers] = mnemonic.split('.');
  return {
    kind: 'instruction',
    text: mnemonic,
    name,
    modifiers,
    operands: splitOperands(operands).map(parseOperand),
    ...(guard ? { guard: { register: guard, negated: negated === '!' } } : {}),
  };
}

function parseDeclaration(type: string, list: string): Declaration {
  const names = list.split(',').flatMap((item) => {
    const found = /^\s*([\w$%]+)\s*(?:<\s*(\d+)\s*>)?\s*$/.exec(item);
    if (!found) throw new PtxMistake(`cannot read .reg .${type} ${list}`);
    const [, name = '', count] = found;
    if (count === undefined) return [name];
    return Array.from({ length: Number(count) }, (_, i) => `${name}${i}`);
  });
  return { kind: 'declaration', type, names };
}

/** At commas that stand in no braces. */
function splitOperands(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '{' || c === '[') depth++;
    else if (c === '}' || c === ']') depth--;
    else if (c === ',' && depth === 0) {
      items.push(text.slice(start, i));
      start = i + 1;
    }
  }
  const last = text.slice(start);
  if (items.length > 0 || last.trim() !== '') items.push(last);
  return items.map((item) => item.trim());
}

function parseOperand(text: string): Operand {
  const vector = /^\{(.*)\}$/s.exec(text);
  if (vector) return { kind: 'vector', items: splitOperands(vector[1]!).map(parseOperand) };
  if (text.startsWith('[')) return { kind: 'address' };
  const pair = /^([\w$%.]+)\s*\|\s*([\w$%.]+)$/.exec(text);
  if (pair) return { kind: 'pair', first: parseOperand(pair[1]!), second: parseOperand(pair[2]!) };
  const bits = /^(-?)0([fFdD])([0-9a-fA-F]+)$/.exec(text);
  if (bits) return floatOfBits(text, bits[2]!.toLowerCase() === 'f' ? 32 : 64, bits[3]!);
  if (/^-?\s*(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$/.test(text)) {
    const digits = text.replace(/[-\sU]/g, '');
    const octal = /^0[0-7]+$/.test(digits);
    const value = BigInt(octal ? `0o${digits.slice(1)}` : digits);
    return { kind: 'integer', value: text.startsWith('-') ? -value : value };
  }
  if (/^-?\d+\.\d*(e[+-]?\d+)?$/i.test(text)) return { kind: 'float', value: Number(text) };
  if (/^[A-Za-z_$%][\w$%.]*$/.test(text)) return { kind: 'register', name: text };
  throw new PtxMistake(`cannot read the operand ${text}`);
}
function floatOfBits(text: string, width: 32 | 64, digits: string): Operand {
  if (digits.length !== width / 4) throw new PtxMistake(`cannot read the number ${text}`);
  const bits = BigInt(`0x${digits}`);
  const view = new DataView(new ArrayBuffer(8));
  if (width === 32) view.setUint32(0, Number(bits));
  else view.setBigUint64(0, bits);
  return {
    kind: 'float',
    value: width === 32 ? view.getFloat32(0) : view.getFloat64(0),
    bits,
    width,
  };
}
