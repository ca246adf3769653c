/**
 * Names across the files of a program: what an identifier means, wherever it is bound; who else
 * means it; renaming. A parameter of a kernel is also meant by the keywords of its launches, and by
 * the strings of its autotune configurations, heuristics and grids.
 */
import type { Parser } from '../1-parse/parser';
import {
  ancestors,
  child,
  comparePositions,
  nodeAt,
  textOf,
  indexAt,
  type Position,
  type TreeNode,
} from '../1-parse/tree';
import { KEYWORDS } from './lexical';
import { lookup, scopeAt, symbolsOf, type FileSymbol, type FileSymbols } from './symbols';

export type Files = Readonly<Record<string, string>>;

export interface Place {
  readonly file: string;
  readonly start: Position;
  /** Exclusive. */
  readonly end: Position;
}

/** A name of the program. */
export interface Target {
  readonly file: string;
  readonly symbol: FileSymbol;
}

export class Project {
  constructor(
    readonly files: Files,
    private readonly parser: Parser,
  ) {}

  symbols(file: string): FileSymbols {
    const text = this.files[file] ?? '';
    return symbolsOf(this.parser.tree(text), text);
  }
  get pythonFiles(): string[] {
    return Object.keys(this.files).filter((name) => name.endsWith('.py'));
  }
  node(file: string, position: Position): TreeNode {
    const { root, text } = this.symbols(file);
    return nodeAt(root, indexAt(text, position));
  }
  /** The file that `import module` of `file` reads, if it is one of the program's. */
  moduleFile(file: string, module: string): string | undefined {
    const dots = /^\.*/.exec(module)![0].length;
    const folder = dots > 0 ? file.split('/').slice(0, -dots) : [];
    const path = [...folder, ...module.slice(dots).split('.')].filter((part) => part !== '');
    const base = path.join('/');
    return [`${base}.py`, base === '' ? '__init__.py' : `${base}/__init__.py`].find((name) =>
      Object.hasOwn(this.files, name),
    );
  }
}

/** Meaning of an import in the program's own files; the import itself where it leads elsewhere. */
export function follow(project: Project, target: Target, aliases = true, depth = 0): Target {
  const { imported } = target.symbol;
  if (!imported || imported.name === null || depth > 20) return target;
  if (imported.alias && !aliases) return target;
  const file = project.moduleFile(target.file, imported.module);
  const symbol = file && project.symbols(file).module.symbols.get(imported.name);
  return file && symbol ? follow(project, { file, symbol }, aliases, depth + 1) : target;
}

/** The program's file that a symbol stands for: `import helpers`, `from package import helpers`. */
function moduleOf(project: Project, { file, symbol }: Target): string | undefined {
  const { imported } = symbol;
  if (!imported) return undefined;
  const path = imported.name === null ? imported.module : `${imported.module}.${imported.name}`;
  return project.moduleFile(file, path.replace(/^(\.+)\./, '$1'));
}

/** Meaning of a node; `aliases`: an alias means what it stands for. */
export function targetAt(
  project: Project,
  file: string,
  node: TreeNode,
  aliases = true,
): Target | undefined {
  const symbols = project.symbols(file);
  if (node.type === 'string_content' || node.type === 'string')
    return parameterOfString(project, file, node);
  if (node.type !== 'identifier') return undefined;
  const { parent } = node;
  if (parent?.type === 'attribute' && node.field === 'attribute') {
    const object = child(parent, 'object');
    const owner = object && targetAt(project, file, object);
    const module = owner && moduleOf(project, owner);
    const symbol = module && project.symbols(module).module.symbols.get(textOf(node, symbols.text));
    return module && symbol ? follow(project, { file: module, symbol }) : undefined;
  }
  if (parent?.type === 'keyword_argument' && node.field === 'name') {
    const call = [...ancestors(parent)].find(({ type }) => type === 'call');
    const callee = call && calledFunction(project, file, call);
    return callee && parameterOf(project, callee, textOf(node, symbols.text));
  }
  const symbol =
    symbols.byIndex.get(node.from) ?? lookup(scopeAt(symbols, node), textOf(node, symbols.text));
  if (symbol) return follow(project, { file, symbol }, aliases);
  return importedPath(project, file, node);
}

/** The `f` of `from helpers import f as g`. */
function importedPath(project: Project, file: string, node: TreeNode): Target | undefined {
  const { text } = project.symbols(file);
  const statement = [...ancestors(node)].find(({ type }) => type === 'import_from_statement');
  const source = statement && child(statement, 'module_name');
  if (!source || node.parent?.field !== 'name') return undefined;
  const module = project.moduleFile(file, textOf(source, text));
  const symbol = module && project.symbols(module).module.symbols.get(textOf(node, text));
  return module && symbol ? follow(project, { file: module, symbol }) : undefined;
}

/** The program's function that a call or launch calls: `f(…)`, `f[grid](…)`, `module.f(…)`. */
export function calledFunction(project: Project, file: string, call: TreeNode): Target | undefined {
  let callee = child(call, 'function');
  while (callee && (callee.type === 'subscript' || callee.type === 'parenthesized_expression'))
    callee = child(callee, 'value') ?? callee.children.find(({ named }) => named);
  const name = callee?.type === 'attribute' ? child(callee, 'attribute') : callee;
  const target = name && targetAt(project, file, name);
  if (target?.symbol.definition && target.symbol.kind !== 'parameter') return target;
  // `kernel.warmup(…)`, `kernel.run(…)`: their keywords are the kernel's.
  if (callee?.type !== 'attribute') return undefined;
  const object = child(callee, 'object');
  const owner = object?.type === 'identifier' ? targetAt(project, file, object) : undefined;
  return owner?.symbol.kind === 'function' ? owner : undefined;
}

export function parameterOf(project: Project, callee: Target, name: string): Target | undefined {
  const { definition } = callee.symbol;
  const scope = definition && project.symbols(callee.file).scopes.get(definition);
  const symbol = scope?.symbols.get(name);
  return symbol?.kind === 'parameter' ? { file: callee.file, symbol } : undefined;
}

interface Region {
  readonly file: string;
  readonly node: TreeNode;
}

/**
 * Places where strings name the parameters of a function: decorators, and what they and the grids
 * refer to.
 */
function regionsOf(project: Project, callee: Target): Region[] {
  const found: Region[] = [];
  const add = (file: string, node: TreeNode, depth: number): void => {
    if (found.some((each) => each.node === node)) return;
    found.push({ file, node });
    if (depth > 2) return;
    for (const each of identifiersIn(node)) {
      const target = targetAt(project, file, each);
      if (!target || target.symbol.scope.kind !== 'module') continue;
      const inner = target.symbol.value ?? target.symbol.definition;
      // A kernel among the helpers has parameters of its own.
      if (inner && !isJitted(project, target)) add(target.file, inner, depth + 1);
    }
  };
  const { definition } = callee.symbol;
  for (const each of definition ? decoratorsOf(definition) : []) add(callee.file, each, 0);
  for (const file of project.pythonFiles) {
    for (const node of nodesOf(project.symbols(file).root, 'subscript')) {
      const value = child(node, 'value');
      if (node.parent?.type !== 'call' || node.field !== 'function' || !value) continue;
      const name = value.type === 'attribute' ? child(value, 'attribute') : value;
      if (!name || targetAt(project, file, name)?.symbol !== callee.symbol) continue;
      const index = child(node, 'subscript');
      if (index?.type === 'lambda') add(file, index, 3);
      const grid = index?.type === 'identifier' ? targetAt(project, file, index) : undefined;
      const inner = grid && (grid.symbol.value ?? grid.symbol.definition);
      if (grid && (inner?.type === 'lambda' || inner?.type === 'function_definition'))
        add(grid.file, inner, 3);
    }
  }
  return found;
}

export function decoratorsOf(definition: TreeNode): TreeNode[] {
  const { parent } = definition;
  return parent?.type === 'decorated_definition'
    ? parent.children.filter(({ type }) => type === 'decorator')
    : [];
}
/** Whether a function is compiled by Triton. */
export function isKernel(project: Project, file: string, definition: TreeNode): boolean {
  const { text } = project.symbols(file);
  return decoratorsOf(definition).some((each) => /\bjit\b/.test(textOf(each, text)));
}
export function isJitted(project: Project, { file, symbol }: Target): boolean {
  return symbol.kind === 'function' && isKernel(project, file, symbol.definition!);
}

/** A string that can name a parameter: a dictionary's key, a list's item, a subscript. */
function namesParameter(node: TreeNode): boolean {
  const { parent, field } = node;
  return (
    (parent?.type === 'pair' && field === 'key') ||
    parent?.type === 'list' ||
    (parent?.type === 'subscript' && field === 'subscript')
  );
}
function contentOf(node: TreeNode): TreeNode | undefined {
  const parts = node.children.filter(({ type }) => type === 'string_content');
  return parts.length === 1 ? parts[0] : undefined;
}

function parameterOfString(project: Project, file: string, node: TreeNode): Target | undefined {
  const string = node.type === 'string' ? node : node.parent;
  const content = string && contentOf(string);
  if (!string || !content || !namesParameter(string)) return undefined;
  const name = textOf(content, project.symbols(file).text);
  for (const each of project.pythonFiles)
    for (const symbol of functionsOf(project.symbols(each))) {
      const callee = { file: each, symbol };
      const parameter = parameterOf(project, callee, name);
      if (!parameter || !isJitted(project, callee)) continue;
      const within = regionsOf(project, callee).some(
        (region) =>
          region.file === file && region.node.from <= node.from && node.to <= region.node.to,
      );
      if (within) return parameter;
    }
  return undefined;
}

function functionsOf(file: FileSymbols): FileSymbol[] {
  return [...file.scopes.values()].flatMap((scope) =>
    [...scope.symbols.values()].filter((each) => each.kind === 'function' && each.definition),
  );
}

export function* nodesOf(root: TreeNode, type: string): Generator<TreeNode> {
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === type) yield node;
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i]!);
  }
}
function identifiersIn(node: TreeNode): TreeNode[] {
  return [...nodesOf(node, 'identifier')];
}

export const placeOf = (file: string, { start, end }: TreeNode): Place => ({ file, start, end });

/** Everywhere that means the target, in order; each once. */
function occurrences(project: Project, target: Target): Place[] {
  const found = new Map<string, Place>();
  const add = (file: string, node: TreeNode): void => {
    const place = placeOf(file, node);
    found.set(`${file} ${node.from}`, place);
  };
  for (const use of target.symbol.uses) add(target.file, use);
  const { name, kind } = target.symbol;
  for (const file of project.pythonFiles) {
    const { text, root } = project.symbols(file);
    if (!text.includes(name)) continue;
    for (const node of nodesOf(root, 'identifier'))
      if (
        textOf(node, text) === name &&
        targetAt(project, file, node, false)?.symbol === target.symbol
      )
        add(file, node);
  }
  if (kind === 'parameter') for (const each of strings(project, target)) add(each.file, each.node);
  return [...found.values()].sort(
    (a, b) => a.file.localeCompare(b.file) || comparePositions(a.start, b.start),
  );
}

/** The strings that name a parameter of a kernel. */
function strings(project: Project, { file, symbol }: Target): Region[] {
  const owner = ownerOf(project, file, symbol);
  if (!owner || !isJitted(project, owner)) return [];
  return regionsOf(project, owner).flatMap((region) => {
    const { text } = project.symbols(region.file);
    return [...nodesOf(region.node, 'string')].flatMap((node) => {
      const content = contentOf(node);
      const same = content && textOf(content, text) === symbol.name && namesParameter(node);
      return same ? [{ file: region.file, node: content }] : [];
    });
  });
}
function ownerOf(project: Project, file: string, parameter: FileSymbol): Target | undefined {
  const symbol = functionsOf(project.symbols(file)).find(
    (each) => each.definition === parameter.definition,
  );
  return symbol && { file, symbol };
}

/** Place where the name at a position is bound: the first binding. */
export function definitionAt(
  project: Project,
  file: string,
  position: Position,
): Place | undefined {
  const node = project.node(file, position);
  const target = targetAt(project, file, node);
  const module = (target && moduleOf(project, target)) ?? moduleNamed(project, file, node);
  const start = { line: 1, column: 1 };
  if (module !== undefined) return { file: module, start, end: start };
  const bound = target?.symbol.bindings[0];
  return target && bound && placeOf(target.file, bound);
}

/** The file of the module in `from helpers import …`, with the cursor on `helpers`. */
function moduleNamed(project: Project, file: string, node: TreeNode): string | undefined {
  for (const each of ancestors(node))
    if (each.field === 'module_name' || each.parent?.type === 'import_statement')
      return project.moduleFile(file, textOf(each, project.symbols(file).text).split(' ')[0]!);
  return undefined;
}

export function referencesAt(project: Project, file: string, position: Position): Place[] {
  const target = targetAt(project, file, project.node(file, position), false);
  return target ? occurrences(project, target) : [];
}

export type Renaming = { readonly places: readonly Place[] } | { readonly problem: string };

/** Whether the name at a position can be renamed; its place. */
export function renameAt(
  project: Project,
  file: string,
  position: Position,
): Place | { readonly problem: string } {
  const node = project.node(file, position);
  const target = targetAt(project, file, node, false);
  if (!target) return { problem: 'Only names of the program can be renamed.' };
  if (target.symbol.imported && !target.symbol.imported.alias)
    return {
      problem: `${target.symbol.name} is not of this program: import it \`as\` another name.`,
    };
  const string = node.type === 'string' ? contentOf(node) : node;
  return placeOf(file, string ?? node);
}

/** Every place to write `name` to; or why that would change what the program means. */
export function rename(project: Project, file: string, position: Position, name: string): Renaming {
  const can = renameAt(project, file, position);
  if ('problem' in can) return can;
  const target = targetAt(project, file, project.node(file, position), false)!;
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) || KEYWORDS.includes(name))
    return { problem: `${name || 'Nothing'} is not a name in Python.` };
  const places = occurrences(project, target);
  if (name === target.symbol.name) return { places };
  for (const place of places) {
    const symbols = project.symbols(place.file);
    const node = project.node(place.file, place.start);
    const taken = lookup(scopeAt(symbols, node), name) ?? target.symbol.scope.symbols.get(name);
    if (taken && node.type === 'identifier' && !isKeyword(node))
      return {
        problem: `${name} has a meaning in ${place.file}, line ${place.start.line}, already.`,
      };
  }
  const shared = sharedStrings(project, target);
  if (shared) return { problem: shared };
  return { places };
}
const isKeyword = (node: TreeNode): boolean => node.parent?.type === 'keyword_argument';

/** Configurations that two kernels share name the parameters of both. */
function sharedStrings(project: Project, target: Target): string | undefined {
  const mine = strings(project, target).map(({ node }) => node);
  if (mine.length === 0) return undefined;
  for (const file of project.pythonFiles)
    for (const symbol of functionsOf(project.symbols(file))) {
      if (symbol.definition === target.symbol.definition) continue;
      const other = parameterOf(project, { file, symbol }, target.symbol.name);
      if (!other || !isJitted(project, { file, symbol })) continue;
      if (strings(project, other).some(({ node }) => mine.includes(node)))
        return `${symbol.name} shares configurations or a grid that name ${target.symbol.name}.`;
    }
  return undefined;
}
