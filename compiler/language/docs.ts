/**
 * Documentation of each name of `triton.language`, in a line or two, for completion and hovers.
 * Signatures stand in the compiler's own tables; a test requires that every function there has a
 * text here, and no other has.
 */

import { ignoredText, LOOP_HINTS } from './hints';

/** By the name in `triton.language`. */
export const LANGUAGE_DOCS: Readonly<Record<string, string>> = {
  // Programs and loops
  program_id: 'The index of this program along `axis` (0, 1 or 2) of the launch grid.',
  num_programs: 'How many programs the launch grid has along `axis` (0, 1 or 2).',
  range: `A loop over integers, like Python’s \`range\`, with hints for CUDA: ${ignoredText(LOOP_HINTS)}`,
  static_range:
    'A loop that is unrolled: its variable is a compile-time constant in each iteration.',
  condition: 'The condition of a `while` loop. `disable_licm` has no effect here.',
  debug_barrier: 'Every thread of the program waits here for the others.',
  // Making tiles
  arange:
    'The integers from `start` to `end` (excluded), as an int32 tile. Both are compile-time ' +
    'constants, and `end - start` is a power of two.',
  full: 'A tile of `shape` with `value` in every element.',
  zeros: 'A tile of `shape` filled with zeros.',
  zeros_like: 'A tile of zeros with the shape and dtype of `input`.',
  cat: 'Joins two tiles along `dim`. With `can_reorder` the order of the elements is free.',
  join: 'Puts two tiles side by side along a new last dimension of size 2.',
  split:
    'Cuts a tile along its last dimension, which has size 2, into two tiles: the inverse of `join`.',
  to_tensor: 'A compile-time number as a tensor.',
  // Shapes
  broadcast: 'Stretches dimensions of size 1, so that both tiles have one shape.',
  broadcast_to: 'Stretches dimensions of size 1 to `shape`.',
  expand_dims: 'Puts a dimension of size 1 at `axis`; the same as indexing with `None` there.',
  unsqueeze: 'Puts a dimension of size 1 at `dim`.',
  squeeze: 'Takes away dimension `dim`, which has size 1.',
  reshape:
    'The same elements, row by row, in another shape. With `can_reorder` their order is free.',
  view: 'The same elements in another shape, in an order of the compiler’s choice. Prefer `reshape`.',
  ravel: 'The elements as a tile of one dimension.',
  trans: 'Swaps the last two dimensions, or permutes by `dims`.',
  permute: 'Reorders the dimensions: dimension `dims[i]` becomes dimension i.',
  interleave: 'Elements of `a` and `b` in turn, along the last dimension.',
  flip: 'Reverses a tile along `dim`, the last one if none is given.',
  item: 'The only element of a tile of one element, as a scalar.',
  // Memory
  load:
    'Reads the elements that `pointer` points to. Where `mask` is false memory is not touched, and ' +
    'the element is `other` (undefined without it). Block pointers take `boundary_check` and ' +
    '`padding_option` instead of a mask.',
  store: 'Writes `value` where `pointer` points to, except where `mask` is false.',
  make_block_ptr:
    'A pointer to a block of a strided tensor in memory: `shape` and `strides` describe the tensor, ' +
    '`offsets` and `block_shape` the block, `order` which dimension runs fastest.',
  advance: 'A block pointer moved by `offsets`, in elements of each dimension.',
  make_tensor_descriptor:
    'Describes a strided tensor in memory, to load and store blocks of `block_shape` by their ' +
    'coordinates. What lies outside of it reads as `padding_option` and is not written.',
  load_tensor_descriptor: 'Loads the block of a descriptor that begins at `offsets`.',
  store_tensor_descriptor: 'Stores a block of a descriptor at `offsets`.',
  atomic_add: 'Adds `val` to memory in one step, and returns what stood there.',
  atomic_and: 'Bitwise and with memory in one step; returns what stood there.',
  atomic_or: 'Bitwise or with memory in one step; returns what stood there.',
  atomic_xor: 'Bitwise exclusive or with memory in one step; returns what stood there.',
  atomic_xchg: 'Writes `val` and returns what stood there, in one step.',
  atomic_max:
    'Writes the larger of `val` and what stands there, in one step; returns the old value.',
  atomic_min:
    'Writes the smaller of `val` and what stands there, in one step; returns the old value.',
  atomic_cas: 'Writes `val` where memory equals `cmp`, in one step; returns what stood there.',
  gather: 'Takes, along `axis`, the elements of `src` at `index`.',
  // Products
  dot:
    'The matrix product of two tiles, plus `acc`. `input_precision` of fp32 operands is "tf32", ' +
    '"tf32x3" or "ieee". Tiles of three dimensions are multiplied batch by batch.',
  dot_scaled:
    'The matrix product of tiles in microscaling formats: blocks of elements share a scale. ' +
    'The formats are "e2m1", "e4m3", "e5m2", "bf16" and "fp16".',
  // Reductions, scans, order
  reduce:
    'Combines all elements along `axis` (`None`: all of them) by the jitted function `combine_fn`.',
  associative_scan: 'All prefixes along `axis`, combined by the jitted function `combine_fn`.',
  sum: 'The sum along `axis`, or of all elements. Integers narrower than 32 bits are widened.',
  max: 'The largest element along `axis`, or of all; with `return_indices` also where it stands.',
  min: 'The smallest element along `axis`, or of all; with `return_indices` also where it stands.',
  argmax: 'Where the largest element along `axis` stands.',
  argmin: 'Where the smallest element along `axis` stands.',
  xor_sum: 'The exclusive or of the elements along `axis`, or of all.',
  reduce_or: 'The bitwise or of the elements along `axis`.',
  cumsum: 'Running sums along `axis`.',
  cumprod: 'Running products along `axis`.',
  histogram: 'How many elements fall on each of the integers 0 … `num_bins` - 1.',
  sort: 'The elements in order along `dim`, the last one if none is given.',
  topk: 'The `k` largest elements (smallest with `descending=False`) along the last dimension, in order.',
  bitonic_merge: 'Sorts along `dim` a tile whose two halves are sorted, one up and one down.',
  map_elementwise:
    'Calls the jitted function `scalar_fn` for each element, `pack` of them at a time.',
  // Choice and comparison
  where: '`x` where `condition` is true, else `y`. Both are computed.',
  maximum:
    'The larger of two, element by element. NaN loses, unless `propagate_nan=tl.PropagateNan.ALL`.',
  minimum:
    'The smaller of two, element by element. NaN loses, unless `propagate_nan=tl.PropagateNan.ALL`.',
  clamp: '`x` limited to [`min`, `max`].',
  // Arithmetic
  abs: 'The absolute value.',
  add: '`x + y`.',
  sub: '`x - y`.',
  mul: '`x * y`.',
  fma: '`x * y + z`, rounded once.',
  fdiv: '`x / y` of floats, fast; with `ieee_rounding` rounded exactly.',
  div_rn: '`x / y` of fp32, rounded to nearest even.',
  cdiv: '`x / div` of integers, rounded up.',
  umulhi: 'The high half of the product of unsigned integers.',
  ceil: 'Rounds up to a whole number.',
  floor: 'Rounds down to a whole number.',
  sqrt: 'The square root, fast.',
  sqrt_rn: 'The square root, rounded to nearest even.',
  rsqrt: 'One over the square root.',
  exp: 'e to the power of `x`.',
  exp2: '2 to the power of `x`.',
  log: 'The natural logarithm.',
  log2: 'The logarithm to base 2.',
  sin: 'The sine.',
  cos: 'The cosine.',
  erf: 'The error function.',
  sigmoid: '1 / (1 + exp(-x)).',
  softmax: 'exp(x - max(x)), divided by its sum along `dim`.',
  // Types
  cast: '`input` converted to `dtype`; with `bitcast` the same bits read as `dtype`.',
  get_int_dtype: 'The integer dtype of `bitwidth` bits.',
  pointer_type: 'The type of pointers to `element_ty`.',
  // Random numbers
  rand: 'Uniform fp32 numbers in [0, 1), one for each `offset`: the same seed gives the same numbers.',
  rand4x: 'Four tiles of uniform numbers in [0, 1), for the price of one.',
  randn: 'Normal fp32 numbers, one for each `offset`.',
  randn4x: 'Four tiles of normal numbers.',
  randint: 'Random int32, one for each `offset`.',
  randint4x: 'Four tiles of random int32, for the price of one.',
  philox:
    'Philox, the generator of random bits below `rand`: four words for a counter of four words.',
  philox_impl: 'The rounds of Philox on a counter of four words and a key of two.',
  uint_to_uniform_float: 'Random bits as fp32 in [0, 1).',
  pair_uniform_to_normal: 'Two tiles of uniform numbers as two of normal ones (Box and Muller).',
  swizzle2d:
    'New coordinates for tile (`i`, `j`) of a grid of `size_i` × `size_j`, so that groups of `size_g` ' +
    'rows are walked together and the cache is used better.',
  // Hints: facts that the author promises.
  multiple_of: 'Promises that the values are multiples of `values`. Believed without a check.',
  max_contiguous:
    'Promises that the first `values` elements count up by one. Believed without a check.',
  max_constancy:
    'Promises that the first `values` elements are the same. Believed without a check.',
  assume: 'Promises that `cond` is true: a hint for CUDA that has no effect here.',
  expect_zero: '`x`, promised to be zero where `mask` is false.',
  // Printing
  device_print: 'Prints `prefix` and the values of each program, while the kernel runs.',
  device_assert: 'Ends the program with an error where `cond` is false, if debugging is on.',
  static_print: 'Prints while the kernel is compiled: types and compile-time values.',
  static_assert: 'Fails the compilation where `cond`, a compile-time value, is false.',
  inline_asm_elementwise:
    'Inline PTX on elements, `pack` at a time. Here, straight-line arithmetic is translated to WGSL; ' +
    'other instructions are refused by name.',
};

/** Methods of tensors that are no function of the language. */
export const METHOD_DOCS: Readonly<Record<string, string>> = {
  to: 'The tile converted to `dtype`; with `bitcast` the same bits read as `dtype`.',
  logical_and: 'True where both are, element by element.',
  logical_or: 'True where one is, element by element.',
};

/** Attributes of a tile in a kernel. */
export const TILE_ATTRIBUTES: Readonly<Record<string, string>> = {
  dtype: 'The dtype of the elements.',
  shape: 'The sizes, a tuple of compile-time constants.',
  numel: 'How many elements there are, a compile-time constant.',
  type: 'The dtype and shape together.',
  T: 'The transposed tile, of two dimensions.',
};

/** Classes and values of `triton.language` that are no functions. */
export const CLASS_DOCS: Readonly<Record<string, string>> = {
  constexpr: 'A compile-time constant: each value compiles the kernel anew.',
  const: 'Annotates a pointer that the kernel only reads: stores through it are errors.',
  tensor: 'A tile, or a scalar, of numbers or pointers.',
  dtype: 'The type of an element.',
  block_type: 'The type of a tile: its shape and dtype.',
  tuple: 'A tuple of values in a kernel.',
  tensor_descriptor: 'A tensor in memory whose blocks are loaded and stored by their coordinates.',
  tensor_descriptor_type: 'The type of a tensor descriptor.',
  PropagateNan: 'Whether `maximum`, `minimum` and `clamp` give NaN for NaN: `ALL`, or `NONE`.',
  constexpr_type: 'The type of a compile-time constant.',
  base_value: 'What all values of a kernel have in common.',
  base_type: 'What all types of values of a kernel have in common.',
};

const ROUNDINGS: Readonly<Record<string, string>> = {
  rn: 'to nearest even',
  rz: 'toward zero',
  rd: 'down',
  ru: 'up',
};
const TYPES: Readonly<Record<string, string>> = {
  float: 'fp32',
  double: 'fp64',
  int: 'int32',
  uint: 'uint32',
  ll: 'int64',
  ull: 'uint64',
  longlong: 'int64',
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  add: '`arg0 + arg1`',
  sub: '`arg0 - arg1`',
  mul: '`arg0 * arg1`',
  div: '`arg0 / arg1`',
  fma: '`arg0 * arg1 + arg2`',
  rcp: '`1 / arg0`',
  sqrt: 'The square root',
  rsqrt: 'One over the square root',
};

/** Documentation of a function of libdevice, from the names of CUDA's math library. */
export function libdeviceDoc(name: string): string {
  const rounded = /^(\w+?)_(rn|rz|rd|ru)$/.exec(name);
  const rounding = ROUNDINGS[rounded?.[2] ?? ''];
  const converted = /^([a-z]+?)(?:2|_as_)([a-z]+)$/.exec(rounded?.[1] ?? name);
  const [from, to] = [TYPES[converted?.[1] ?? ''], TYPES[converted?.[2] ?? '']];
  if (from && to)
    return rounding
      ? `${from} to ${to}, rounded ${rounding}.`
      : `The bits of ${from}, read as ${to}.`;
  const what = ARITHMETIC[rounded?.[1] ?? ''];
  if (what && rounding) return `${what}, rounded ${rounding}.`;
  if (name.startsWith('fast_')) return 'CUDA’s fast, less exact variant.';
  return 'A function of CUDA’s math library, under its name there.';
}
