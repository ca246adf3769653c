/** Functions by id: the program's, read from its files, and our library's. */
import { MESSAGES } from './codes';
import { functionAt } from '../1-parse/syntax';
import type { Context } from './context';
import type { StaticValue } from '../program';
import { libraryCallable } from './library';
import { resolvePath } from './paths';
import { type Callable, type Val } from './values';
import { fromStaticValue } from './staticValues';

const known = new WeakMap<Context, Map<string, Callable>>();

export function callableOf(cx: Context, id: string): Callable {
  let cache = known.get(cx);
  if (!cache) known.set(cx, (cache = new Map()));
  let callable = cache.get(id);
  if (!callable) cache.set(id, (callable = read(cx, id)));
  return callable;
}

function read(cx: Context, id: string): Callable {
  if (id.startsWith('lib:')) return libraryCallable(cx.parser, id.slice(4));
  const source = cx.program.functions[id];
  if (!source) return cx.fail('HC0399', MESSAGES.HC0399.programNoFunction({ id }));
  const text = cx.program.files[source.file];
  if (text === undefined)
    return cx.fail('HC0399', MESSAGES.HC0399.programNoFile({ file: source.file }));
  const module = cx.parser.parse(source.file, text);
  const definition = functionAt(module, source.line, source.name);
  if (!definition) {
    for (const diagnostic of module.diagnostics) cx.report(diagnostic);
    return cx.fail(
      'HC0101',
      MESSAGES.HC0101.noFunctionBegins({ name: source.name, line: source.line, file: source.file }),
    );
  }
  // Only what is wrong inside this function concerns it.
  const { location } = definition;
  for (const diagnostic of module.diagnostics)
    if (diagnostic.location.line >= location.line && diagnostic.location.line <= location.endLine)
      cx.report(diagnostic);
  const values = new Map<string, Val>();
  const constexprGlobals = new Set<string>();
  for (const [name, value] of Object.entries(source.globals)) {
    values.set(name, globalValue(value));
    if (value.kind === 'constexpr') constexprGlobals.add(name);
  }
  const defaults: Record<string, Val> = {};
  for (const [name, value] of Object.entries(source.defaults))
    defaults[name] = fromStaticValue(value);
  return {
    id,
    definition,
    global: (name) => values.get(name),
    defaults,
    constexprGlobals,
    library: false,
    ...(source.noinline ? { noinline: true } : {}),
    ...(source.mustUse === undefined ? {} : { mustUse: source.mustUse }),
    ...(source.python ? { python: true } : {}),
  };
}

/** `from triton.language import exp` names by path what an attribute of the module would find. */
export function globalValue(value: StaticValue): Val {
  if (value.kind === 'triton') return resolvePath(value.path) ?? fromStaticValue(value);
  return fromStaticValue(value);
}
