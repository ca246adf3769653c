/** Two programs run with the same seed: their times by kernel, and their tensors by name. */
import type { TensorSummary } from '../../events';
import { passed } from '../../passed';
import { difference, differenceText } from '../../profile/difference';
import { profileOf } from '../../profile/profile';
import type { RunRecord } from '../../state/record';
import { LIST_ITEMS } from './limits';
import type { CompareResult } from './results';
import { diagnosticResult } from './summary';

type TensorResult = CompareResult['tensors'][number];
/**
 * Share of a tensor's largest value by which its elements may differ in rounding: some steps of the
 * type, as sums in another order have them.
 */
const ROUNDING: Readonly<Record<string, number>> = {
  float64: 1e-12,
  float32: 1e-5,
  float16: 4e-3,
  bfloat16: 3e-2,
  float8_e4m3fn: 0.25,
  float8_e5m2: 0.5,
};

export function compareRuns(before: RunRecord, after: RunRecord): CompareResult {
  const [a, b] = [tensorsOf(before), tensorsOf(after)];
  const shared = [...a.keys()].filter((name) => b.has(name)).slice(0, LIST_ITEMS);
  const times = difference(profileOf(before), profileOf(after));
  return {
    version: 1,
    before: endOf(before),
    after: endOf(after),
    times: structuredClone(times) as CompareResult['times'],
    tensors: shared.map((name) => compareTensors(name, a.get(name)!, b.get(name)!)),
    only_before: [...a.keys()].filter((name) => !b.has(name)).slice(0, LIST_ITEMS),
    only_after: [...b.keys()].filter((name) => !a.has(name)).slice(0, LIST_ITEMS),
  };
}

function endOf(record: RunRecord): CompareResult['before'] {
  return {
    outcome: record.outcome ?? 'error',
    passed: passed(record),
    failed_comparisons: record.comparisons.filter((each) => !each.passed).length,
    diagnostics: record.diagnostics.slice(0, LIST_ITEMS).map(diagnosticResult),
  };
}

/** The tensors that the program left, by name. */
function tensorsOf({ output }: RunRecord): Map<string, TensorSummary> {
  return new Map(
    output.flatMap((item) =>
      item.kind === 'tensor' && item.tensor.name !== null ? [[item.tensor.name, item.tensor]] : [],
    ),
  );
}

function compareTensors(name: string, before: TensorSummary, after: TensorSummary): TensorResult {
  const { shape, dtype, count, preview } = before;
  const nothing = {
    compared: 0,
    tolerance: 0,
    differing: 0,
    largest_difference: null,
    first: null,
  };
  const head = { name, shape: [...shape], dtype, elements: count };
  if (dtype !== after.dtype || shape.join() !== after.shape.join())
    return {
      ...head,
      ...nothing,
      message: `after, it is ${after.dtype} [${after.shape.join(', ')}]`,
    };
  const others = after.preview.values;
  const scale = Math.max(...[before, after].map(({ min, max }) => largestOf(min, max)));
  const tolerance = (ROUNDING[dtype] ?? 0) * scale;
  let differing = 0;
  let largest: number | null = null;
  let first: TensorResult['first'] = null;
  preview.values.forEach((value, i) => {
    const other = others[i];
    if (other === undefined || agree(value, other, tolerance)) return;
    differing++;
    if (typeof value === 'number' && typeof other === 'number')
      largest = Math.max(largest ?? 0, Math.abs(value - other));
    first ??= { index: indexOf(i, before), before: value, after: other };
  });
  const compared = Math.min(preview.values.length, others.length);
  return {
    ...head,
    compared,
    tolerance,
    differing,
    largest_difference: largest,
    first,
    message: null,
  };
}

function agree(a: number | string, b: number | string, tolerance: number): boolean {
  if (a === b) return true;
  return typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= tolerance;
}

const largestOf = (min: number | null, max: number | null): number =>
  Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0));

/**
 * The place in the tensor of an element of its preview, which has the rows of all leading
 * dimensions one below the other.
 */
function indexOf(i: number, { shape, preview }: TensorSummary): number[] {
  const { columns, rowStep, columnStep } = preview;
  const column = (i % columns) * columnStep;
  let row = Math.floor(i / columns) * rowStep;
  const index = [column];
  for (const size of shape.slice(0, -1).reverse()) {
    index.unshift(row % size);
    row = Math.floor(row / size);
  }
  return shape.length === 0 ? [] : index;
}

export function compareText({ before, after, times, tensors }: CompareResult): string {
  const end = ({ outcome, failed_comparisons: failed }: CompareResult['before']): string =>
    `${outcome}${failed > 0 ? `, ${failed} comparisons failed` : ''}`;
  const lines = tensors.map(({ name, compared, elements, differing, first, message }) => {
    if (message !== null) return `  ${name}: ${message}`;
    const of = compared < elements ? `${compared} of ${elements} elements` : `${elements} elements`;
    if (differing === 0) return `  ${name}: equal but for rounding (${of})`;
    const at = first ? `, first at [${first.index.join(', ')}]` : '';
    const values = first ? `: ${first.before} before, ${first.after} after` : '';
    return `  ${name}: ${differing} differ of ${of}${at}${values}`;
  });
  return `before: ${end(before)}\nafter: ${end(after)}\ntimes ${differenceText(times)}tensors\n${lines.join('\n') || '  none of the same name'}\n`;
}
