/** The launches of a kernel in a text, and what names mean where they stand. */
import type { StaticValue } from '../program';
import { staticValue } from './moduleScope';
import {
  childExpressions,
  childStatements,
  ownExpressions,
  type Expression,
  type FunctionDef,
  type Module,
  type Statement,
} from './syntax';

type Call = Expression & { readonly kind: 'call' };

export interface Launch {
  readonly call: Call;
  /** Meanings of names at a position. */
  readonly locals: ReadonlyMap<string, StaticValue>;
}

/** A call `name[grid](…)`, and the functions around it, the outermost first. */
interface Site {
  readonly call: Call;
  readonly inside: readonly FunctionDef[];
}
/**
 * The launches of each file by kernel: found in one walk, since a file may have a thousand kernels.
 */
const sitesOf = new WeakMap<Module, ReadonlyMap<string, readonly Site[]>>();

/** The calls `name[grid](…)` in a file. */
export function launchesOf(
  module: Module,
  name: string,
  names: ReadonlyMap<string, StaticValue>,
): Launch[] {
  let sites = sitesOf.get(module);
  if (!sites) sitesOf.set(module, (sites = findSites(module)));
  return (sites.get(name) ?? []).map(({ call, inside }) => ({
    call,
    locals: inside.reduce((locals, definition) => localsOf(definition, locals), names),
  }));
}

function findSites(module: Module): ReadonlyMap<string, readonly Site[]> {
  const found = new Map<string, Site[]>();
  const expression = (node: Expression, inside: readonly FunctionDef[]): void => {
    const object = node.kind === 'call' && node.callee.kind === 'subscript' && node.callee.object;
    if (node.kind === 'call' && object && object.kind === 'name') {
      const sites = found.get(object.id);
      if (sites) sites.push({ call: node, inside });
      else found.set(object.id, [{ call: node, inside }]);
    }
    childExpressions(node).forEach((child) => expression(child, inside));
  };
  const visit = (statement: Statement, inside: readonly FunctionDef[]): void => {
    ownExpressions(statement).forEach((node) => expression(node, inside));
    const inner = statement.kind === 'function' ? [...inside, statement] : inside;
    childStatements(statement).forEach((child) => visit(child, inner));
  };
  module.body.forEach((statement) => visit(statement, []));
  return found;
}

/** First values of a function's names, where they are constants; of two branches, the first. */
function localsOf(
  definition: FunctionDef,
  outer: ReadonlyMap<string, StaticValue>,
): ReadonlyMap<string, StaticValue> {
  const locals = new Map(outer);
  const own = new Set<string>();
  for (const parameter of definition.parameters) {
    locals.delete(parameter.name);
    const value = parameter.default && staticValue(parameter.default, outer);
    if (value) locals.set(parameter.name, value);
    if (value) own.add(parameter.name);
  }
  const likely = (node: Expression): StaticValue | undefined =>
    staticValue(node, locals) ?? (node.kind === 'conditional' ? likely(node.yes) : undefined);
  const set = (target: Expression | undefined, value: StaticValue | undefined): void => {
    if (target?.kind === 'tuple')
      target.items.forEach((item, i) =>
        set(item, value?.kind === 'tuple' ? value.items[i] : undefined),
      );
    if (target?.kind !== 'name' || own.has(target.id)) return;
    locals.delete(target.id);
    if (!value) return;
    own.add(target.id);
    locals.set(target.id, value);
  };
  const visit = (statement: Statement): void => {
    if (statement.kind === 'assign') set(statement.targets[0], likely(statement.value));
    if (statement.kind !== 'function') childStatements(statement).forEach(visit);
  };
  definition.body.forEach(visit);
  return locals;
}
