/**
 * The operations of tile IR: one module a family, assembled here. A definition says everything of
 * an operation: attributes, types, element semantics, effects, the interpreter's step, layouts,
 * axis facts, cost, documentation. Verifier, parser, folder, interpreter, distribution and cost
 * model read it from here. Names and meanings are MLIR's and Triton's (`arith`, `math`, `scf`,
 * `tt`, `ttg`), so that somebody who reads TTIR and TTGIR can read ours.
 */
import type { Operation } from '../ir';
import { BIT_OPS, type BitOps } from './bits';
import { CAST_OPS, type CastOps } from './casts';
import { COMBINE_OPS, type CombineOps } from './combine';
import { COMPARISON_OPS, type ComparisonOps } from './comparisons';
import { CONTROL_OPS, type ControlOps } from './control';
import { DEBUG_OPS, type DebugOps } from './debug';
import type { OpDefinition, Trait } from './definition';
import { DISTRIBUTED_OPS, type DistributedOps } from './distributed';
import { DOT_OPS, type DotOps } from './dot';
import { FLOAT_OPS, type FloatOps } from './floats';
import { INTEGER_OPS, type IntegerOps } from './integers';
import { MATH_OPS, type MathOps } from './math';
import { MEMORY_OPS, type MemoryOps } from './memory';
import { POINTER_OPS, type PointerOps } from './pointers';
import { PROGRAM_OPS, type ProgramOps } from './programs';
import { SHAPE_OPS, type ShapeOps } from './shapes';

export type { OpDefinition, Trait };

/** Each operation's attributes. */
export type OpAttributes = ProgramOps &
  IntegerOps &
  BitOps &
  FloatOps &
  MathOps &
  ComparisonOps &
  CastOps &
  PointerOps &
  ShapeOps &
  MemoryOps &
  DotOps &
  CombineOps &
  ControlOps &
  DebugOps &
  DistributedOps;
export type OpName = keyof OpAttributes;

export const OPS: Readonly<Record<OpName, OpDefinition>> = {
  ...PROGRAM_OPS,
  ...INTEGER_OPS,
  ...BIT_OPS,
  ...FLOAT_OPS,
  ...MATH_OPS,
  ...COMPARISON_OPS,
  ...CAST_OPS,
  ...POINTER_OPS,
  ...SHAPE_OPS,
  ...MEMORY_OPS,
  ...DOT_OPS,
  ...COMBINE_OPS,
  ...CONTROL_OPS,
  ...DEBUG_OPS,
  ...DISTRIBUTED_OPS,
};

function traitsOf(definition: OpDefinition): readonly Trait[] {
  switch (definition.kind) {
    case 'elementwise':
      return definition.commutative
        ? ['pure', 'elementwise', 'commutative']
        : ['pure', 'elementwise'];
    case 'address':
      return ['pure', 'elementwise'];
    case 'tile':
      return ['pure'];
    case 'effect':
      return definition.effects;
    case 'control':
      return [];
    case 'terminator':
      return ['terminator'];
    default:
      return definition satisfies never;
  }
}
const TRAITS = new Map(
  Object.entries(OPS).map(([name, definition]) => [name, traitsOf(definition)] as const),
);

export function hasTrait(name: OpName, trait: Trait): boolean {
  return TRAITS.get(name)!.includes(trait);
}
/** Is every element of the result an element of the first operand? */
export function isRearrangement(name: OpName): boolean {
  const definition = OPS[name];
  return definition.kind === 'tile' && definition.rearranges === true;
}
/** With the types of its attributes. */
export function isOp<Name extends OpName>(
  op: Operation | undefined,
  name: Name,
): op is Operation & { readonly name: Name; readonly attributes: OpAttributes[Name] } {
  return op?.name === name;
}
