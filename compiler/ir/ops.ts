/**
 * The operation table: the one place that says what each operation of tile IR is. Verifier, printer,
 * parser, folder, interpreter, hover texts and the IR reference are derived from it. Names and
 * meanings are MLIR's and Triton's (`arith`, `math`, `scf`, `tt`, `ttg`), so that somebody who reads
 * TTIR and TTGIR can read ours.
 */

/** What passes may rely on. */
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

export interface OpDescription {
  readonly traits: readonly Trait[];
  /** Names of the operands in order; a trailing `?` marks one that may be missing (from the end), a
   * trailing `*` any number. */
  readonly operands: readonly string[];
  /** How many results; `*` for any number. */
  readonly results: number | '*';
  /** Names of the attributes; a trailing `?` marks an optional one. */
  readonly attributes?: readonly string[];
  /** Names of the regions. */
  readonly regions?: readonly string[];
  /** One line of documentation; `{name}` refers to operands and attributes. */
  readonly doc: string;
}

const PURE = ['pure', 'elementwise'] as const;
const COMMUTATIVE = ['pure', 'elementwise', 'commutative'] as const;
const binary = (doc: string, traits: readonly Trait[] = PURE): OpDescription => ({
  traits,
  operands: ['lhs', 'rhs'],
  results: 1,
  doc,
});
const unary = (doc: string): OpDescription => ({
  traits: PURE,
  operands: ['x'],
  results: 1,
  doc,
});

const table = {
  // ── constants and integers ────────────────────────────────────────────────────────────────────
  'arith.constant': {
    traits: ['pure'],
    operands: [],
    results: 1,
    attributes: ['value'],
    doc: 'The number {value} (number, bigint for i64, boolean for i1), in every element of a tile.',
  },
  'arith.addi': binary('Integer addition, wrapping at the width.', COMMUTATIVE),
  'arith.subi': binary('Integer subtraction, wrapping.'),
  'arith.muli': binary('Integer multiplication, wrapping.', COMMUTATIVE),
  'arith.divsi': binary('Signed division, truncated toward zero.'),
  'arith.divui': binary('Unsigned division.'),
  'arith.remsi': binary('Signed remainder, with the sign of {lhs}.'),
  'arith.remui': binary('Unsigned remainder.'),
  'arith.andi': binary('Bitwise and.', COMMUTATIVE),
  'arith.ori': binary('Bitwise or.', COMMUTATIVE),
  'arith.xori': binary('Bitwise exclusive or.', COMMUTATIVE),
  'arith.shli': binary('Shift left.'),
  'arith.shrsi': binary('Arithmetic shift right.'),
  'arith.shrui': binary('Logical shift right.'),
  'arith.maxsi': binary('Signed maximum.', COMMUTATIVE),
  'arith.maxui': binary('Unsigned maximum.', COMMUTATIVE),
  'arith.minsi': binary('Signed minimum.', COMMUTATIVE),
  'arith.minui': binary('Unsigned minimum.', COMMUTATIVE),
  'tt.mulhiui': binary('High half of the unsigned product.', COMMUTATIVE),
  // ── floats ────────────────────────────────────────────────────────────────────────────────────
  'arith.addf': binary('Float addition.', COMMUTATIVE),
  'arith.subf': binary('Float subtraction.'),
  'arith.mulf': binary('Float multiplication.', COMMUTATIVE),
  'arith.divf': binary('Float division.'),
  'arith.remf': binary('Float remainder (C fmod).'),
  'arith.negf': unary('Negation; flips the sign bit.'),
  'arith.maximumf': binary('Maximum; NaN if either is NaN.', COMMUTATIVE),
  'arith.maxnumf': binary('Maximum; a NaN loses.', COMMUTATIVE),
  'arith.minimumf': binary('Minimum; NaN if either is NaN.', COMMUTATIVE),
  'arith.minnumf': binary('Minimum; a NaN loses.', COMMUTATIVE),
  'tt.clampf': {
    traits: PURE,
    operands: ['x', 'min', 'max'],
    results: 1,
    attributes: ['propagateNan'],
    doc: '{x} limited to [{min}, {max}]; {propagateNan} is "none" or "all".',
  },
  'tt.precise_divf': binary('IEEE-rounded f32 division.'),
  'tt.precise_sqrt': unary('IEEE-rounded f32 square root.'),
  // ── comparisons and choice ────────────────────────────────────────────────────────────────────
  'arith.cmpi': {
    traits: PURE,
    operands: ['lhs', 'rhs'],
    results: 1,
    attributes: ['predicate'],
    doc: 'Integer comparison to i1; {predicate}: eq ne slt sle sgt sge ult ule ugt uge.',
  },
  'arith.cmpf': {
    traits: PURE,
    operands: ['lhs', 'rhs'],
    results: 1,
    attributes: ['predicate'],
    doc: 'Float comparison to i1; {predicate}: oeq ogt oge olt ole une (o: false on NaN, u: true).',
  },
  'arith.select': {
    traits: PURE,
    operands: ['condition', 'yes', 'no'],
    results: 1,
    doc: '{yes} where {condition}, else {no}. A scalar {condition} chooses between whole tiles.',
  },
  // ── casts ─────────────────────────────────────────────────────────────────────────────────────
  'arith.extsi': unary('Widens an integer with its sign.'),
  'arith.extui': unary('Widens an integer with zeros.'),
  'arith.trunci': unary('Keeps the low bits of an integer.'),
  'arith.extf': unary('Widens a float; exact.'),
  'arith.truncf': unary('Narrows a float, rounding to nearest even.'),
  'tt.fp_to_fp': {
    traits: PURE,
    operands: ['x'],
    results: 1,
    attributes: ['rounding?'],
    doc: 'Converts between floats; {rounding} is "rtne" (default) or "rtz".',
  },
  'arith.sitofp': unary('Signed integer to float.'),
  'arith.uitofp': unary('Unsigned integer to float.'),
  'arith.fptosi': unary('Float to signed integer, truncated toward zero.'),
  'arith.fptoui': unary('Float to unsigned integer, truncated toward zero.'),
  'arith.bitcast': unary('The same bits as another type of the same width.'),
  'tt.bitcast': unary('The same address as a pointer to another type.'),
  'tt.int_to_ptr': unary('An i64 address as a pointer.'),
  'tt.ptr_to_int': unary('A pointer as an i64 address.'),
  // ── math ──────────────────────────────────────────────────────────────────────────────────────
  'math.exp': unary('e to the power x.'),
  'math.exp2': unary('2 to the power x.'),
  'math.log': unary('Natural logarithm.'),
  'math.log2': unary('Logarithm to base 2.'),
  'math.log1p': unary('log(1 + x).'),
  'math.expm1': unary('exp(x) - 1.'),
  'math.sin': unary('Sine.'),
  'math.cos': unary('Cosine.'),
  'math.tan': unary('Tangent.'),
  'math.asin': unary('Arc sine.'),
  'math.acos': unary('Arc cosine.'),
  'math.atan': unary('Arc tangent.'),
  'math.atan2': binary('Angle of the point (rhs, lhs).'),
  'math.sinh': unary('Hyperbolic sine.'),
  'math.cosh': unary('Hyperbolic cosine.'),
  'math.tanh': unary('Hyperbolic tangent.'),
  'math.powf': binary('lhs to the power rhs.'),
  'math.sqrt': unary('Square root.'),
  'math.rsqrt': unary('1 / sqrt(x).'),
  'math.erf': unary('Error function.'),
  'math.floor': unary('Largest integer not above x.'),
  'math.ceil': unary('Smallest integer not below x.'),
  'math.round': unary('Nearest integer, halves away from zero.'),
  'math.roundeven': unary('Nearest integer, halves to even.'),
  'math.trunc': unary('Integer part.'),
  'math.absf': unary('Absolute value; clears the sign bit.'),
  'math.absi': unary('Absolute value of a signed integer.'),
  'math.fma': {
    traits: PURE,
    operands: ['x', 'y', 'z'],
    results: 1,
    doc: 'x * y + z, rounded once.',
  },
  // ── programs, pointers and shapes ─────────────────────────────────────────────────────────────
  'tt.get_program_id': {
    traits: ['pure'],
    operands: [],
    results: 1,
    attributes: ['axis'],
    doc: 'Which program this is along {axis} (0, 1, 2); i32.',
  },
  'tt.get_num_programs': {
    traits: ['pure'],
    operands: [],
    results: 1,
    attributes: ['axis'],
    doc: 'How many programs the grid has along {axis}; i32.',
  },
  'tt.make_range': {
    traits: ['pure'],
    operands: [],
    results: 1,
    attributes: ['start', 'end'],
    doc: 'The integers {start} … {end} - 1.',
  },
  'tt.addptr': {
    traits: PURE,
    operands: ['pointer', 'offset'],
    results: 1,
    doc: '{pointer} moved by {offset} elements (a signed integer of any width).',
  },
  'tt.splat': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    doc: 'A tile with the scalar {x} everywhere.',
  },
  'tt.unsplat': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    doc: 'The only element of a tile of one element.',
  },
  'tt.broadcast': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    doc: 'Repeats {x} along its dimensions of size 1 to the shape of the result.',
  },
  'tt.expand_dims': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    attributes: ['axis'],
    doc: 'Inserts a dimension of size 1 at {axis}.',
  },
  'tt.reshape': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    attributes: ['allowReorder?'],
    doc: 'The elements in row-major order under another shape.',
  },
  'tt.trans': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    attributes: ['order'],
    doc: 'Permutes dimensions: dimension i of the result is dimension {order}[i] of {x}.',
  },
  'tt.join': {
    traits: ['pure'],
    operands: ['lhs', 'rhs'],
    results: 1,
    doc: 'Two tiles along a new last dimension of size 2.',
  },
  'tt.split': {
    traits: ['pure'],
    operands: ['x'],
    results: 2,
    doc: 'The two halves of a last dimension of size 2.',
  },
  'tt.cat': {
    traits: ['pure'],
    operands: ['lhs', 'rhs'],
    results: 1,
    attributes: ['axis'],
    doc: 'Two tiles one after the other along {axis}.',
  },
  'tt.gather': {
    traits: ['pure'],
    operands: ['source', 'indices'],
    results: 1,
    attributes: ['axis', 'scratch?', 'scratchBytes?'],
    doc: 'Picks elements of {source} along {axis}.',
  },
  // ── memory ────────────────────────────────────────────────────────────────────────────────────
  'tt.load': {
    traits: ['reads'],
    operands: ['pointer', 'mask?', 'other?'],
    results: 1,
    attributes: ['vector?', 'run?', 'cache?', 'isVolatile?', 'piece?', 'ahead?', 'together?'],
    doc:
      'Reads global memory. Where {mask} is false the result is {other}, or 0. {vector}: how many ' +
      'elements in consecutive registers are known to be one aligned run with one mask; {run}: ' +
      'whatever the mask, where that is more. {piece}: which part of a staged tile it is. {ahead}: ' +
      'issued while something else is worked on, before its result is used. {together}: one test says for ' +
      'all such loads side by side that nothing is masked or out of range.',
  },
  'tt.store': {
    traits: ['writes'],
    operands: ['pointer', 'value', 'mask?'],
    results: 0,
    attributes: ['vector?', 'run?', 'cache?'],
    doc: 'Writes {value} to global memory where {mask}.',
  },
  'tt.atomic_rmw': {
    traits: ['reads', 'writes'],
    operands: ['pointer', 'value', 'mask?'],
    results: 1,
    attributes: ['kind', 'semantics?', 'scope?', 'scratch?', 'scratchBytes?'],
    doc: 'Atomic {kind} (and or xor add fadd max min umax umin exch); the old value.',
  },
  'tt.atomic_cas': {
    traits: ['reads', 'writes'],
    operands: ['pointer', 'compare', 'value'],
    results: 1,
    attributes: ['semantics?', 'scope?', 'scratch?', 'scratchBytes?'],
    doc: 'Atomic compare and exchange; the old value.',
  },
  // ── linear algebra, reductions ────────────────────────────────────────────────────────────────
  'tt.dot': {
    traits: ['pure'],
    operands: ['a', 'b', 'acc'],
    results: 1,
    attributes: ['inputPrecision', 'unroll?', 'matrix?', 'block?', 'hoisted?', 'overlaps?'],
    doc:
      'acc + a · b for tiles M×K, K×N and M×N (or batched, one more dimension in front). ' +
      '{inputPrecision}: "ieee", "tf32", "tf32x3". After distribution {a} and {b} are memdescs. ' +
      '{matrix}: M, N and K of the subgroup matrices that compute it; {block}: rows and columns of a subgroup; ' +
      '{hoisted}: the left operand is read into matrices before the loop around; {overlaps}: what is read ' +
      'last is multiplied while the next tile is stored.',
  },
  'tt.reduce': {
    traits: ['pure'],
    operands: ['inputs*'],
    results: '*',
    attributes: ['axis', 'scratch?', 'scratchBytes?'],
    regions: ['combine'],
    doc:
      'Reduces each input along {axis} with the region, which takes the left elements and then the ' +
      'right ones, and ends in tt.reduce.return. Associative; the order is left open.',
  },
  'tt.reduce.return': {
    traits: ['terminator'],
    operands: ['values*'],
    results: 0,
    doc: 'Ends a combine region.',
  },
  'tt.scan': {
    traits: ['pure'],
    operands: ['inputs*'],
    results: '*',
    attributes: ['axis', 'reverse', 'scratch?', 'scratchBytes?'],
    regions: ['combine'],
    doc: 'Inclusive scan along {axis}; region as in tt.reduce.',
  },
  'tt.scan.return': {
    traits: ['terminator'],
    operands: ['values*'],
    results: 0,
    doc: 'Ends a combine region.',
  },
  'tt.sort': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    attributes: ['first', 'keep', 'descending', 'scratch?', 'scratchBytes?'],
    regions: ['compare'],
    doc:
      "Batcher's bitonic network along the last dimension, from stage {first} on; the best 2 ** {keep} " +
      'elements of each row, upwards or {descending}. The region takes two elements: whether the first ' +
      'is greater, and whether it is NaN.',
  },
  'tt.sort.return': {
    traits: ['terminator'],
    operands: ['values*'],
    results: 0,
    doc: 'Ends a compare region.',
  },
  'tt.map_elementwise': {
    traits: ['pure'],
    operands: ['inputs*'],
    results: '*',
    regions: ['map'],
    doc:
      'Runs the region for each element of tiles of one shape; it takes one scalar of each input and ' +
      'ends in tt.map_elementwise.return.',
  },
  'tt.map_elementwise.return': {
    traits: ['terminator'],
    operands: ['values*'],
    results: 0,
    doc: 'Ends the region of tt.map_elementwise.',
  },
  'tt.histogram': {
    traits: ['pure'],
    operands: ['x', 'mask?'],
    results: 1,
    attributes: ['scratch?', 'scratchBytes?'],
    doc: 'Counts of the values 0 … bins - 1 (bins: the size of the result).',
  },
  // ── control flow ──────────────────────────────────────────────────────────────────────────────
  'scf.for': {
    traits: [],
    operands: ['lower', 'upper', 'step', 'init*'],
    results: '*',
    regions: ['body'],
    attributes: ['numStages?', 'barrierBehindHoisted?', 'turns?'],
    doc:
      'Counts from {lower} to {upper} (exclusive, signed) by {step}. The body takes the counter and ' +
      'the carried values and yields the next ones. {barrierBehindHoisted}: one stands behind what dots read ' +
      'before it. {turns}: for how many iterations its body is written out.',
  },
  'scf.while': {
    traits: [],
    operands: ['init*'],
    results: '*',
    regions: ['before', 'after'],
    doc:
      'Runs `before`, which ends in scf.condition; while true, `after` takes the forwarded values ' +
      'and yields the next ones to `before`. The results are what the last condition forwarded.',
  },
  'scf.if': {
    traits: [],
    operands: ['condition'],
    results: '*',
    regions: ['then', 'else'],
    doc: 'One region or the other; both yield the results.',
  },
  'scf.yield': { traits: ['terminator'], operands: ['values*'], results: 0, doc: 'Ends a region.' },
  'scf.condition': {
    traits: ['terminator'],
    operands: ['condition', 'values*'],
    results: 0,
    doc: 'Ends the `before` region of scf.while.',
  },
  'tt.return': { traits: ['terminator'], operands: [], results: 0, doc: 'Ends the kernel.' },
  // ── debugging ─────────────────────────────────────────────────────────────────────────────────
  'tt.print': {
    traits: ['writes'],
    operands: ['values*'],
    results: 0,
    attributes: ['prefix', 'hex', 'signed'],
    doc: 'Prints {prefix} and the values.',
  },
  'tt.assert': {
    traits: ['writes'],
    operands: ['condition', 'mask?'],
    results: 0,
    attributes: ['message'],
    doc: 'Fails the launch with {message} where {condition} is false.',
  },
  // ── after distribution ────────────────────────────────────────────────────────────────────────
  'ttg.convert_layout': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    attributes: ['scratch?', 'scratchBytes?'],
    doc: 'The same tile in another layout. {scratch}: byte offset in workgroup memory, if it needs any.',
  },
  'ttg.extract_slice': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    attributes: ['origin'],
    doc: 'The part of a tile that begins at {origin}: some of the registers of every thread.',
  },
  'ttg.local_alloc': {
    traits: [],
    operands: [],
    results: 1,
    attributes: ['offset?'],
    doc: 'A tile in workgroup memory, at byte {offset} once allocated; contents undefined.',
  },
  'ttg.local_store': {
    traits: ['writes'],
    operands: ['x', 'target'],
    results: 0,
    attributes: ['slice?'],
    doc:
      'Writes {x} into workgroup memory. {slice}: the origin in {x} of the part that {target} takes, ' +
      'one number a dimension.',
  },
  'ttg.local_load': {
    traits: ['reads'],
    operands: ['source'],
    results: 1,
    doc: 'Reads a whole tile from workgroup memory.',
  },
  'ttg.read_fragments': {
    traits: ['pure'],
    operands: ['x'],
    results: 1,
    attributes: ['origin?', 'scratch?', 'scratchBytes?', 'scratchParts?', 'scratchInRows?'],
    doc:
      'The tile that subgroup matrices hold, in registers; by way of workgroup memory at {scratch}. ' +
      'With {origin}: the rows of it that begin there. {scratchParts}: that memory is an array of so many ' +
      'parts, one for each row of blocks; with {scratchInRows} the one in which rows of operands are staged.',
  },
  'gpu.barrier': {
    traits: ['barrier'],
    operands: [],
    results: 0,
    doc: 'Every thread of the workgroup arrives before any goes on; workgroup memory is in step.',
  },
} satisfies Record<string, OpDescription>;

export type OpName = keyof typeof table;
export const OPS: Record<OpName, OpDescription> = table;

export function hasTrait(name: OpName, trait: Trait): boolean {
  return OPS[name].traits.includes(trait);
}
