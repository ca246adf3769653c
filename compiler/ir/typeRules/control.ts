/** Loops, branches, and what only happens. */
import { sameTypeIgnoringLayout as sameType } from '../sameType';
import { dtypeOf } from '../types';
import type { Type } from '../types';
import type { Block } from '../ir';
import { need, none } from './rule';
import type { TypeRule } from './rule';

function carried(
  what: string,
  wanted: readonly Type[],
  found: readonly Type[],
): string | undefined {
  return need(
    wanted.length === found.length && wanted.every((type, i) => sameType(type, found[i]!)),
    `types of ${what} do not match the carried values`,
  );
}
function yields(block: Block, wanted: readonly Type[]): string | undefined {
  const last = block.terminator;
  if (last.name !== 'scf.yield') return 'a region must end in scf.yield';
  return carried(
    'scf.yield',
    wanted,
    last.operands.map((value) => value.type),
  );
}

export const CONTROL_RULES = {
  'scf.for': {
    infer: ({ operands }) => operands.slice(3),
    check: ({ operands, regions }, results) => {
      const [lower, upper, step] = operands;
      if (![lower!, upper!, step!].every((t) => t.kind === 'scalar' && sameType(t, lower!)))
        return 'bounds and step must be scalars of one type';
      const args = regions[0]!.args.map((arg) => arg.type);
      return carried('body', [lower!, ...results], args) ?? yields(regions[0]!, results);
    },
  },
  'scf.while': {
    infer: ({ regions }) => regions[1]!.args.map((arg) => arg.type),
    check: ({ operands, regions }, results) => {
      const [before, after] = [regions[0]!, regions[1]!];
      if (before.terminator.name !== 'scf.condition') return '`before` must end in scf.condition';
      const forwarded = before.terminator.operands.slice(1).map((value) => value.type);
      return (
        carried(
          'before',
          operands,
          before.args.map((arg) => arg.type),
        ) ??
        carried('scf.condition', results, forwarded) ??
        carried(
          'after',
          results,
          after.args.map((arg) => arg.type),
        ) ??
        yields(after, operands)
      );
    },
  },
  'scf.if': {
    infer: ({ regions }) => regions[0]!.terminator.operands.map((value) => value.type),
    check: ({ operands: [condition], regions }, results) => {
      if (condition!.kind !== 'scalar' || condition!.dtype !== 'i1')
        return 'condition must be a scalar i1';
      return yields(regions[0]!, results) ?? yields(regions[1]!, results);
    },
  },
  'scf.yield': { infer: none },
  'scf.condition': { infer: none },
  'tt.return': { infer: none },
  'tt.print': { infer: none },
  'tt.assert': {
    infer: none,
    check: ({ operands: [condition] }) =>
      need(dtypeOf(condition!) === 'i1', 'condition must be i1'),
  },
} satisfies Record<string, TypeRule>;
