/** Name lookup: locals, then the function's globals, then the few builtins that kernels have. */
import { MESSAGES } from './codes';
import { childExpressions, type Expression } from '../1-parse/syntax';
import { Reported, type Context } from './context';
import { nearest } from './paths';
import type { Val } from './values';

/** Python builtins that Triton supports inside a kernel. */
const BUILTINS = new Set([
  'len',
  'list',
  'range',
  'float',
  'int',
  'isinstance',
  'getattr',
  'hasattr',
  'print',
  'min',
  'max',
]);
/** What Python's other functions are called in a kernel. */
const INSTEAD: Readonly<Record<string, string>> = {
  abs: 'tl.abs',
  sum: 'tl.sum',
  bool: 'tl.int1',
  str: 'tl.constexpr',
  tuple: 'tl.tuple',
  round: 'libdevice.rint',
  pow: 'libdevice.pow',
  divmod: '// and %',
  enumerate: 'tl.static_range(len(…))',
  zip: 'tl.static_range(len(…))',
};

export function lookup(cx: Context, name: string): Val {
  const { scope, callable } = cx.frame;
  const local = scope.get(name);
  if (local && local.kind !== 'invalid') return local;
  const global = callable.global(name);
  if (global) {
    checkGlobal(cx, name, global);
    return global;
  }
  if (local?.kind === 'invalid') {
    if (local.recover) return local.recover(false);
    if (local.message === null) throw new Reported();
    return cx.fail('HC0114', local.message);
  }
  if (BUILTINS.has(name)) return { kind: 'builtin', name };
  if (name === 'tl') {
    return cx.fail('HC0103', MESSAGES.HC0103.notDefinedWrite());
  }
  const close = nearest(name, [...scope.keys(), ...BUILTINS]);
  return cx.fail('HC0103', `${name} is not defined${close ? `. Did you mean ${close}?` : ''}`, {
    ...(close ? { fix: { title: `Change to ${close}`, location: cx.location, text: close } } : {}),
  });
}

/**
 * The annotations of a function's parameters, which Triton reads like expressions. Names that are
 * not known here, as where no Python runs, are let be.
 */
export function checkAnnotations(cx: Context): void {
  const { callable } = cx.frame;
  const visit = (node: Expression): void => {
    if (node.kind === 'name') {
      const value = callable.global(node.id) ?? { kind: 'builtin', name: node.id };
      const isKnown = callable.global(node.id) !== undefined || node.id in INSTEAD;
      if (isKnown) cx.at(node.location, () => checkGlobal(cx, node.id, value));
    }
    childExpressions(node).forEach(visit);
  };
  for (const { annotation } of callable.definition.parameters) if (annotation) visit(annotation);
}

/** Plain Python values are not visible to kernels: only `tl.constexpr` globals are. */
function checkGlobal(cx: Context, name: string, value: Val): void {
  const { callable } = cx.frame;
  if (callable.python || callable.library || callable.constexprGlobals.has(name)) return;
  if (value.kind === 'builtin' && !BUILTINS.has(value.name)) {
    const instead = INSTEAD[value.name];
    return cx.fail(
      'HC0103',
      `${name} is not defined in a kernel: Triton does not know this function of Python` +
        (instead ? `. Use ${instead}` : ''),
    );
  }
  switch (value.kind) {
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
    case 'none':
    case 'tuple':
      return cx.fail('HC0104', MESSAGES.HC0104.cannotAccessGlobal({ name }));
    case 'other':
      if (value.unread) return cx.fail('HC0115', MESSAGES.HC0115.knownAtRunTime({ name }));
      return cx.fail(
        'HC0108',
        value.type === `function ${name}`
          ? MESSAGES.HC0108.functionKernel({ name })
          : MESSAGES.HC0108.objectTypeKernel({ name, type: value.type }),
      );
    default:
      return;
  }
}
