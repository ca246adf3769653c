/**
 * For tests: relations of a proof for every n, read as a reader reads them, at numbers of another
 * launch. What holds of a launch so is all that its proof may rest on.
 */

export type Values = ReadonlyMap<string, number>;

/** The value of an expression of names, numbers, `+ - * // %`, min and max; `//` rounds down. */
export function valueOf(text: string, values: Values): number {
  const tokens = text.match(/\/\/|[\w.]+|[-+*%(),]/g) ?? [];
  let at = 0;
  const take = (token: string): boolean => tokens[at] === token && ++at > 0;
  const primary = (): number => {
    if (take('-')) return -primary();
    if (take('(')) {
      const inner = sum();
      take(')');
      return inner;
    }
    const token = tokens[at++] ?? '';
    if (/^\d+$/.test(token)) return Number(token);
    if ((token === 'min' || token === 'max') && take('(')) {
      const a = sum();
      take(',');
      const b = sum();
      take(')');
      return Math[token](a, b);
    }
    const value = values.get(token);
    if (value === undefined) throw new Error(`no value of "${token}" in ${text}`);
    return value;
  };
  const product = (): number => {
    let value = primary();
    for (;;)
      if (take('*')) value *= primary();
      else if (take('//')) value = Math.floor(value / primary());
      else if (take('%')) {
        const by = primary();
        value -= by * Math.floor(value / by);
      } else return value;
  };
  const sum = (): number => {
    let value = product();
    for (;;)
      if (take('+')) value += product();
      else if (take('-')) value -= product();
      else return value;
  };
  const value = sum();
  if (at < tokens.length) throw new Error(`not read to its end: ${text}`);
  return value;
}

/** The elements of tensors, and whether the scalars and the grid hold the other relations. */
export function givenAt(
  relations: readonly string[],
  values: Values,
): { readonly holds: boolean; readonly elements: ReadonlyMap<string, number> } {
  const elements = new Map<string, number>();
  let holds = true;
  for (const relation of relations) {
    if (relation.startsWith('no integer')) continue;
    const size = /^(.*) (?:has|have) (.*) elements$/.exec(relation);
    const multiple = /^(.*) is a positive multiple of (.*)$/.exec(relation);
    const equal = /^([\w.]+) = (.*)$/.exec(relation);
    const order = /^(.*) (>=|<=) (.*)$/.exec(relation);
    if (size)
      for (const name of size[1]!.split(', ')) elements.set(name, valueOf(size[2]!, values));
    else if (multiple) {
      const [whole, part] = [valueOf(multiple[1]!, values), valueOf(multiple[2]!, values)];
      holds &&= whole > 0 && part > 0 && whole % part === 0;
    } else if (equal) holds &&= valueOf(equal[1]!, values) === valueOf(equal[2]!, values);
    else if (order) {
      const limit = valueOf(order[3]!, values);
      for (const side of order[1]!.split(', ')) {
        const value = valueOf(side, values);
        holds &&= order[2] === '>=' ? value >= limit : value <= limit;
      }
    } else throw new Error(`not understood: ${relation}`);
  }
  return { holds, elements };
}
