/**
 * The type rule of every operation: how result types follow from operands and attributes, and what
 * else must hold. The builder infers with it, the verifier checks with it. Exhaustive by type: an
 * operation without a rule does not compile. Shapes and element types are decided here, layouts are
 * not: inference keeps the first operand's layout where shapes agree, and the rules compare types
 * without layouts (`verifier.ts` checks those by the backend contract).
 */
import type { Attribute, Block } from './ir';
import type { OpName } from './ops';
import { sameTypeIgnoringLayout as sameType } from './sameType';
import { BACKEND_RULES } from './typeRules/backend';
import { CONTROL_RULES } from './typeRules/control';
import { ELEMENT_RULES } from './typeRules/elements';
import { MEMORY_RULES } from './typeRules/memory';
import { REGION_RULES } from './typeRules/regions';
import { need } from './typeRules/rule';
import type { TypeRule } from './typeRules/rule';
import { TILE_RULES } from './typeRules/tiles';
import type { Type } from './types';

const RULES: Record<OpName, TypeRule> = {
  ...ELEMENT_RULES,
  ...TILE_RULES,
  ...MEMORY_RULES,
  ...REGION_RULES,
  ...CONTROL_RULES,
  ...BACKEND_RULES,
};

/** Result types that follow from the operands; undefined where the operation must state them. */
export function inferResultTypes(
  name: OpName,
  operands: readonly Type[],
  attributes: Readonly<Record<string, Attribute>>,
  regions: readonly Block[] = [],
): readonly Type[] | undefined {
  return RULES[name].infer({ operands, attributes, regions });
}

/** What is wrong with an operation's types, or undefined. Regions must already be well formed. */
export function checkTypes(
  name: OpName,
  operands: readonly Type[],
  attributes: Readonly<Record<string, Attribute>>,
  regions: readonly Block[],
  results: readonly Type[],
): string | undefined {
  const signature = { operands, attributes, regions };
  const problem = RULES[name].check?.(signature, results);
  if (problem) return problem;
  const inferred = RULES[name].infer(signature);
  if (!inferred) return undefined;
  return need(
    inferred.length === results.length && inferred.every((t, i) => sameType(t, results[i]!)),
    'the result type does not follow from the operands',
  );
}
