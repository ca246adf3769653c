/**
 * Applies the operations' type rules: how result types follow from operands and attributes, and
 * what else must hold. The builder infers with them, the verifier checks with them. Shapes and
 * element types are decided here, layouts are not: inference keeps the first operand's layout where
 * shapes agree, and the rules compare types without layouts (`verifier.ts` checks those by the
 * backend contract).
 */
import type { Attribute, Block } from './ir';
import { OPS, type OpName } from './ops';
import { need } from './ops/rules';
import { sameTypeIgnoringLayout as sameType } from './sameType';
import type { Type } from './types';

/** Result types that follow from the operands; undefined where the operation must state them. */
export function inferResultTypes(
  name: OpName,
  operands: readonly Type[],
  attributes: Readonly<Record<string, Attribute>>,
  regions: readonly Block[] = [],
): readonly Type[] | undefined {
  return OPS[name].type.infer({ operands, attributes, regions });
}

/** The fault of an operation's types, or undefined. Regions must already be well formed. */
export function checkTypes(
  name: OpName,
  operands: readonly Type[],
  attributes: Readonly<Record<string, Attribute>>,
  regions: readonly Block[],
  results: readonly Type[],
): string | undefined {
  const signature = { operands, attributes, regions };
  const problem = OPS[name].type.check?.(signature, results);
  if (problem) return problem;
  const inferred = OPS[name].type.infer(signature);
  if (!inferred) return undefined;
  return need(
    inferred.length === results.length && inferred.every((t, i) => sameType(t, results[i]!)),
    'the result type does not follow from the operands',
  );
}
