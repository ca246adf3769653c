/** The visitor's view of a program's output; it stays from run to run. */
import { storeOfProgram } from '../../state/ofProgram';
import type { OutputItem } from '../../state/record';

export const OUTPUT_KINDS = ['all', 'prints', 'launches', 'tensors', 'checks'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

interface OutputState {
  readonly kind: OutputKind;
  readonly search: string;
  /** Names of tensors that stand open. */
  readonly open: ReadonlySet<string>;
}

/** Programs whose choices are remembered while the page is open. */
const KEPT = 20;

export const useOutput = storeOfProgram<OutputState>(
  { kind: 'all', search: '', open: new Set() },
  KEPT,
);

export function toggleTensor(name: string): void {
  const open = new Set(useOutput.getState().open);
  if (!open.delete(name)) open.add(name);
  useOutput.setState({ open });
}

function kindOf(item: OutputItem): OutputKind {
  switch (item.kind) {
    case 'print':
    case 'device-print':
    case 'figure':
      return 'prints';
    case 'launch':
    case 'benchmark':
      return 'launches';
    case 'tensor':
    case 'more-tensors':
      return 'tensors';
    case 'comparison':
    case 'sweep':
    case 'diagnostic':
      return 'checks';
    default:
      return item satisfies never;
  }
}

function textOf(item: OutputItem): string {
  switch (item.kind) {
    case 'print':
      return item.text;
    case 'device-print':
      return `${item.kernel} ${item.prints.map(({ prefix, values }) => `${prefix} ${values.join(' ')}`).join(' ')}`;
    case 'figure':
      return item.name;
    case 'launch':
      return `${item.first.kernel} ${item.first.arguments.join(' ')}`;
    case 'benchmark':
      return item.name;
    case 'sweep':
      return `sweep ${item.sweep.name} ${item.sweep.failure?.case ?? ''}`;
    case 'tensor':
      return [item.tensor.name, ...item.tensor.also, item.tensor.dtype].join(' ');
    case 'more-tensors':
      return '';
    case 'comparison': {
      const { kind, call } = item.comparison;
      return `${kind} ${call ? `${call.function} ${call.actual} ${call.expected}` : ''}`;
    }
    case 'diagnostic':
      return `${item.diagnostic.code} ${item.diagnostic.message}`;
    default:
      return item satisfies never;
  }
}

/** The items that the filter lets through, with their places in the output. */
export function filtered(
  output: readonly OutputItem[],
  kind: OutputKind,
  search: string,
): readonly { readonly item: OutputItem; readonly index: number }[] {
  const wanted = search.trim().toLowerCase();
  const all = output.map((item, index) => ({ item, index }));
  if (kind === 'all' && wanted === '') return all;
  return all.filter(
    ({ item }) =>
      (kind === 'all' || kindOf(item) === kind) &&
      (wanted === '' || textOf(item).toLowerCase().includes(wanted)),
  );
}
