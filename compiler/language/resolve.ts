/**
 * Meaning of an expression, as far as the text shows: the path of a module, class or function of
 * the packages, or the class whose methods it has. For completion, signatures and hovers; never for
 * compiling.
 */
import { child, textOf, ancestors, type TreeNode } from '../1-parse/tree';
import { HOST_TENSOR, lookUp, TILE, type Api } from './api';
import { follow, isKernel, type Project, targetAt, type Target } from './project';
import { lookup, scopeAt } from './symbols';

export type Meaning =
  /** Something in the packages: 'torch.nn', 'triton.language.load'. */
  | { readonly kind: 'path'; readonly path: string }
  /** An instance of a class of the packages. */
  | { readonly kind: 'instance'; readonly path: string }
  /** A file of the program. */
  | { readonly kind: 'module'; readonly file: string }
  /** A function, class, or variable of the program. */
  | { readonly kind: 'symbol'; readonly target: Target };

const MAX_DEPTH = 12;

export class Resolver {
  constructor(
    readonly project: Project,
    readonly api: Api,
  ) {}

  /** The meaning of an expression in a file. */
  meaning(file: string, node: TreeNode, depth = 0): Meaning | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const { text } = this.project.symbols(file);
    switch (node.type) {
      case 'identifier':
        return this.name(file, node, depth);
      case 'attribute': {
        const [object, attribute] = [child(node, 'object'), child(node, 'attribute')];
        if (!object || !attribute) return undefined;
        const target = targetAt(this.project, file, attribute);
        if (target) return this.symbol(target, depth + 1);
        const owner = this.meaning(file, object, depth + 1);
        return owner && this.member(owner, textOf(attribute, text));
      }
      case 'call': {
        const callee = child(node, 'function');
        const meaning = callee && this.meaning(file, callee, depth + 1);
        return meaning && this.result(meaning, depth);
      }
      case 'parenthesized_expression': {
        const inner = node.children.find(({ named }) => named);
        return inner && this.meaning(file, inner, depth + 1);
      }
      case 'binary_operator':
      case 'unary_operator':
      case 'comparison_operator': {
        // A tensor and anything is a tensor.
        for (const each of node.children.filter(({ named }) => named)) {
          const meaning = this.meaning(file, each, depth + 1);
          if (meaning?.kind === 'instance' && isTensor(meaning.path)) return meaning;
        }
        return undefined;
      }
      case 'subscript': {
        const value = child(node, 'value');
        const meaning = value && this.meaning(file, value, depth + 1);
        return meaning?.kind === 'instance' && isTensor(meaning.path) ? meaning : undefined;
      }
      case 'string':
        return { kind: 'instance', path: 'builtins.str' };
      case 'list':
      case 'list_comprehension':
        return { kind: 'instance', path: 'builtins.list' };
      case 'dictionary':
      case 'dictionary_comprehension':
        return { kind: 'instance', path: 'builtins.dict' };
      case 'tuple':
        return { kind: 'instance', path: 'builtins.tuple' };
      default:
        return undefined;
    }
  }

  member(owner: Meaning, name: string): Meaning | undefined {
    if (owner.kind === 'module') {
      const symbol = this.project.symbols(owner.file).module.symbols.get(name);
      return symbol && this.symbol(follow(this.project, { file: owner.file, symbol }), 0);
    }
    if (owner.kind === 'symbol') return undefined;
    const found = lookUp(this.api, `${owner.path}.${name}`);
    if (!found) return undefined;
    if (owner.kind === 'instance' && found.entry.kind === 'property')
      return ['T', 'mT', 'grad', 'data', 'real', 'imag'].includes(name)
        ? { kind: 'instance', path: owner.path }
        : { kind: 'path', path: found.path };
    return { kind: 'path', path: found.path };
  }

  private name(file: string, node: TreeNode, depth: number): Meaning | undefined {
    const symbols = this.project.symbols(file);
    const symbol =
      symbols.byIndex.get(node.from) ?? lookup(scopeAt(symbols, node), textOf(node, symbols.text));
    if (!symbol) return undefined;
    return this.symbol(follow(this.project, { file, symbol }), depth + 1);
  }

  private symbol(target: Target, depth: number): Meaning | undefined {
    const { file, symbol } = target;
    const { imported } = symbol;
    if (imported) {
      const path = imported.name === null ? imported.module : `${imported.module}.${imported.name}`;
      const own = this.project.moduleFile(file, path);
      if (own) return { kind: 'module', file: own };
      const found = lookUp(this.api, path);
      return found && { kind: 'path', path: found.path };
    }
    if (symbol.kind === 'parameter') return this.parameter(target);
    if (symbol.kind === 'variable' && symbol.value && depth < MAX_DEPTH) {
      const meaning = this.meaning(file, symbol.value, depth + 1);
      if (meaning) return meaning;
    }
    return { kind: 'symbol', target };
  }

  private parameter({ file, symbol }: Target): Meaning | undefined {
    const { text } = this.project.symbols(file);
    const { definition, annotation } = symbol;
    if (annotation) {
      const inner = annotation.children.find(({ named }) => named) ?? annotation;
      const meaning = this.meaning(file, inner);
      if (meaning?.kind === 'path' && meaning.path.endsWith('constexpr'))
        return { kind: 'symbol', target: { file, symbol } };
      if (meaning?.kind === 'path' && lookUp(this.api, meaning.path)?.entry.kind === 'class')
        return { kind: 'instance', path: meaning.path };
    }
    if (definition && isKernel(this.project, file, definition))
      return { kind: 'instance', path: TILE };
    // In host code an unannotated parameter is, nearly always, a tensor; `self` is not.
    if (
      symbol.name === 'self' ||
      annotation ||
      definition?.type === 'lambda' ||
      !/torch/.test(text)
    )
      return { kind: 'symbol', target: { file, symbol } };
    return { kind: 'instance', path: HOST_TENSOR };
  }

  /** The result of a call. */
  private result(callee: Meaning, depth: number): Meaning | undefined {
    if (callee.kind === 'symbol') return this.returned(callee.target, depth);
    if (callee.kind !== 'path') return undefined;
    const found = lookUp(this.api, callee.path);
    if (!found) return undefined;
    if (found.entry.kind === 'class') return { kind: 'instance', path: found.path };
    const { path } = found;
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (path.startsWith('triton.language.')) return { kind: 'instance', path: TILE };
    if (NO_TENSOR.test(name)) return undefined;
    if (/^torch(\.Tensor|\.nn\.functional|\.special|\.linalg)?\.\w+$/.test(path))
      return { kind: 'instance', path: HOST_TENSOR };
    if (/^numpy\.\w+$/.test(path)) return { kind: 'instance', path: 'numpy.ndarray' };
    return undefined;
  }

  /** A function of the program gives what its first `return` with a value says. */
  private returned({ file, symbol }: Target, depth: number): Meaning | undefined {
    const { definition } = symbol;
    const body = definition && child(definition, 'body');
    if (!body || definition.type !== 'function_definition') return undefined;
    const stack = [...body.children];
    for (let node = stack.shift(); node; node = stack.shift()) {
      if (node.type === 'return_statement') {
        const value = node.children.find(({ named }) => named);
        const meaning = value && this.meaning(file, value, depth + 2);
        if (meaning) return meaning;
      }
      if (node.type !== 'function_definition' && node.type !== 'class_definition')
        stack.unshift(...node.children);
    }
    return undefined;
  }
}

/** Functions and methods of tensors that give something else. */
const NO_TENSOR =
  /^(is_|allclose$|equal$|manual_seed|item$|tolist$|numpy$|size$|dim$|numel$|stride$|data_ptr$|element_size$|set_|get_|save$|load$|compile$|backward$|storage|ndimension$|nelement$)/;

const isTensor = (path: string): boolean =>
  path === TILE || path === HOST_TENSOR || path === 'numpy.ndarray';

/** The kernel or helper that a node stands in. */
export function kernelAround(project: Project, file: string, node: TreeNode): TreeNode | undefined {
  for (const each of ancestors(node))
    if (each.type === 'function_definition' && isKernel(project, file, each)) return each;
  return undefined;
}

/** `(x, n=3)` and the first paragraph of the docstring of a function of the program. */
export function describeFunction(
  project: Project,
  { file, symbol }: Target,
): { readonly signature: string; readonly doc: string } | undefined {
  const { definition } = symbol;
  if (!definition || symbol.kind === 'parameter') return undefined;
  const { text } = project.symbols(file);
  const owner =
    definition.type === 'class_definition' ? constructorOf(project, file, definition) : definition;
  const list = owner && child(owner, 'parameters');
  const raw = list ? textOf(list, text).replace(/\s+/g, ' ') : '()';
  const signature =
    definition.type === 'class_definition' ? raw.replace(/^\(self(?:, )?/, '(') : raw;
  return { signature: signature.replace(/,\s*\)$/, ')'), doc: docstring(definition, text) };
}
function constructorOf(project: Project, file: string, node: TreeNode): TreeNode | undefined {
  const scope = project.symbols(file).scopes.get(node);
  return scope?.symbols.get('__init__')?.definition;
}
export function docstring(definition: TreeNode, text: string): string {
  const first = child(definition, 'body')?.children[0];
  const string = first?.type === 'expression_statement' ? first.children[0] : undefined;
  if (string?.type !== 'string') return '';
  const content = textOf(string, text).replace(/^\w*("""|'''|"|')|("""|'''|"|')$/g, '');
  const [head = '', ...rest] = content.split('\n');
  const margin = Math.min(
    ...rest
      .filter((line) => line.trim() !== '')
      .map((line) => line.length - line.trimStart().length),
    80,
  );
  return [head.trim(), ...rest.map((line) => line.slice(margin))].join('\n').trim();
}
