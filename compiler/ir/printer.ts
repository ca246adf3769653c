/**
 * The printed form of tile IR, after MLIR's. It parses back to the same IR (`parser.ts`), and
 * printing that gives the same text. Locations are not in the text; they are returned, one for each
 * line.
 *
 *     #L0 = #linear<{register = [[0, 1]], lane = [[1, 0]], subgroup = []}>
 *     tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32) {
 *       %pid = tt.get_program_id {axis = 0} : i32
 *       %sum = scf.for %c0_i32, %n, %c1_i32, %zero : f32 {
 *       ^(%i: i32, %acc: f32):
 *         …
 *         scf.yield %next
 *       }
 *       tt.return
 *     }
 *
 * A value's name is its hint made unique (`%offs`, `%offs_0`), a number where it has none;
 * constants are named by their value (`%c1024_i32`, `%true`, `%cst`).
 */
import type { Attribute, Block, Func, Operation, Value } from './ir';
import type { Layout } from './layout';
import type { Location } from './location';
import type { ScalarValue } from './numbers';
import type { DType, ElementType, Type } from './types';
import { dtypeOf, isFloat } from './types';

export interface PrintedIr {
  readonly text: string;
  /** For each line of `text`, the operation's location; null for layouts and closing braces. */
  readonly locations: readonly (Location | null)[];
  /** The names that the text has, with their `%`. */
  readonly names: ReadonlyMap<Value, string>;
  /** The 1-based line at which each operation begins. */
  readonly lines: ReadonlyMap<Operation, number>;
}

/** Text that follows a region's closing brace before the next region. */
const REGION_WORDS: Partial<Record<string, string>> = { 'scf.if': 'else', 'scf.while': 'do' };

export function printFunc(func: Func): PrintedIr {
  return new Printer().func(func);
}
/** The text alone. */
export function printIr(func: Func): string {
  return printFunc(func).text;
}

/** The name a constant without a hint gets: `c8_i32`, `c_1_i64`, `true`, `cst`. */
export function constantName(type: Type, value: ScalarValue): string {
  const dtype = dtypeOf(type);
  if (typeof value === 'boolean') return type.kind === 'tensor' ? 'cst' : String(value);
  if (type.kind === 'tensor' || !dtype || isFloat(dtype)) return 'cst';
  return `c${String(value).replace('-', '_')}_${dtype}`;
}

function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
/** A constant's value as it stands before its type. */
function printScalar(dtype: DType, value: ScalarValue): string {
  return typeof value === 'number' && isFloat(dtype) ? printFloat(value) : String(value);
}
/** Types without layouts, for messages and hovers; `printFunc` adds the layouts. */
export function printType(type: Type, layoutName?: (layout: Layout) => string): string {
  switch (type.kind) {
    case 'scalar':
    case 'pointer':
      return printElement(type);
    case 'tensor': {
      const layout = type.layout && layoutName ? `, ${layoutName(type.layout)}` : '';
      return `tensor<${type.shape.join('x')}x${printElement(type.element)}${layout}>`;
    }
    case 'memdesc':
      return (
        `!ttg.memdesc<${type.shape.join('x')}x${printElement(type.element)}, ` +
        `order = [${type.order.join(', ')}], pad = ${type.padding}` +
        `${type.slabs ? `, slabs = [${type.slabs.join(', ')}]` : ''}>`
      );
    case 'fragments':
      return (
        `!ttg.fragments<${type.shape.join('x')}x${printElement(type.element)}, ` +
        `block = [${type.block.join(', ')}], matrix = [${type.matrix.join(', ')}]` +
        `${type.across ? `, across = ${type.across}` : ''}>`
      );
    default:
      return type satisfies never;
  }
}
function printElement(element: ElementType): string {
  return element.kind === 'pointer' ? `!tt.ptr<${printElement(element.pointee)}>` : element.dtype;
}

export function printAttribute(value: Attribute): string {
  switch (typeof value) {
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? String(value)
        : printFloat(value);
    case 'bigint':
      return `${value} : i64`;
    case 'boolean':
      return String(value);
    case 'string':
      return JSON.stringify(value);
    default:
      return Array.isArray(value)
        ? `[${value.map(printAttribute).join(', ')}]`
        : printDictionary(value as Readonly<Record<string, Attribute>>);
  }
}
function printDictionary(dictionary: Readonly<Record<string, Attribute>>): string {
  const entries = Object.entries(dictionary).map(
    ([key, value]) =>
      `${/^[A-Za-z_][\w.]*$/.test(key) ? key : JSON.stringify(key)} = ${printAttribute(value)}`,
  );
  return `{${entries.join(', ')}}`;
}
function printLayout(layout: Layout): string {
  const bases = (list: readonly (readonly number[])[]) =>
    `[${list.map((basis) => `[${basis.join(', ')}]`).join(', ')}]`;
  return (
    `#linear<{register = ${bases(layout.register)}, lane = ${bases(layout.lane)}, ` +
    `subgroup = ${bases(layout.subgroup)}}>`
  );
}

class Printer {
  readonly #lines: string[] = [];
  readonly #locations: (Location | null)[] = [];
  readonly #starts = new Map<Operation, number>();
  readonly #names = new ValueNames();
  readonly #layouts = new LayoutNames();

  func(func: Func): PrintedIr {
    const parameters = func.body.args.map((arg, i) => {
      const { divisibility, range, tensor, wholeVectors } = func.parameters[i] ?? {};
      const attributes = {
        ...(divisibility === undefined ? {} : { 'tt.divisibility': divisibility }),
        ...(range === undefined ? {} : { 'tt.range': range }),
        ...(tensor === undefined ? {} : { tensor }),
        ...(wholeVectors ? { wholeVectors } : {}),
      };
      const known = Object.keys(attributes).length > 0 ? ` ${printDictionary(attributes)}` : '';
      return `${this.#name(arg)}: ${this.#type(arg.type)}${known}`;
    });
    const attributes =
      Object.keys(func.attributes).length > 0
        ? ` attributes ${printDictionary(func.attributes)}`
        : '';
    this.#line(`tt.func @${func.name}(${parameters.join(', ')})${attributes} {`, func.location);
    this.#block(func.body, 1);
    this.#line('}', null);
    const layouts = this.#layouts.definitions();
    return {
      text: [...layouts, ...this.#lines, ''].join('\n'),
      locations: [...layouts.map(() => null), ...this.#locations, null],
      names: this.#names.all,
      lines: new Map([...this.#starts].map(([op, line]) => [op, line + layouts.length])),
    };
  }

  #line(text: string, location: Location | null): void {
    this.#lines.push(text);
    this.#locations.push(location);
  }

  #block(block: Block, depth: number): void {
    for (const op of block.ops) this.#operation(op, depth);
  }

  #operation(op: Operation, depth: number): void {
    const indent = '  '.repeat(depth);
    this.#starts.set(op, this.#lines.length + 1);
    let text = indent;
    const operands = op.operands.map((value) => this.#name(value)).join(', ');
    if (op.results.length > 0)
      text += `${op.results.map((value) => this.#name(value)).join(', ')} = `;
    text += op.name;
    if (operands) text += ` ${operands}`;
    let attributes = op.attributes;
    if (op.name === 'arith.constant' && 'value' in attributes) {
      const { value, ...rest } = attributes;
      const type = op.results[0]!.type;
      const printed = printScalar(dtypeOf(type)!, value as ScalarValue);
      text += type.kind === 'tensor' ? ` dense<${printed}>` : ` ${printed}`;
      attributes = rest;
    }
    if (Object.keys(attributes).length > 0) text += ` ${printDictionary(attributes)}`;
    if (op.results.length > 0)
      text += ` : ${op.results.map((value) => this.#type(value.type)).join(', ')}`;
    op.regions.forEach((region, i) => {
      const word = i > 0 ? REGION_WORDS[op.name] : undefined;
      const opening = i === 0 ? `${text} {` : `${indent}} ${word ? `${word} ` : ''}{`;
      this.#line(opening, op.location);
      if (region.args.length > 0) {
        const args = region.args.map((arg) => `${this.#name(arg)}: ${this.#type(arg.type)}`);
        this.#line(`${indent}^(${args.join(', ')}):`, op.location);
      }
      this.#block(region, depth + 1);
    });
    this.#line(op.regions.length > 0 ? `${indent}}` : text, op.regions.length ? null : op.location);
  }

  #name(value: Value): string {
    return this.#names.of(value);
  }
  #type(type: Type): string {
    return printType(type, this.#layouts.of);
  }
}

/** The names of values, no two alike. */
class ValueNames {
  readonly #names = new Map<Value, string>();
  readonly #taken = new Set<string>();
  /** The next suffix to try for a hint; saves searching from the start each time. */
  readonly #suffix = new Map<string, number>();
  #count = 0;

  get all(): ReadonlyMap<Value, string> {
    return this.#names;
  }
  of(value: Value): string {
    let name = this.#names.get(value);
    if (name === undefined) this.#names.set(value, (name = this.#freshName(value)));
    return name;
  }
  #freshName(value: Value): string {
    const op = value.definition;
    let hint = value.name?.replace(/\W/g, '_').replace(/^(?=\d)/, '_');
    if (!hint && op?.name === 'arith.constant')
      hint = constantName(value.type, op.attributes['value'] as ScalarValue);
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

/** Names of layouts; those that print alike have one. */
class LayoutNames {
  readonly #byText = new Map<string, string>();
  /** Layout objects are shared between types, so this spares printing them again. */
  readonly #byLayout = new Map<Layout, string>();

  /** A line for each layout that has a name. */
  definitions(): string[] {
    return [...this.#byText].map(([layout, name]) => `${name} = ${layout}`);
  }
  readonly of = (layout: Layout): string => {
    let name = this.#byLayout.get(layout);
    if (name === undefined) {
      const text = printLayout(layout);
      name = this.#byText.get(text) ?? `#L${this.#byText.size}`;
      this.#byText.set(text, name);
      this.#byLayout.set(layout, name);
    }
    return name;
  };
}
