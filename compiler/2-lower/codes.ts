/**
 * Every diagnostic of parsing and lowering: its stable code and what it means. A code never changes
 * its meaning and is never used again.
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
  HC0114: 'A variable that exists only inside a loop, used after it.',
  HC0201: 'A value that must be known at compile time (tl.constexpr) is not.',
  HC0202: 'Shapes that do not go together.',
  HC0203: 'A size that is not a power of two.',
  HC0204: 'Operand types that do not go together.',
  HC0205: 'A dtype that the operation does not take.',
  HC0206: 'A dtype that WebGPU cannot compute with.',
  HC0207: 'A constant out of range of its dtype.',
  HC0208: 'A variable that changes its type in a loop.',
  HC0209: 'A variable that has different types after the two branches of an if.',
  HC0210: 'A tensor used as a condition.',
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
} as const;
export type Code = keyof typeof CODES;

/**
 * Codes of errors that depend on the dtypes of arguments: where those are only guessed from the text,
 * such an error may be the guess's fault.
 */
export const TYPE_CODES: ReadonlySet<string> = new Set<Code>([
  'HC0204',
  'HC0205',
  'HC0206',
  'HC0207',
  'HC0208',
  'HC0209',
  'HC0211',
  'HC0215',
]);
