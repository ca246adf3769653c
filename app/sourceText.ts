/**
 * A Python file's bytes as text, by Python's rules: UTF-8, with a byte-order mark or without, or
 * what a comment of the first two lines declares (PEP 263). What Python refuses is said in its own
 * words.
 */
export type Source = { readonly text: string } | Undecodable;
export interface Undecodable {
  readonly message: string;
  readonly line: number;
}

const DECLARED = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;
const BLANK = /^[ \t\f]*(?:#.*)?$/;
const LATIN_1 = /^(?:latin-?1|iso-?8859-?1|iso-latin-1|l1|cp819|8859)$/;
const UTF_8 = /^(?:utf-?8|utf-8-sig|u8|cp65001)$/;

/** @param name of the file, for the message. */
export function decodeSource(bytes: Uint8Array, name: string): Source {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = marked ? bytes.subarray(3) : bytes;
  const declared = declaredEncoding(body);
  const encoding = declared?.toLowerCase().replaceAll('_', '-') ?? 'utf-8';
  if (UTF_8.test(encoding)) return fromUtf8(body, name, declared !== null);
  if (marked) return { message: `encoding problem: ${declared} with BOM`, line: 1 };
  if (LATIN_1.test(encoding)) return { text: latin1(body) };
  // The web's ASCII is a larger code.
  if (/^(?:us-)?ascii$/.test(encoding)) {
    if (body.every((byte) => byte < 128)) return { text: latin1(body) };
    return { message: `encoding problem: ${declared}`, line: 1 };
  }
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(body) };
  } catch {
    return { message: `encoding problem: ${declared}`, line: 1 };
  }
}

function declaredEncoding(body: Uint8Array): string | null {
  const [first = '', second = ''] = latin1(body.subarray(0, 1000)).split(/\r\n|\r|\n/);
  const found = DECLARED.exec(first) ?? (BLANK.test(first) ? DECLARED.exec(second) : null);
  return found?.[1] ?? null;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return text;
}

const hex = (byte: number | undefined): string => (byte ?? 0).toString(16).padStart(2, '0');

function lineAt(bytes: Uint8Array, at: number): number {
  let line = 1;
  for (let i = 0; i < at; i++) if (bytes[i] === 10) line++;
  return line;
}

function fromUtf8(body: Uint8Array, name: string, declared: boolean): Source {
  try {
    // The mark was taken off: another one is a character.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) };
  } catch {
    const at = firstInvalid(body);
    const line = lineAt(body, at);
    if (declared)
      return {
        message: `(unicode error) 'utf-8' codec can't decode byte 0x${hex(body[at])}`,
        line,
      };
    const message =
      `Non-UTF-8 code starting with '\\x${hex(body[at])}' in file ${name} on line ${line}, but no ` +
      'encoding declared; see https://peps.python.org/pep-0263/ for details';
    return { message, line };
  }
}

/** Index of the first sequence that is not UTF-8. */
function firstInvalid(body: Uint8Array): number {
  let low = 0;
  let high = body.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    // A sequence that is not over yet is no fault so far.
    if (decodes(body.subarray(0, middle), { stream: true })) low = middle;
    else high = middle - 1;
  }
  while (low > 0 && !decodes(body.subarray(0, low), {})) low--;
  return low;
}
function decodes(bytes: Uint8Array, options: TextDecodeOptions): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, options);
    return true;
  } catch {
    return false;
  }
}

/** A text that is a web page: what hosts answer in place of a file. */
export const isHtml = (text: string): boolean =>
  /^\s*(?:<!--[^]*?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 2000));
