/** The first operation that departs from a float64 run, in words. */
import type { Departure, DepartureReport } from '../../../compiler/inspect/departure';
import { formatNumber } from '../common/format';

const NAMES: Readonly<Record<string, string>> = {
  i1: 'a bool',
  i8: 'int8',
  i16: 'int16',
  i32: 'int32',
  i64: 'int64',
  f16: 'float16',
  bf16: 'bfloat16',
  f32: 'float32',
  f64: 'float64',
  f8E4M3FN: 'float8e4nv',
  f8E5M2: 'float8e5',
  f8E4M3FNUZ: 'float8e4b8',
  f8E5M2FNUZ: 'float8e5b16',
  f8E4M3B11FNUZ: 'float8e4b15',
  pointer: 'an address',
};
/** Operands so many times the result: their rounding is the result's error. */
const CANCELS = 1000;

const typeName = (dtype: string): string => NAMES[dtype] ?? dtype;

const number = (value: number): string => formatNumber(value, 7);

/** `in iteration 5 of the loop at line 9` */
function loopsText({ loops }: Departure): string {
  const places = loops.map(
    ({ line, iteration }) => `iteration ${iteration} of the loop at line ${line}`,
  );
  return places.length === 0 ? '' : `, in ${places.toReversed().join(', ')}`;
}

/** Behind the place: what departs there, and the likely reason. */
export function departureText(departure: Departure): string {
  const { why, op, dtype, actual, exact, relative, largest, index } = departure;
  const where = loopsText(departure);
  const type = typeName(dtype);
  const element = index.length > 0 ? ` of element [${index.join(', ')}]` : '';
  switch (why) {
    case 'branch':
      return `${op}${where}: a float64 run goes another way here. The condition is decided by rounding.`;
    case 'range':
      return `${op}${element}${where}: ${type} cannot hold ${number(exact)}, which becomes ${number(actual)}.`;
    case 'value': {
      const values = `${number(actual)} in ${type}, ${number(exact)} in float64`;
      if (!Number.isFinite(actual)) return `${op}${element}${where}: ${values}. ${type} overflows.`;
      const off = Number.isFinite(relative) ? ` (off by ${formatNumber(100 * relative, 3)} %)` : '';
      const cancels = largest !== null && largest > CANCELS * Math.abs(exact);
      const reason = cancels
        ? ` Operands as large as ${number(largest)} cancel, and their rounding is left.`
        : ' Earlier operations are within rounding.';
      return `${op}${element}${where}: ${values}${off}.${reason}`;
    }
    default:
      return why satisfies never;
  }
}

/** The sentence where nothing departs. @param values the run's and the expected one */
export function agreementText(
  { stored }: DepartureReport,
  values: { readonly actual: number; readonly expected: number } | null,
): string {
  if (!stored) return 'Nothing departs.';
  const { actual, exact } = stored;
  const error = values ? Math.abs(values.actual - values.expected) : 0;
  if (values && Math.abs(values.actual - actual) > error / 8)
    return (
      `Nothing departs, and the interpreter stores ${number(actual)} where the run has ` +
      `${number(values.actual)}. A race between programs, or what changed the tensor afterwards, ` +
      'explains such a difference; precision does not.'
    );
  return (
    `Nothing departs: a float64 run of this program stores ${number(exact)}, this one ` +
    `${number(actual)}. Precision is not what is wrong. Look at indices, masks and the formula.`
  );
}
