/** The parser in a worker: its WebAssembly is served with the page. */
import treeSitterWasm from 'web-tree-sitter/web-tree-sitter.wasm?url';
import pythonWasm from 'tree-sitter-python/tree-sitter-python.wasm?url';
import { createParser, type Parser } from '../../compiler/1-parse/parser';

export function browserParser(): Promise<Parser> {
  return createParser(
    new URL(treeSitterWasm, import.meta.url).href,
    new URL(pythonWasm, import.meta.url).href,
  );
}
