/** The relations that a proof for every launch takes, in words. */
import type { Func } from '../ir/ir';
import { wholeRange } from '../ir/ops/range';
import { dtypeOf } from '../ir/types';
import type { EverySetting } from './launchProof';
import { Poly } from './polynomial';
import type { Terms } from './terms';

const AXES = ['x', 'y', 'z'];

export function relationsOf(func: Func, setting: EverySetting): string[] {
  const { arithmetic, extents, grid, accesses, inside, unproved } = setting;
  const { terms } = arithmetic;
  const found: string[] = [];
  for (const least of [0, 1]) {
    const names = scalarsFrom(setting, least);
    if (names.length > 0) found.push(`${names.join(', ')} >= ${least}`);
  }
  found.push(...assumedRanges(func, setting), ...setting.multiples);
  grid.forEach((size, axis) => {
    const text = terms.format(size);
    if (text.includes(`(grid.${AXES[axis]} // `)) return;
    if (text === `grid.${AXES[axis]}` || (size.asConstant === 1 && axis > 0)) return;
    found.push(`grid.${AXES[axis]} = ${text}`);
  });
  const tensors = new Map<string, string[]>();
  const facts = new Set<string>();
  for (const [root, extent] of extents) {
    const proved = [...accesses.values()].some(
      ({ op, pointer }) => pointer?.root === root && inside.has(op),
    );
    if (!proved) continue;
    const name = func.body.args[root]?.name ?? `argument ${root}`;
    tensors.set(extent.text, [...(tensors.get(extent.text) ?? []), name]);
    for (const fact of extent.facts) facts.add(inequality(fact, terms));
  }
  for (const [text, names] of tensors)
    found.push(`${names.join(', ')} ${names.length > 1 ? 'have' : 'has'} ${text}`);
  found.push(...facts);
  if (unproved.size > 0) found.push('no integer of the kernel leaves its type');
  return found;
}

/** The names of scalars that are taken to be at least so much. */
function scalarsFrom({ arithmetic: { terms } }: EverySetting, least: number): string[] {
  return Array.from({ length: terms.count }, (_, id) => terms.atom(id))
    .filter(
      ({ id, key }) => key.startsWith('scalar ') && terms.bound(Poly.atom(id), 'low') === least,
    )
    .map(({ name }) => name);
}

/** Ranges that `tl.assume` gives scalars, beyond the bounds of 0 and 1 that stand before. */
function assumedRanges(func: Func, { arithmetic: { terms } }: EverySetting): string[] {
  const keys = new Map(
    Array.from({ length: terms.count }, (_, id) => [terms.atom(id).key, terms.atom(id)] as const),
  );
  return func.body.args.flatMap((argument, i) => {
    const [atom, range] = [keys.get(`scalar ${i}`), func.parameters[i]?.range];
    const dtype = dtypeOf(argument.type);
    if (!atom || !range || !dtype) return [];
    const whole = wholeRange(dtype);
    const [low, high] = [terms.bound(Poly.atom(atom.id), 'low'), Number(range[1])];
    return [
      ...(low !== undefined && low !== 0 && low !== 1 && low > whole.low
        ? [`${atom.name} >= ${low}`]
        : []),
      ...(high < whole.high ? [`${atom.name} <= ${high}`] : []),
    ];
  });
}

/** A fact as `a >= b`, without minus signs. */
function inequality(fact: Poly, terms: Terms): string {
  const [above, below] = [1, -1].map((sign) =>
    fact.list
      .filter(([, coefficient]) => Math.sign(coefficient) === sign)
      .reduce(
        (sum, [atoms, coefficient]) =>
          sum.plus(
            atoms.reduce(
              (term, id) => term.times(Poly.atom(id)),
              Poly.constant(Math.abs(coefficient)),
            ),
          ),
        Poly.ZERO,
      ),
  );
  return `${terms.format(above!)} >= ${terms.format(below!)}`;
}
