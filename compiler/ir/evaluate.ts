/** The element function of an operation, by its definition and the dtypes at hand. */
import { roundFloat } from './numbers';
import { OPS, type OpName } from './ops';
import { wrapTo, type ElementContext, type ElementFunction } from './ops/element';
import { bitWidth, isFloat } from './types';

export type { Element, ElementContext, ElementFunction } from './ops/element';
export { unsigned } from './ops/element';

/** Does the operation have element semantics? */
export function isEvaluable(name: OpName): boolean {
  return OPS[name].kind === 'elementwise';
}

/** The element function of an operation; undefined for structural operations. */
export function elementFunction(
  name: OpName,
  context: ElementContext,
): ElementFunction | undefined {
  const definition = OPS[name];
  if (definition.kind !== 'elementwise') return undefined;
  const semantics = definition.element;
  const { from, to } = context;
  switch (semantics.kind) {
    case 'integer': {
      const { narrow, wide } = semantics;
      if (from === 'i64') return (a, b) => BigInt.asIntN(64, wide(a as bigint, b as bigint));
      const width = bitWidth(from);
      return (a, b) => wrapTo(to, Math.trunc(narrow(a as number, b as number, width)) | 0);
    }
    case 'float': {
      const { f } = semantics;
      if (!isFloat(to)) throw new Error(`${name} makes ${to}`);
      if (to === 'f64') return f as ElementFunction;
      if (to === 'f32') return (a, b, c) => Math.fround(f(a as number, b as number, c as number));
      return (a, b, c) => roundFloat(to, f(a as number, b as number, c as number));
    }
    case 'special':
      return semantics.make(context);
    default:
      return semantics satisfies never;
  }
}
