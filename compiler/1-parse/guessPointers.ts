/** Which parameters of a kernel are pointers, by where their values go. */
import type { ModuleScope } from './moduleScope';
import {
  childExpressions,
  childStatements,
  ownExpressions,
  type Expression,
  type FunctionDef,
  type Statement,
} from './syntax';

type Call = Expression & { readonly kind: 'call' };

/** Parameters whose elements become pointers: `tl.load(table + i).to(tl.pointer_type(…))`. */
export function tableNames(kernel: FunctionDef): Set<string> {
  const found = new Set<string>();
  const loaded = new Map<string, string>();
  /** The name that a load starts from, if the expression is one, or names one. */
  const source = (node: Expression): string | undefined => {
    if (node.kind === 'name') return loaded.get(node.id);
    if (node.kind !== 'call' || calleeName(node) !== 'load') return undefined;
    let base = node.args[0];
    while (base?.kind === 'binary') base = base.left;
    return base?.kind === 'name' ? base.id : undefined;
  };
  const expression = (node: Expression): void => {
    childExpressions(node).forEach(expression);
    if (node.kind !== 'call' || calleeName(node) !== 'to') return;
    const [type] = node.args;
    if (type?.kind !== 'call' || calleeName(type) !== 'pointer_type') return;
    const name = node.callee.kind === 'attribute' ? source(node.callee.object) : undefined;
    if (name !== undefined) found.add(name);
  };
  const visit = (statement: Statement): void => {
    ownExpressions(statement).forEach(expression);
    if (statement.kind === 'assign' && statement.targets[0]?.kind === 'name') {
      const name = source(statement.value);
      if (name !== undefined) loaded.set(statement.targets[0].id, name);
    }
    childStatements(statement).forEach(visit);
  };
  kernel.body.forEach(visit);
  return found;
}

/**
 * The answers of `pointerNames`: a helper may be called twice by each of forty that call each
 * other.
 */
const known = new WeakMap<ModuleScope, Map<FunctionDef, ReadonlySet<string>>>();

/**
 * Parameters whose values reach the address of a load, store or atomic, in functions that it calls,
 * too. Each function is looked at once; of one that calls itself, the inner call adds nothing.
 */
export function pointerNames(kernel: FunctionDef, scope: ModuleScope): ReadonlySet<string> {
  let answers = known.get(scope);
  if (!answers) known.set(scope, (answers = new Map()));
  const answer = answers.get(kernel);
  if (answer) return answer;
  answers.set(kernel, new Set());
  const found = findPointerNames(kernel, scope);
  answers.set(kernel, found);
  return found;
}

function findPointerNames(kernel: FunctionDef, scope: ModuleScope): ReadonlySet<string> {
  const sources = new Map<string, Set<string>>();
  const addresses = new Set<string>();
  /** The names that an expression's address can start from: those that a sum is made of. */
  const roots = (node: Expression | undefined, out: Set<string>): void => {
    if (node?.kind === 'name') out.add(node.id);
    else if (node?.kind === 'binary' && (node.operator === '+' || node.operator === '-')) {
      // `base + offsets`: the base stands on the left, nearly always.
      roots(node.left, out);
    } else if (
      node?.kind === 'call' &&
      /^(multiple_of|max_contiguous|make_block_ptr|advance)$/.test(calleeName(node))
    )
      roots(node.args[0] ?? node.keywords.find((k) => k.name === 'base')?.value, out);
  };
  const expression = (node: Expression): void => {
    if (
      node.kind === 'call' &&
      /^(load|store|atomic_\w+|make_block_ptr|make_tensor_descriptor)$/.test(calleeName(node))
    )
      roots(
        node.args[0] ?? node.keywords.find((k) => /base|pointer/.test(k.name ?? ''))?.value,
        addresses,
      );
    if (node.kind === 'call' && node.callee.kind === 'name') inHelper(node, node.callee.id);
    childExpressions(node).forEach(expression);
  };
  const inHelper = (call: Call, name: string): void => {
    const value = scope.names.get(name);
    const helper = value?.kind === 'function' ? scope.functions.get(value.id) : undefined;
    if (!helper) return;
    const inside = pointerNames(helper, scope);
    helper.parameters.forEach((parameter, i) => {
      const keyword = call.keywords.find((each) => each.name === parameter.name);
      if (inside.has(parameter.name)) roots(call.args[i] ?? keyword?.value, addresses);
    });
  };
  const visit = (statement: Statement): void => {
    ownExpressions(statement).forEach(expression);
    if (statement.kind === 'assign' && statement.targets[0]?.kind === 'name') {
      const { id } = statement.targets[0];
      const set = sources.get(id) ?? new Set<string>();
      roots(statement.value, set);
      sources.set(id, set);
    }
    childStatements(statement).forEach(visit);
  };
  kernel.body.forEach(visit);
  const parameters = new Set(kernel.parameters.map((p) => p.name));
  const reached = new Set<string>();
  const follow = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    sources.get(name)?.forEach(follow);
  };
  addresses.forEach(follow);
  return new Set([...reached].filter((name) => parameters.has(name)));
}
function calleeName(node: Call): string {
  if (node.callee.kind === 'attribute') return node.callee.name;
  return node.callee.kind === 'name' ? node.callee.id : '';
}
