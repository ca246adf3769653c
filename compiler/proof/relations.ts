/** The relations that a proof for every launch takes, in words. */
import type { Func } from '../ir/ir';
import type { EverySetting } from './launchProof';
import { Poly } from './polynomial';

const AXES = ['x', 'y', 'z'];

export function relationsOf(func: Func, setting: EverySetting): string[] {
  const { arithmetic, extents, grid, accesses, inside, unproved } = setting;
  const { terms } = arithmetic;
  const found: string[] = [];
  for (const least of [0, 1]) {
    const names = scalarsFrom(setting, least);
    if (names.length > 0) found.push(`${names.join(', ')} >= ${least}`);
  }
  grid.forEach((size, axis) => {
    const text = terms.format(size);
    if (text === `grid.${AXES[axis]}` || (size.asConstant === 1 && axis > 0)) return;
    found.push(`grid.${AXES[axis]} = ${text}`);
  });
  for (const [root, { facts, text }] of extents) {
    const proved = [...accesses.values()].some(
      ({ op, pointer }) => pointer?.root === root && inside.has(op),
    );
    if (!proved) continue;
    found.push(`${func.body.args[root]?.name ?? `argument ${root}`} has ${text}`);
    for (const fact of facts) found.push(`${terms.format(fact)} >= 0`);
  }
  if (unproved.size > 0) found.push('no integer of the kernel leaves its type');
  return [...new Set(found)];
}

/** The names of scalars that are taken to be at least so much. */
function scalarsFrom({ arithmetic: { terms } }: EverySetting, least: number): string[] {
  return Array.from({ length: terms.count }, (_, id) => terms.atom(id))
    .filter(
      ({ id, key }) => key.startsWith('scalar ') && terms.bound(Poly.atom(id), 'low') === least,
    )
    .map(({ name }) => name);
}
