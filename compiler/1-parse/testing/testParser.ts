/** For tests in Node only: a parser with the WebAssembly of node_modules. */
import { readFileSync } from 'node:fs';
import { createParser, type Parser } from '../parser';

let parser: Promise<Parser> | undefined;

export function testParser(): Promise<Parser> {
  const bytes = (path: string): Uint8Array =>
    new Uint8Array(readFileSync(new URL(`../../../node_modules/${path}`, import.meta.url)));
  parser ??= createParser(
    bytes('web-tree-sitter/web-tree-sitter.wasm'),
    bytes('tree-sitter-python/tree-sitter-python.wasm'),
  );
  return parser;
}
