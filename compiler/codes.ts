/**
 * Every diagnostic: its stable code, what it means, and its messages. A code never changes its meaning
 * and is never used again. Generated from docs/diagnostics/*.md by `npm run diagnostics`: edit those.
 */

export const CODES = {
  HC0101: 'Syntax error: the text is not Python.',
  HC0102: 'A Python construct that Triton does not compile.',
  HC0103: 'A name that is not defined.',
  HC0104: 'A global that is not a tl.constexpr.',
  HC0105: 'A name that triton.language does not have.',
  HC0106: 'An operation of Triton that is not supported here yet.',
  HC0107: 'Wrong arguments in a call.',
  HC0108: 'An object that a kernel cannot use.',
  HC0109: 'An attribute that the value does not have.',
  HC0110: 'A chained comparison.',
  HC0111: 'break or continue.',
  HC0112: 'return inside a loop.',
  HC0113: 'A loop over something that is not range, tl.range or tl.static_range.',
  HC0114: 'A variable that is not defined on every path.',
  HC0201: 'A value that must be known at compile time (tl.constexpr) is not.',
  HC0202: 'Shapes that do not go together.',
  HC0203: 'A size that is not a power of two.',
  HC0204: 'Operand types that do not go together.',
  HC0205: 'A dtype that the operation does not take.',
  HC0206: 'A dtype that WebGPU cannot compute with.',
  HC0207: 'A constant out of range of its dtype.',
  HC0208: 'A variable that changes its type in a loop.',
  HC0209: 'A variable that has different types after the two branches of an if.',
  HC0210: 'A value used as a condition that is none.',
  HC0211: 'Return types that differ.',
  HC0212: 'A constexpr that is assigned again.',
  HC0213: 'tl.static_assert failed.',
  HC0214: 'An error in a constant expression.',
  HC0215: 'A wrong value of an argument.',
  HC0216: 'A store to a constant pointer.',
  HC0217: 'A tensor too large.',
  HC0218: 'The result of a call that has no other effect is not used.',
  HC0219: 'Calls nested too deeply.',
  HC0220: 'A kernel that returns a value.',
  HC0221: 'A kernel too large to compile.',
  HC0301: 'Deprecated in Triton.',
  HC0399: 'A fault of this compiler.',
  HC0501: 'An operation that the GPU cannot do yet.',
  HC0502: 'An operation in float64 that is not emulated.',
  HC0503: 'A pointer to a pointer where none can be.',
  HC0504: 'A tile that was not distributed as this operation needs it.',
  HC0505: 'A dtype in workgroup memory that was not widened.',
  HC0506: 'An accumulator that was not widened.',
  HC0507: 'An atomic operation that the GPU does not have.',
  HC0508: 'A scan that was not distributed as it needs.',
  HC0509: 'A pointer from nowhere.',
  HC0510: 'A kernel whose WGSL is too large.',
  HC0900: 'An exception in Python.',
  HC0901: 'A kernel that was not tuned.',
  HC0902: 'A kernel that was tuned in part.',
  HC8001: 'A store out of range.',
  HC8002: 'WGSL that WebGPU rejects.',
  HC8003: 'The GPU device was lost.',
  HC8004: 'A load out of range.',
  HC8005: 'A grid without programs.',
  HC8006: 'A grid that CUDA would not launch.',
  HC8009: 'The run failed outside of the program.',
  HC8010: 'The program was stopped.',
  HC8011: 'The program’s process or worker crashed.',
  HC8012: 'A device-side assertion failed.',
  HC8013: 'A launch that was not checked.',
  HC8014: 'A program that waits forever.',
} as const;
export type Code = keyof typeof CODES;

type Text = string | number;

/** Templates of messages, by code. */
export const MESSAGES = {
  HC0399: {
    pass: (p: { readonly pass: Text; readonly what: Text }) =>
      `internal error in pass ${p.pass}: ${p.what}. This is a fault of the compiler, not of your program`,
  },
  HC0501: {
    arena: () => 'an address without an arena',
    printedPointer: () => 'a pointer that does not come from an argument cannot be printed',
  },
  HC0509: {
    nowhere: () => 'this pointer comes neither from an argument nor from an address',
  },
  HC0510: {
    lines: (p: { readonly limit: Text }) =>
      `the kernel is too large: its WGSL has more than ${p.limit} lines. Use smaller tiles, or loops that are not unrolled`,
  },
  HC8002: {
    rejected: (p: { readonly kernel: Text; readonly reason: Text }) =>
      `WGSL rejected for ${p.kernel}: this is a bug of Hippocamp, not of your program. WebGPU says: ${p.reason}`,
  },
  HC8005: {
    empty: (p: { readonly kernel: Text; readonly grid: Text }) =>
      `The grid of ${p.kernel} is (${p.grid}): it has no programs, so nothing was launched.`,
  },
  HC8006: {
    dimensions: (p: { readonly kernel: Text; readonly grid: Text; readonly limit: Text }) =>
      `The grid of ${p.kernel} is (${p.grid}): CUDA allows at most ${p.limit} programs in y and z, so this launch works here but not there.`,
  },
  HC8011: {
    crashed: (p: { readonly reason: Text }) => `The program's worker crashed: ${p.reason}`,
  },
  HC8013: {
    large: (p: { readonly kernel: Text }) =>
      `${p.kernel} was not checked: its tensors are too large for the interpreter.`,
  },
  HC8014: {
    waits: (p: { readonly kernel: Text; readonly program: Text }) =>
      `${p.kernel} waits forever, in program ${p.program}: no program before it sets what it waits for. WebGPU does not promise that programs run side by side, so those of a kernel that waits run one at a time, in order.`,
  },
} as const;
