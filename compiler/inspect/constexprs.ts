/** The kernel's compile-time arguments, which no operation computes, as a debugger names them. */
import type { Parser } from '../1-parse/parser';
import { functionAt } from '../1-parse/syntax';
import type { ArgumentSpec, CompileRequest, StaticValue } from '../program';

export interface Constexpr {
  /** `BLOCK`; of a tuple's items `shape_0`, as lowering names them. */
  readonly name: string;
  readonly value: StaticValue;
}

/** In the order of the kernel's parameters. */
export function constexprsOf(
  parser: Parser,
  { program, specialization }: Pick<CompileRequest, 'program' | 'specialization'>,
): Constexpr[] {
  const entry = program.functions[program.entry];
  const text = entry && program.files[entry.file];
  if (text === undefined) return [];
  const definition = functionAt(parser.parse(entry!.file, text), entry!.line, entry!.name);
  const found = (name: string, spec: ArgumentSpec): Constexpr[] => {
    if (spec.kind === 'constexpr') return [{ name, value: spec.value }];
    if (spec.kind !== 'tuple') return [];
    return spec.items.flatMap((item, i) => found(`${name}_${spec.fields?.[i] ?? i}`, item));
  };
  return (definition?.parameters ?? []).flatMap(({ name }, i) => {
    const spec = specialization.arguments[i];
    return spec ? found(name, spec) : [];
  });
}

/** As Python's `repr` writes it; a function and a type by its name. */
export function staticText(value: StaticValue): string {
  switch (value.kind) {
    case 'none':
      return 'None';
    case 'bool':
      return value.value ? 'True' : 'False';
    case 'int':
    case 'float':
      return value.value;
    case 'string':
      return JSON.stringify(value.value);
    case 'dtype':
      return `tl.${value.name}`;
    case 'tuple': {
      const items = value.items.map(staticText);
      return items.length === 1 ? `(${items[0]!},)` : `(${items.join(', ')})`;
    }
    case 'constexpr':
      return staticText(value.value);
    case 'other':
      return value.type;
    default:
      return 'name' in value ? value.name : value.kind;
  }
}
