/**
 * The kernel's arguments: which argument each parameter of the function is.
 */
import type { Func, Value } from '../ir/ir';
import type { ArgumentSpec, Specialization, TritonDtype } from '../program';

export type Parameter =
  | {
      readonly kind: 'pointer';
      readonly path: readonly number[];
      readonly group: number;
    }
  | { readonly kind: 'scalar'; readonly path: readonly number[]; readonly dtype: TritonDtype };

/**
 * The arguments that are parameters of the function: everything but constexprs, tuples flattened.
 */
export function flattenArguments(specialization: Specialization): Parameter[] {
  const out: Parameter[] = [];
  const visit = (spec: ArgumentSpec, path: readonly number[]): void => {
    switch (spec.kind) {
      case 'pointer':
        out.push({ kind: 'pointer', path, group: spec.group });
        return;
      case 'scalar':
        out.push({ kind: 'scalar', path, dtype: spec.dtype });
        return;
      case 'tuple':
        spec.items.forEach((item, i) => visit(item, [...path, i]));
        return;
      case 'constexpr':
        return;
      default:
        spec satisfies never;
    }
  };
  specialization.arguments.forEach((spec, i) => visit(spec, [i]));
  return out;
}

export class Parameters {
  readonly list: readonly Parameter[];
  /** The group in which lies what pointers made of integers can point to. */
  readonly arena: number | undefined;

  constructor(
    readonly func: Func,
    specialization: Specialization,
  ) {
    this.list = flattenArguments(specialization);
    this.arena = specialization.arena;
    if (this.list.length !== func.body.args.length) {
      throw new Error(
        `${func.name} has ${func.body.args.length} parameters, the launch ${this.list.length}`,
      );
    }
  }
  of(argument: Value): Parameter {
    return this.list[this.func.body.args.indexOf(argument)]!;
  }
  hasWholeVectors(argument: Value): boolean {
    return this.func.parameters[this.func.body.args.indexOf(argument)]?.wholeVectors === true;
  }
}
