/**
 * The printed form of thread IR, after MLIR's. It parses back to the same IR (`parser.ts`).
 * Locations are not in the text; they are returned, one for each line.
 *
 *     thread.func @copy(%x: memref<?xf32, storage>, %n: u32) attributes {threads = 128} {
 *       %tid = thread.thread_id : u32
 *       %inside = thread.lt %tid, %n : bool
 *       %v = thread.if %inside : f32 {
 *         %load = thread.load %x, %tid : f32
 *         thread.yield %load
 *       } else {
 *         thread.yield %c0_f32
 *       }
 *       thread.return
 *     }
 */
import type { Location } from '../location';
import { printAttribute } from '../printer';
import type { PrintedIr } from '../printer';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadParameter, ThreadValue } from './ir';
import { printThreadType } from './types';
import type { NumberType } from './types';

/** Text between the closing brace of a region and the next one. */
export const REGION_WORDS: Readonly<Record<string, string>> = {
  'thread.if': 'else',
  'thread.while': 'do',
  'thread.for': 'then',
};

export type PrintedThreads = Pick<PrintedIr, 'text' | 'locations'> & {
  readonly names: ReadonlyMap<ThreadValue, string>;
  /** The 1-based line on which each operation begins. */
  readonly lines: ReadonlyMap<ThreadOp, number>;
};

export function printThreadFunc(func: ThreadFunc): PrintedThreads {
  return new Printer().func(func);
}
/** The text alone. */
export function printThreads(func: ThreadFunc): string {
  return printThreadFunc(func).text;
}

/** The name of a constant: `c8_u32`, `c_1_i32`, `true`, `cst`. */
export function threadConstantName({ scalar, size }: NumberType, value: number): string {
  if (size > 1) return 'cst';
  if (scalar === 'bool') return value === 0 ? 'false' : 'true';
  if (scalar === 'f32' || scalar === 'f16') return 'cst';
  return `c${String(value).replace('-', '_')}_${scalar}`;
}

function printNumber(type: NumberType, value: number): string {
  if (type.scalar === 'bool') return value === 0 ? 'false' : 'true';
  if (type.scalar === 'i32' || type.scalar === 'u32') return String(value);
  return printAttribute(value).replace(/^(-?\d+)$/, '$1.0');
}

function printParameter(parameter: ThreadParameter): string {
  if (parameter.kind === 'buffer') {
    const group = parameter.group === 'shared' ? '"shared"' : parameter.group;
    return `{group = ${group}, written = ${parameter.written}}`;
  }
  return `{word = ${printAttribute({ ...parameter.word })}}`;
}

class Printer {
  readonly #lines: string[] = [];
  readonly #begins = new Map<ThreadOp, number>();
  readonly #locations: (Location | null)[] = [];
  readonly #names = new Map<ThreadValue, string>();
  readonly #taken = new Set<string>();
  readonly #suffix = new Map<string, number>();
  #count = 0;

  func(func: ThreadFunc): PrintedThreads {
    const parameters = func.body.args.map(
      (arg, i) =>
        `${this.#name(arg)}: ${printThreadType(arg.type)} ${printParameter(func.parameters[i]!)}`,
    );
    const entries = Object.entries(func.attributes).map(
      ([key, value]) => `${key} = ${printAttribute(value)}`,
    );
    const attributes = entries.length > 0 ? ` attributes {${entries.join(', ')}}` : '';
    this.#line(`thread.func @${func.name}(`, func.location);
    parameters.forEach((text, i) =>
      this.#line(`  ${text}${i + 1 < parameters.length ? ',' : ''}`, func.location),
    );
    this.#line(`)${attributes} {`, func.location);
    this.#block(func.body, 1);
    this.#line('}', null);
    return {
      text: `${this.#lines.join('\n')}\n`,
      locations: [...this.#locations, null],
      names: this.#names,
      lines: this.#begins,
    };
  }

  #line(text: string, location: Location | null): void {
    this.#lines.push(text);
    this.#locations.push(location);
  }
  #block(block: ThreadBlock, depth: number): void {
    for (const op of block.ops) this.#operation(op, depth);
  }

  #operation(op: ThreadOp, depth: number): void {
    this.#begins.set(op, this.#lines.length + 1);
    const indent = '  '.repeat(depth);
    let text = indent;
    if (op.results.length > 0)
      text += `${op.results.map((value) => this.#name(value)).join(', ')} = `;
    text += op.name;
    if (op.operands.length > 0)
      text += ` ${op.operands.map((each) => this.#name(each)).join(', ')}`;
    let { attributes } = op;
    if (op.name === 'thread.constant') {
      const { value, ...rest } = attributes;
      text += ` ${printNumber(op.result.type as NumberType, value as number)}`;
      attributes = rest;
    }
    const entries = Object.entries(attributes).map(
      ([key, value]) => `${key} = ${printAttribute(value)}`,
    );
    if (entries.length > 0) text += ` {${entries.join(', ')}}`;
    if (op.results.length > 0)
      text += ` : ${op.results.map(({ type }) => printThreadType(type)).join(', ')}`;
    op.regions.forEach((region, i) => {
      this.#line(i === 0 ? `${text} {` : `${indent}} ${REGION_WORDS[op.name]} {`, op.location);
      if (region.args.length > 0) {
        const args = region.args.map((arg) => `${this.#name(arg)}: ${printThreadType(arg.type)}`);
        this.#line(`${indent}^(${args.join(', ')}):`, op.location);
      }
      this.#block(region, depth + 1);
    });
    this.#line(op.regions.length > 0 ? `${indent}}` : text, op.regions.length ? null : op.location);
  }

  #name(value: ThreadValue): string {
    let name = this.#names.get(value);
    if (name === undefined) this.#names.set(value, (name = this.#freshName(value)));
    return name;
  }
  #freshName(value: ThreadValue): string {
    const op = value.definition;
    let hint = value.name?.replace(/\W/g, '_').replace(/^(?=\d)/, '_');
    if (op?.name === 'thread.constant')
      hint = threadConstantName(value.type as NumberType, op.attributes['value'] as number);
    if (!hint) return `%${this.#count++}`;
    let name = hint;
    if (this.#taken.has(name)) {
      let suffix = this.#suffix.get(hint) ?? 0;
      do name = `${hint}_${suffix++}`;
      while (this.#taken.has(name));
      this.#suffix.set(hint, suffix);
    }
    this.#taken.add(name);
    return `%${name}`;
  }
}
