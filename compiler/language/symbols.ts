/**
 * Names of a file: where each is bound, in which scope, and where it is used, by Python's own rules
 * (functions and comprehensions have scopes, a class's is not seen from its methods). From the
 * syntax alone.
 */
import { ancestors, child, childrenOf, textOf, type TreeNode } from '../1-parse/tree';

export type SymbolKind = 'function' | 'class' | 'parameter' | 'variable' | 'import';

export interface Scope {
  readonly kind: 'module' | 'function' | 'class' | 'lambda' | 'comprehension';
  readonly node: TreeNode;
  readonly parent: Scope | null;
  readonly symbols: Map<string, FileSymbol>;
}

export interface FileSymbol {
  readonly name: string;
  kind: SymbolKind;
  readonly scope: Scope;
  /** The identifiers that bind it, in order; the first is its definition. */
  readonly bindings: TreeNode[];
  /** Every identifier that means it, those that bind included, in order. */
  readonly uses: TreeNode[];
  /** First value assigned to a variable; its whole right side. */
  value?: TreeNode;
  /** The function, class, or the function that it is a parameter of. */
  definition?: TreeNode;
  annotation?: TreeNode;
  /** `from module import name`; `import module` has no name. */
  imported?: {
    readonly module: string;
    readonly name: string | null;
    /** It has another name here. */
    readonly alias: boolean;
  };
}

export interface FileSymbols {
  readonly text: string;
  readonly root: TreeNode;
  readonly module: Scope;
  /** By the identifier's first index. */
  readonly byIndex: ReadonlyMap<number, FileSymbol>;
  /** The scope that a node opens. */
  readonly scopes: ReadonlyMap<TreeNode, Scope>;
}

const COMPREHENSIONS = new Set([
  'list_comprehension',
  'set_comprehension',
  'dictionary_comprehension',
  'generator_expression',
]);

const known = new WeakMap<TreeNode, FileSymbols>();

/** Kept with the tree. */
export function symbolsOf(root: TreeNode, text: string): FileSymbols {
  let found = known.get(root);
  if (!found) known.set(root, (found = new Reader(text).read(root)));
  return found;
}

/** The scope that names at this node are looked up in. */
export function scopeAt(file: FileSymbols, node: TreeNode): Scope {
  for (const each of ancestors(node)) {
    const scope = file.scopes.get(each);
    if (scope && inScope(each, node)) return scope;
  }
  return file.module;
}

/** Decorators, defaults and annotations of a function stand in the scope around it. */
function inScope(owner: TreeNode, node: TreeNode): boolean {
  if (owner.type !== 'function_definition' && owner.type !== 'lambda') return true;
  for (const each of ancestors(node)) {
    if (each.parent === owner) return each.field === 'body' || each.type === 'parameters';
    if (each === owner) return false;
  }
  return false;
}

/** Python's lookup. */
export function lookup(scope: Scope, name: string): FileSymbol | undefined {
  for (let at: Scope | null = scope, first = true; at; at = at.parent, first = false) {
    if (at.kind === 'class' && !first) continue;
    const found = at.symbols.get(name);
    if (found) return found;
  }
  return undefined;
}

/** Everything that can be named in a scope, innermost first. */
export function visibleSymbols(scope: Scope): FileSymbol[] {
  const found = new Map<string, FileSymbol>();
  for (let at: Scope | null = scope, first = true; at; at = at.parent, first = false) {
    if (at.kind === 'class' && !first) continue;
    for (const [name, symbol] of at.symbols) if (!found.has(name)) found.set(name, symbol);
  }
  return [...found.values()];
}

class Reader {
  private readonly scopes = new Map<TreeNode, Scope>();
  private readonly byIndex = new Map<number, FileSymbol>();
  private readonly uses: { readonly node: TreeNode; readonly scope: Scope }[] = [];

  constructor(private readonly text: string) {}

  read(root: TreeNode): FileSymbols {
    const module = this.open('module', root, null);
    this.each(root.children, module);
    for (const { node, scope } of this.uses) {
      if (this.byIndex.has(node.from)) continue;
      const symbol = lookup(scope, textOf(node, this.text));
      if (!symbol) continue;
      symbol.uses.push(node);
      this.byIndex.set(node.from, symbol);
    }
    for (const scope of this.scopes.values())
      for (const symbol of scope.symbols.values()) symbol.uses.sort((a, b) => a.from - b.from);
    return { text: this.text, root, module, byIndex: this.byIndex, scopes: this.scopes };
  }

  private open(kind: Scope['kind'], node: TreeNode, parent: Scope | null): Scope {
    const scope: Scope = { kind, node, parent, symbols: new Map() };
    this.scopes.set(node, scope);
    return scope;
  }

  private bind(node: TreeNode, kind: SymbolKind, scope: Scope): FileSymbol {
    const name = textOf(node, this.text);
    let symbol = scope.symbols.get(name);
    if (!symbol) {
      symbol = { name, kind, scope, bindings: [], uses: [] };
      scope.symbols.set(name, symbol);
    }
    symbol.bindings.push(node);
    symbol.uses.push(node);
    this.byIndex.set(node.from, symbol);
    return symbol;
  }

  private each(nodes: readonly TreeNode[], scope: Scope): void {
    for (const node of nodes) this.visit(node, scope);
  }

  private visit(node: TreeNode, scope: Scope): void {
    switch (node.type) {
      case 'identifier':
        if (isUse(node)) this.uses.push({ node, scope });
        return;
      case 'function_definition':
        return this.functionDefinition(node, scope);
      case 'class_definition':
        return this.classDefinition(node, scope);
      case 'lambda':
        return this.lambda(node, scope);
      case 'import_statement':
      case 'import_from_statement':
        return this.importStatement(node, scope);
      case 'assignment':
        return this.assignment(node, scope);
      case 'augmented_assignment':
        return this.rightBeforeLeft(node, scope);
      case 'for_statement':
        this.rightBeforeLeft(node, scope);
        this.each(
          node.children.filter(({ field }) => field !== 'left' && field !== 'right'),
          scope,
        );
        return;
      case 'named_expression':
        return this.walrus(node, scope);
      case 'as_pattern_target':
        for (const each of node.children) this.target(each, scope);
        return;
      case 'global_statement':
      case 'nonlocal_statement':
        return this.outerNames(node, scope);
      default:
        if (COMPREHENSIONS.has(node.type)) this.comprehension(node, scope);
        else this.each(node.children, scope);
    }
  }

  private declare(name: string, scope: Scope): FileSymbol {
    const symbol: FileSymbol = { name, kind: 'variable', scope, bindings: [], uses: [] };
    scope.symbols.set(name, symbol);
    return symbol;
  }

  private functionDefinition(node: TreeNode, scope: Scope): void {
    const name = child(node, 'name');
    if (name) this.bind(name, 'function', scope).definition ??= node;
    this.each(childrenOf(node, 'return_type'), scope);
    const inner = this.open('function', node, scope);
    this.parameters(child(node, 'parameters'), node, scope, inner);
    this.each(childrenOf(node, 'body'), inner);
  }

  private classDefinition(node: TreeNode, scope: Scope): void {
    const name = child(node, 'name');
    if (name) this.bind(name, 'class', scope).definition ??= node;
    this.each(
      node.children.filter((each) => each !== name && each.field !== 'body'),
      scope,
    );
    this.each(childrenOf(node, 'body'), this.open('class', node, scope));
  }

  private lambda(node: TreeNode, scope: Scope): void {
    const inner = this.open('lambda', node, scope);
    this.parameters(child(node, 'parameters'), node, scope, inner);
    this.each(childrenOf(node, 'body'), inner);
  }

  private parameters(
    list: TreeNode | undefined,
    definition: TreeNode,
    outer: Scope,
    inner: Scope,
  ): void {
    for (const parameter of list?.children ?? []) {
      const name = parameterName(parameter);
      if (!name) continue;
      const symbol = this.bind(name, 'parameter', inner);
      symbol.definition = definition;
      const annotation = child(parameter, 'type');
      if (annotation) symbol.annotation = annotation;
      const value = child(parameter, 'value');
      for (const each of [annotation, value]) if (each) this.visit(each, outer);
    }
  }

  private comprehension(node: TreeNode, scope: Scope): void {
    const inner = this.open('comprehension', node, scope);
    const clauses = node.children.filter(({ type }) => type === 'for_in_clause');
    clauses.forEach((clause, i) => {
      // The first iterable is read outside.
      this.each(childrenOf(clause, 'right'), i === 0 ? scope : inner);
      for (const left of childrenOf(clause, 'left')) this.target(left, inner);
    });
    this.each(
      node.children.filter((each) => !clauses.includes(each)),
      inner,
    );
  }

  private assignment(node: TreeNode, scope: Scope): void {
    const [left, right] = [child(node, 'left'), child(node, 'right')];
    if (right) this.visit(right, scope);
    const annotation = child(node, 'type');
    if (annotation) this.visit(annotation, scope);
    if (left) this.target(left, scope, right, annotation);
  }

  /** `left += right` and `for left in right`. */
  private rightBeforeLeft(node: TreeNode, scope: Scope): void {
    const left = child(node, 'left');
    this.each(childrenOf(node, 'right'), scope);
    if (left) this.target(left, scope);
  }

  /** A walrus in a comprehension binds outside of it. */
  private walrus(node: TreeNode, scope: Scope): void {
    let outer = scope;
    while (outer.kind === 'comprehension' && outer.parent) outer = outer.parent;
    const [name, value] = [child(node, 'name'), child(node, 'value')];
    if (value) this.visit(value, scope);
    if (name) this.target(name, outer, value);
  }

  /** `global` and `nonlocal`: the function's own table points to the outer name. */
  private outerNames(node: TreeNode, scope: Scope): void {
    const from = node.type === 'global_statement' ? root(scope) : scope.parent;
    for (const each of node.children.filter(({ type }) => type === 'identifier')) {
      const name = textOf(each, this.text);
      let outer = from && lookup(from, name);
      if (!outer && from) outer = this.declare(name, from);
      if (outer) scope.symbols.set(name, outer);
      this.uses.push({ node: each, scope });
    }
  }

  /** The left side of `=`: names are bound, the rest is read. */
  private target(node: TreeNode, scope: Scope, value?: TreeNode, annotation?: TreeNode): void {
    switch (node.type) {
      case 'identifier': {
        const symbol = this.bind(node, 'variable', scope);
        if (value && !symbol.value) symbol.value = value;
        if (annotation) symbol.annotation ??= annotation;
        return;
      }
      case 'pattern_list':
      case 'tuple_pattern':
      case 'list_pattern':
      case 'list_splat_pattern':
      case 'parenthesized_expression':
      case 'expression_list':
      case 'tuple':
        for (const each of node.children) if (each.named) this.target(each, scope);
        return;
      default:
        this.visit(node, scope);
    }
  }

  private importStatement(node: TreeNode, scope: Scope): void {
    const from = child(node, 'module_name');
    const source = from ? textOf(from, this.text) : null;
    for (const item of childrenOf(node, 'name')) {
      const aliased = item.type === 'aliased_import';
      const path = aliased ? child(item, 'name') : item;
      const alias = aliased ? child(item, 'alias') : undefined;
      if (!path) continue;
      const dotted = textOf(path, this.text);
      const identifiers = path.children.filter(({ type }) => type === 'identifier');
      const bound = alias ?? identifiers[0];
      if (!bound) continue;
      const symbol = this.bind(bound, 'import', scope);
      // `import a.b` binds a, `import a.b as c` binds c to a.b.
      const module = source ?? (alias ? dotted : textOf(bound, this.text));
      symbol.imported = { module, name: source === null ? null : dotted, alias: !!alias };
    }
  }
}

const root = (scope: Scope): Scope => {
  let at = scope;
  while (at.parent) at = at.parent;
  return at;
};

function parameterName(parameter: TreeNode): TreeNode | undefined {
  switch (parameter.type) {
    case 'identifier':
      return parameter;
    case 'typed_parameter':
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern': {
      const inner = parameter.children.find(({ named }) => named);
      return inner && inner !== parameter ? parameterName(inner) : undefined;
    }
    case 'default_parameter':
    case 'typed_default_parameter': {
      const name = child(parameter, 'name');
      return name && parameterName(name);
    }
    default:
      return undefined;
  }
}

/** Not a member's name, nor a keyword's, nor part of an import. */
function isUse(node: TreeNode): boolean {
  const { parent, field } = node;
  if (!parent) return true;
  if (parent.type === 'attribute' && field === 'attribute') return false;
  if (parent.type === 'keyword_argument' && field === 'name') return false;
  return true;
}
