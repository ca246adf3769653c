/**
 * The kernel's arguments: which argument each parameter of the function is, and the words of the
 * uniform buffer, or of the immediates. Words are named at the kernel's start, in the order in which they
 * were asked for.
 */
import type { Func, Value } from '../ir/ir';
import type { ArgumentSpec, Specialization, TritonDtype, UniformWord } from '../program';

export type Parameter =
  | {
      readonly kind: 'pointer';
      readonly path: readonly number[];
      readonly group: number;
    }
  | { readonly kind: 'scalar'; readonly path: readonly number[]; readonly dtype: TritonDtype };

/** The arguments that are parameters of the function: everything but constexprs, tuples flattened. */
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
  readonly words: UniformWord[] = [];
  /** The group in which lies what pointers made of integers can point to. */
  readonly arena: number | undefined;
  readonly #index = new Map<string, number>();

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
  /** The u32 expression that reads a word. */
  word(word: UniformWord): string {
    const key = JSON.stringify(word);
    let index = this.#index.get(key);
    if (index === undefined) {
      index = this.words.length;
      this.#index.set(key, index);
      this.words.push(word);
    }
    return `args.v${index >> 2}.${'xyzw'[index & 3]}`;
  }
  /** The structure that holds the words; an immediate may be no array. */
  structure(): string {
    const vectors = Math.max(1, Math.ceil(this.words.length / 4));
    const members = Array.from({ length: vectors }, (_, i) => `v${i}: vec4<u32>`);
    return `struct Args { ${members.join(', ')} }`;
  }
}
