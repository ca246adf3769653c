/**
 * Facts about an expression as people read them: Markdown for hovers, a few characters for inlay
 * hints.
 */
import type { AccessFact, ExpressionFact, FactInstance, LayoutFact } from './facts';

export interface FactContext {
  /** The text's own kernel and specialization: `add · BLOCK=1024`. */
  readonly specialization: string;
  /** Programs of the launch in view; null before any. */
  readonly programs: number | null;
}

const SHOWN = 4;

/** Lines of Markdown; several instances of an inlined helper one after the other. */
export function factMarkdown(fact: ExpressionFact, context: FactContext): string {
  const { instances } = fact;
  const [first] = instances;
  if (!first) return '';
  const parts: string[] = [];
  const inlined = instances.some(({ calls }) => calls.length > 0);
  if (instances.length === 1) parts.push(...instanceLines(first, context));
  else {
    const total = instances.reduce((sum, { count }) => sum + count, 0);
    const why = inlined ? 'inlined or unrolled' : 'unrolled';
    parts.push(`${total} instances (${why}), ${instances.length} kinds:`);
    for (const instance of instances.slice(0, SHOWN))
      parts.push(
        '---',
        `\`${instance.type}\`${whereOf(instance)}`,
        ...instanceLines(instance, context).slice(1),
      );
    if (instances.length > SHOWN) parts.push(`… and ${instances.length - SHOWN} more kinds.`);
  }
  parts.push(`*In ${context.specialization}.*`);
  return parts.join('\n\n');
}

function whereOf({ calls, count }: FactInstance): string {
  const places = calls.map(({ file, line }) => `${file}:${line}`).join(', from ');
  return `${places ? `, inlined at ${places}` : ''}${count > 1 ? `, ${count} times` : ''}`;
}

function instanceLines(instance: FactInstance, context: FactContext): string[] {
  const { type, axis, layout, access } = instance;
  // A store gives nothing.
  const lines = type === 'None' && access ? [] : [`\`${type}\`${whereOf(instance)}`];
  const rows: string[] = [];
  if (axis && instance.shape) rows.push(...axisRows(axis, instance));
  if (layout) rows.push(`layout: ${layoutText(layout)}`);
  if (access) rows.push(...accessRows(access, context));
  if (rows.length > 0) lines.push(rows.map((row) => `- ${row}`).join('\n'));
  return lines;
}

const list = (numbers: readonly number[]): string =>
  numbers.length === 1 ? factor(numbers[0]!) : `[${numbers.map(factor).join(', ')}]`;
/** Axis analysis has one number for "divisible by anything". */
const factor = (n: number): string => (n >= 2 ** 30 ? 'any' : String(n));

function axisRows(
  axis: NonNullable<FactInstance['axis']>,
  { type, shape }: FactInstance,
): string[] {
  const unit = type.startsWith('pointer') || type.startsWith('*') ? ' bytes' : '';
  const rows = [`divisible by ${list(axis.divisibility)}${unit}`];
  if (shape!.length > 0)
    rows[0] += ` · contiguous ${list(axis.contiguity)} · constant ${list(axis.constancy)}`;
  return rows;
}

function layoutText({ registers, lanes, subgroups, runs }: LayoutFact): string {
  const parts = [`${registers} ${registers === 1 ? 'register' : 'registers'} a thread`];
  parts.push(lanes > 1 ? `${lanes} lanes × ${subgroups} subgroups` : `${subgroups} threads`);
  const runDim = runs.findIndex((run) => run > 1);
  if (runDim >= 0) {
    const along = runs.length > 1 ? ` along dimension ${runDim}` : '';
    parts.push(`${runs[runDim]} neighbours a thread${along}`);
  }
  return parts.join(' · ');
}

function accessRows(access: AccessFact, { programs }: FactContext): string[] {
  const { kind, bytes, elements, elementBytes, mask, vector, repeated, maskConstancy } = access;
  const verb = kind === 'load' ? 'reads' : kind === 'store' ? 'writes' : 'updates';
  const most = mask === null ? '' : ' at most';
  const each = repeated ? ', each round of its loop' : '';
  const total =
    programs !== null && !repeated
      ? ` · ${bytesText(bytes * programs)} in ${programs.toLocaleString('en-US')} programs`
      : '';
  const rows = [
    `${verb}${most} ${bytesText(bytes)} a program (${elements} × ${elementBytes} B)${each}${total}`,
  ];
  if (mask === null) rows.push('no mask');
  else {
    const alike = maskConstancy ? `, the same for ${list(maskConstancy)} in a row` : '';
    rows.push(mask === '' ? `mask made by the compiler${alike}` : `mask \`${mask}\`${alike}`);
  }
  if (vector !== null)
    rows.push(vector > 1 ? `${vector} elements at once` : 'one element at a time');
  return rows;
}

function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toPrecision(3))} ${units[unit]!}`;
}

/** Text behind an assignment's name: `fp32[1024]`. Empty where instances differ. */
export function hintText(fact: ExpressionFact): string {
  const types = new Set(fact.instances.map(({ type }) => type));
  return types.size === 1 ? [...types][0]! : '';
}
