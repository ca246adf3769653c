/** The name at a position: its signature and documentation, as a hover shows them. */
import type { Position } from '../1-parse/tree';
import { child, textOf, type TreeNode } from '../1-parse/tree';
import type { Parser } from '../1-parse/parser';
import { lookUp, type Api } from './api';
import { isJitted, Project, targetAt, type Files, type Place, type Target } from './project';
import { describeFunction, Resolver } from './resolve';

export interface Description {
  readonly place: Place;
  /** One line of Python: `tl.load(pointer, mask=None, …)`, `(parameter) n: tl.constexpr`. */
  readonly code: string;
  /** Markdown; may be empty. */
  readonly doc: string;
}

export function describeAt(
  files: Files,
  parser: Parser,
  api: Api,
  file: string,
  position: Position,
): Description | undefined {
  const project = new Project(files, parser);
  const node = project.node(file, position);
  if (node.type !== 'identifier') return undefined;
  const place: Place = { file, start: node.start, end: node.end };
  const named = namedBy(project, api, file, node);
  return named && { place, ...named };
}

function namedBy(
  project: Project,
  api: Api,
  file: string,
  node: TreeNode,
): { readonly code: string; readonly doc: string } | undefined {
  const { text } = project.symbols(file);
  const target = targetAt(project, file, node);
  if (target && !target.symbol.imported) return ofTarget(project, target);
  const resolver = new Resolver(project, api);
  const whole =
    node.parent?.type === 'attribute' && node.field === 'attribute' ? node.parent : node;
  const meaning = resolver.meaning(file, whole);
  const path = meaning?.kind === 'path' ? meaning.path : undefined;
  const found =
    path === undefined ? undefined : (attributeEntry(resolver, file, whole) ?? lookUp(api, path));
  if (found && path !== undefined) {
    const { kind, signature, doc = '' } = found.entry;
    const shown = textOf(whole, text).replace(/\s+/g, '');
    if (kind === 'module') return { code: `(module) ${path}`, doc };
    const name = /[()[\]]/.test(shown) ? shown.slice(shown.lastIndexOf('.') + 1) : shown;
    return { code: signature ? `${name}${signature}` : `(${kind}) ${name}`, doc };
  }
  if (!target) {
    const builtin = lookUp(api, `builtins.${textOf(node, text)}`);
    if (whole !== node || !builtin) return undefined;
    const { signature, kind, doc = '' } = builtin.entry;
    const name = textOf(node, text);
    return { code: signature ? `${name}${signature}` : `(${kind}) ${name}`, doc };
  }
  const { imported } = target.symbol;
  if (!imported) return undefined;
  const from = imported.name === null ? imported.module : `${imported.module}.${imported.name}`;
  return { code: `(import) ${from}`, doc: '' };
}

/** The entry of `x.name` where x is an instance: its property, whose meaning is another. */
function attributeEntry(
  resolver: Resolver,
  file: string,
  node: TreeNode,
): ReturnType<typeof lookUp> {
  if (node.type !== 'attribute') return undefined;
  const [object, attribute] = [child(node, 'object'), child(node, 'attribute')];
  const owner = object && resolver.meaning(file, object);
  if (owner?.kind !== 'instance' || !attribute) return undefined;
  const { text } = resolver.project.symbols(file);
  return lookUp(resolver.api, `${owner.path}.${textOf(attribute, text)}`);
}

function ofTarget(project: Project, target: Target): { code: string; doc: string } | undefined {
  const { symbol, file } = target;
  const { text } = project.symbols(file);
  const where = symbol.annotation ? `: ${textOf(symbol.annotation, text)}` : '';
  if (symbol.kind === 'parameter') return { code: `(parameter) ${symbol.name}${where}`, doc: '' };
  const described = describeFunction(project, target);
  if (described) {
    const word =
      symbol.kind === 'class' ? 'class' : isJitted(project, target) ? '@triton.jit def' : 'def';
    return { code: `${word} ${symbol.name}${described.signature}`, doc: described.doc };
  }
  const value = symbol.value ? textOf(symbol.value, text).split('\n')[0]! : '';
  const shown = value.length > 60 || value === '' ? '' : ` = ${value}`;
  return { code: `(variable) ${symbol.name}${where}${shown}`, doc: '' };
}
