/**
 * The parser of the package, with its WebAssembly inside of the JavaScript: no file and no address
 * to find, so it loads alike in browsers, workers, Node, Bun, Deno and behind any bundler.
 */
import { inflateSync } from 'fflate';
import { createParser, type Parser } from '../../compiler/1-parse/parser';

let parser: Promise<Parser> | undefined;

/** One for all; loaded by the first call. */
export function embeddedParser(): Promise<Parser> {
  parser ??= load();
  return parser;
}

async function load(): Promise<Parser> {
  const { treeSitter, python } = await import('hippocamp:parser-wasm');
  return createParser(unpack(treeSitter), unpack(python));
}

/** @param text base64 of deflated bytes. */
function unpack(text: string): Uint8Array {
  return inflateSync(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
}
