/**
 * Python text → syntax tree, through tree-sitter. The WebAssembly of tree-sitter and of its Python
 * grammar is handed in, so that this file needs neither a browser nor a file system. A parse is
 * cached by its text: a launch reads the same file many times.
 */
import { Language, Parser as TreeSitter } from 'web-tree-sitter';
import { convertModule } from './convert';
import type { Module } from './syntax';
import { convertTree, type TreeNode } from './tree';

/** Turns text into a syntax tree; never throws, a half-typed file gives diagnostics. */
export interface Parser {
  parse(file: string, text: string): Module;
  /** The whole syntax, for the editor's language features. */
  tree(text: string): TreeNode;
}

/** Bytes, or an address that `fetch` (in Node: the file system) understands. */
export type WasmSource = Uint8Array | string | URL;

/** How many files' trees are kept. */
const CACHE_SIZE = 64;

/** Whole trees are several times as large, and requested where somebody types. */
const TREES = 12;

let initialized: Promise<void> | undefined;

/** Loads tree-sitter and the Python grammar. */
export async function createParser(
  treeSitterWasm: WasmSource,
  pythonWasm: WasmSource,
): Promise<Parser> {
  initialized ??= TreeSitter.init(
    treeSitterWasm instanceof Uint8Array
      ? // A copy in a plain ArrayBuffer, which is what Emscripten's types ask for.
        { wasmBinary: new Uint8Array(treeSitterWasm).buffer }
      : { locateFile: () => String(treeSitterWasm) },
  );
  await initialized;
  const language = await Language.load(pythonWasm);
  const parser = new TreeSitter();
  parser.setLanguage(language);
  const cache = new Map<string, { text: string; module: Module }>();
  const trees = new Map<string, TreeNode>();
  return {
    tree(text) {
      const known = trees.get(text);
      if (known) return known;
      const tree = parser.parse(text);
      if (!tree) throw new Error('tree-sitter gave no tree');
      const root = convertTree(tree.rootNode);
      tree.delete();
      trees.set(text, root);
      if (trees.size > TREES) trees.delete(trees.keys().next().value ?? '');
      return root;
    },
    parse(file, text) {
      const known = cache.get(file);
      if (known?.text === text) return known.module;
      const tree = parser.parse(text);
      if (!tree) throw new Error('tree-sitter gave no tree');
      const module = convertModule(file, tree.rootNode);
      tree.delete();
      cache.delete(file);
      cache.set(file, { text, module });
      if (cache.size > CACHE_SIZE) cache.delete(cache.keys().next().value ?? '');
      return module;
    },
  };
}
