/** The parser in Node: its WebAssembly comes from the installed packages. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createParser, type Parser } from '../../compiler/1-parse/parser';

export function nodeParser(root: string): Promise<Parser> {
  const require = createRequire(join(root, 'package.json'));
  const bytes = (name: string): Uint8Array => new Uint8Array(readFileSync(require.resolve(name)));
  return createParser(
    bytes('web-tree-sitter/web-tree-sitter.wasm'),
    bytes('tree-sitter-python/tree-sitter-python.wasm'),
  );
}
