/**
 * Types of the definition of an operation. Each family of operations is a module beside
 * this file; `index.ts` assembles them. A definition is one of a closed union of kinds, and each
 * kind requires what operations of that kind need: an operation that lacks a part does not compile.
 *
 * The type parameter `A` is the operation's attributes: `{ axis: number; scratch?: number }`. It
 * types the functions of the definition, and `attributes` must name a kind for each of them, which
 * the verifier checks.
 */
import type { Attribute, Block, Operation, Value } from '../ir';
import type { Kernel, Numbers, TileDType } from '../tile';
import type { Type } from '../types';
import type { AttributeKinds } from './attributes';
import type { AxisInfo } from './axis';
import type { Semantics } from './element';
import type { LayoutRule } from './layouts';
import type { Step, TileMachine } from './machine';
import type { Range } from './range';

/** Effects that passes may rely on. */
export type Trait =
  /** No effect besides its results; may be removed, moved and merged. */
  | 'pure'
  | 'commutative'
  /** Works element by element: operands and result have one shape and one layout. */
  | 'elementwise'
  | 'reads'
  | 'writes'
  /** Ends a block. */
  | 'terminator'
  /** Every thread of the workgroup must reach it together. */
  | 'barrier';

export type AnyAttributes = Readonly<Record<string, Attribute>>;
/** For operations without attributes. */
export type NoAttributes = Readonly<Record<never, Attribute>>;
/** An operation with its attributes' types. */
export type OpWith<A> = Operation & { readonly attributes: A };

export interface Signature<A = AnyAttributes> {
  readonly operands: readonly Type[];
  readonly attributes: A;
  readonly regions: readonly Block[];
}
export interface TypeRule<A = AnyAttributes> {
  /** Result types that follow from the operands, or undefined where the operation states them. */
  infer(signature: Signature<A>): readonly Type[] | undefined;
  /** The fault of the operation, or undefined. */
  check?(signature: Signature<A>, results: readonly Type[]): string | undefined;
}

/**
 * Transfer of the facts about operands (`axis.ts`); undefined where nothing is
 * known.
 */
export type AxisTransfer<A> = {
  transfer(op: OpWith<A>, operands: readonly AxisInfo[]): AxisInfo | undefined;
}['transfer'];
/** The interval of an integer result, by those of the operands. */
export type RangeTransfer<A> = {
  transfer(op: OpWith<A>, operand: (index: number) => Range): Range | undefined;
}['transfer'];

/** Counter of an operation's cost (`cost/counts.ts`). */
export interface CostTally {
  /** Operations at the rate of the type of this value's elements. */
  compute(typedAs: Value, count: number): void;
  /** All that a pointer, or a tile of pointers, points to. */
  read(pointer: Value): void;
  write(pointer: Value): void;
  /** The arithmetic of a region, so often. */
  region(block: Block, times: number): void;
}
export type CostRule<A> = { count(op: OpWith<A>, tally: CostTally): void }['count'];

interface Described<A> {
  /** One line of documentation; `{name}` refers to operands and attributes. */
  readonly doc: string;
  /** Names of the operands in order; a trailing `?` marks one that may be missing (from the end), a
   * trailing `*` any number. */
  readonly operands: readonly string[];
  /** How many results; `*` for any number. */
  readonly results: number | '*';
  readonly attributes: AttributeKinds<A>;
  readonly type: TypeRule<A>;
}
interface Interpreted<A> {
  /** The step that computes it, made once a launch; undefined where nothing is left to do. */
  interpret(machine: TileMachine, op: OpWith<A>): Step | undefined;
}

/** The typed arrays of a loop, and the types that they hold. */
export interface LoopArrays<A = AnyAttributes> {
  readonly attributes: A;
  readonly from: TileDType;
  readonly to: TileDType;
  readonly a: Numbers;
  readonly b: Numbers;
  readonly c: Numbers;
  readonly o: Numbers;
}
/** A loop over doubles that says whether every result was a safe integer. */
export type WideLoop = (n: number) => boolean;
export interface Loops<A> {
  /** On anything but i64. Integer results wrap by being stored, floats are rounded to f32 so. */
  narrow?(arrays: LoopArrays<A>): Kernel | undefined;
  /** On i64 in doubles. */
  wide?(arrays: LoopArrays<A>): WideLoop | undefined;
  /** There is a loop of SIMD instructions for f32. */
  readonly simd?: 'max' | 'min';
  /**
   * Gives numbers of the format without rounding; it must not round, where a format's largest codes
   * are only read (float8e4b15).
   */
  readonly exact?: true;
}

/** Algebraic identities, for `canonicalize`. */
export interface Algebra {
  /** x op c is x. */
  readonly identity?: number;
  /** True where the sign of a zero counts. */
  readonly signedZero?: true;
  /** x op c is 0. */
  readonly annihilator?: number;
  /** x op c is c. */
  readonly absorbing?: number;
  /** Value of x op x. */
  readonly self?: 'same' | 'zero';
  /** (x op c) op d is x op (c op d), in wrapping integers. */
  readonly associative?: true;
  /** Not folded where the right operand is 0: the result is the target's. */
  readonly traps?: true;
}

/** Computes an element of the result from one of each operand. */
export interface ElementwiseOp<A> extends Described<A> {
  readonly kind: 'elementwise';
  readonly commutative?: true;
  readonly element: Semantics<A>;
  /** How the interpreter computes it faster than by one call an element. */
  readonly loops?: Loops<A>;
  readonly algebra?: Algebra;
  readonly axis: AxisTransfer<A>;
  readonly range?: RangeTransfer<A>;
  /** Operations that the cost model counts an element. */
  readonly flops: 0 | 1 | 2;
  /** Costs too much to be computed again in a second layout. */
  readonly costly?: true;
}
/** Elementwise on addresses, which have no element semantics of their own. */
export interface AddressOp<A> extends Described<A>, Interpreted<A> {
  readonly kind: 'address';
  readonly algebra?: Algebra;
  readonly axis: AxisTransfer<A>;
  /** The result points into the same storage as the first operand. */
  readonly pointsInto?: true;
  /** The result has the operand's elements: the interpreter shares its tile. */
  renames?(op: OpWith<A>): boolean;
}
/** A pure operation of whole tiles. */
export interface TileOp<A> extends Described<A>, Interpreted<A> {
  readonly kind: 'tile';
  readonly regions?: readonly string[];
  readonly layout: LayoutRule<A>;
  readonly axis: AxisTransfer<A>;
  readonly range?: RangeTransfer<A>;
  readonly cost: CostRule<A>;
  /** Every element of the result is an element of the first operand. */
  readonly rearranges?: true;
  /**
   * The result has the operand's elements in the operand's order: the interpreter shares its tile.
   */
  renames?(op: OpWith<A>): boolean;
  /** Computes nothing: a thread has its part of the results already, or can derive it. */
  readonly free?: true;
}
/** Reads or writes memory, or has an effect outside of the program; its results are not known. */
export interface EffectOp<A> extends Described<A>, Interpreted<A> {
  readonly kind: 'effect';
  readonly effects: readonly ('reads' | 'writes' | 'barrier')[];
  /** Accesses global memory through its first operand. */
  readonly access?: { readonly kind: 'load' | 'store' | 'atomic'; readonly mask?: number };
  readonly layout: LayoutRule<A>;
  readonly cost: CostRule<A>;
}
/** A loop or a branch: analyses walk its regions (`flow.ts`). */
export interface ControlOp<A> extends Described<A>, Interpreted<A> {
  readonly kind: 'control';
  readonly regions: readonly string[];
  readonly flow: (op: Operation) => readonly Flow[];
}
/** Ends a block. What it means stands with the operation around it. */
export interface TerminatorOp<A> extends Described<A> {
  readonly kind: 'terminator';
}

/** A value that becomes another one: `from` enters a region, goes round a loop, or leaves. */
export interface Flow {
  readonly from: Value;
  readonly to: Value;
}

export type OpDefinition<A = AnyAttributes> =
  ElementwiseOp<A> | AddressOp<A> | TileOp<A> | EffectOp<A> | ControlOp<A> | TerminatorOp<A>;

/** A family: from each operation's name and attributes to its definition. */
export type Definitions<Family> = {
  readonly [Name in keyof Family]: OpDefinition<Family[Name]>;
};
