/**
 * The layouts of a Gluon kernel's tiles, from those that its author gave forward, and backward to
 * tiles of no layout yet: operations that combine tiles are checked, accesses to memory get the
 * layout that they run in as an attribute, and a `ttg.convert_layout` that only gives a range or a
 * constant its layout goes. What a reshape gives, or another operation that makes a layout of its
 * own, takes the one that it meets. An access that is left without any is refused, as by Triton.
 */
import { COALESCED } from './authored';
import { MESSAGES } from './codes';
import { authoredName, type AuthoredLayout, parseLayout } from '../ir/authoredLayout';
import { accessKind } from '../ir/access';
import { type Block, type Operation, type Value, walk } from '../ir/ir';
import { OPS } from '../ir/ops';
import type { Context } from './context';

type Text = string;
/** Made by an operation that gives its result a layout of its own. */
const DERIVED = 'derived';
const isStated = (text: Text): boolean => text !== DERIVED && text !== COALESCED;

/** Accesses to the program's tiles in shared memory. */
const LOCAL: ReadonlySet<string> = new Set(['ttg.local_gather', 'ttg.local_scatter']);

export function settleLayouts(cx: Context, block: Block): void {
  const given: Operation[] = [];
  walk(block, (op) => {
    if (op.name === 'ttg.convert_layout') given.push(op);
  });
  const settling = new Settling(cx);
  // Loops carry layouts around: what the first pass finds at a loop's end, the second has at its
  // head.
  settling.block(block);
  settling.checks = true;
  settling.block(block);
  for (const op of given) {
    const source = op.operand(0);
    if (!isPlain(source) && op.attributes['layout'] !== COALESCED) continue;
    source.name ??= op.result.name;
    op.result.replaceAllUsesWith(source);
    op.erase();
  }
}

/** Every thread computes its part of it. */
function isPlain(value: Value): boolean {
  const name = value.definition?.name;
  return name === 'tt.make_range' || name === 'tt.splat' || name === 'arith.constant';
}

class Settling {
  readonly #layouts = new Map<Value, Text>();
  readonly #parsed = new Map<Text, AuthoredLayout>();
  checks = false;
  constructor(readonly cx: Context) {}

  block(block: Block): void {
    for (const op of block.ops) this.#operation(op);
  }

  #operation(op: Operation): void {
    const definition = OPS[op.name];
    if (definition.kind === 'control') {
      const flows = definition.flow(op);
      const go = (): void => flows.forEach(({ from, to }) => this.#flow(op, from, to));
      go();
      for (const region of op.regions) this.block(region);
      go();
      return;
    }
    for (const region of op.regions) this.block(region);
    if (op.name === 'ttg.convert_layout') this.#backward(op.operand(0), this.#ofResult(op));
    const layout = this.#ofResult(op);
    for (const result of op.results) this.#set(result, layout);
  }

  /** A tile has one layout, whichever path through a branch or loop it takes. */
  #flow(op: Operation, from: Value, to: Value): void {
    const [a, b] = [this.#of(to), this.#of(from)];
    if (a !== undefined && b !== undefined && a !== b && isStated(a) && isStated(b))
      this.#report(op, MESSAGES.HC0222.pathsDiffer({ a, b }));
    this.#set(to, b);
  }

  #ofResult(op: Operation): Text | undefined {
    const { attributes } = op;
    switch (op.name) {
      case 'ttg.convert_layout':
        return typeof attributes['layout'] === 'string' ? attributes['layout'] : undefined;
      case 'tt.expand_dims':
        return this.#expanded(op, Number(attributes['axis']));
      case 'tt.reduce': {
        const parent = this.#of(op.operand(0));
        const dim = Number(attributes['axis']);
        if (parent === undefined || !isStated(parent)) return parent;
        return authoredName({ kind: 'slice', dim, parent: this.#parse(parent) });
      }
      case 'tt.trans':
        return this.#permuted(op, attributes['order']);
      default:
        return this.#combined(op);
    }
  }

  /** The layout that an operation's operands and result share; undefined where they share none. */
  #combined(op: Operation): Text | undefined {
    const definition = OPS[op.name];
    const isAccess = accessKind(op) !== null || LOCAL.has(op.name);
    const isElementwise = definition.kind === 'elementwise' || definition.kind === 'address';
    if (!isElementwise && !isAccess && op.name !== 'tt.broadcast' && op.name !== 'tt.scan')
      return op.operands.some((operand) => this.#of(operand) !== undefined) ? DERIVED : undefined;
    let layout: Text | undefined;
    for (const operand of op.operands) {
      const own = this.#of(operand);
      if (own === undefined) continue;
      if (layout === undefined || layout === DERIVED) layout = own;
      else if (own !== layout && own !== DERIVED) this.#differ(op, layout, own);
    }
    for (const operand of op.operands) this.#backward(operand, layout);
    if (isAccess && op.operand(0).type.kind === 'tensor') this.#access(op, layout);
    return layout;
  }

  #access(op: Operation, layout: Text | undefined): void {
    const known = layout ?? (op.results[0] && this.#of(op.results[0]));
    if (known === undefined) this.#report(op, MESSAGES.HC0222.notInferred());
    else if (isStated(known)) op.attributes = { ...op.attributes, layout: known };
  }

  /** Gives a tile of no layout yet the one that its user has, and what it is computed from. */
  #backward(value: Value, layout: Text | undefined): void {
    if (layout === undefined || layout === DERIVED || value.type.kind !== 'tensor') return;
    if (this.#layouts.has(value)) return;
    this.#layouts.set(value, layout);
    const op = value.definition;
    if (!op) return;
    const definition = OPS[op.name];
    const isAlike = definition.kind === 'elementwise' || definition.kind === 'address';
    if (isAlike || accessKind(op) !== null || op.name === 'tt.broadcast')
      for (const operand of op.operands) this.#backward(operand, layout);
    else if (op.name === 'tt.expand_dims' && isStated(layout)) {
      const dim = Number(op.attributes['axis']);
      this.#backward(
        op.operand(0),
        authoredName({ kind: 'slice', dim, parent: this.#parse(layout) }),
      );
    }
  }

  #expanded(op: Operation, axis: number): Text | undefined {
    const text = this.#of(op.operand(0));
    if (text === undefined || !isStated(text)) return text;
    const layout = this.#parse(text);
    if (layout.kind === 'slice' && layout.dim === axis) return authoredName(layout.parent);
    this.#report(op, MESSAGES.HC0222.expandTakesSlice({ axis, layout: text }));
    return undefined;
  }

  #permuted(op: Operation, order: unknown): Text | undefined {
    const text = this.#of(op.operand(0));
    if (text === undefined || !isStated(text)) return text;
    const layout = this.#parse(text);
    if (layout.kind !== 'blocked' || !Array.isArray(order)) return DERIVED;
    const dims = order.map(Number);
    const permuted = (sizes: readonly number[]): number[] => dims.map((dim) => sizes[dim]!);
    return authoredName({
      kind: 'blocked',
      sizePerThread: permuted(layout.sizePerThread),
      threadsPerWarp: permuted(layout.threadsPerWarp),
      warpsPerCTA: permuted(layout.warpsPerCTA),
      order: layout.order.map((dim) => dims.indexOf(dim)),
    });
  }

  #differ(op: Operation, a: Text, b: Text): void {
    const name = LOCAL.has(op.name) ? op.name : op.name.replace('tt.', 'gl.');
    const what = accessKind(op) === null && !LOCAL.has(op.name) ? op.name : name;
    this.#report(op, MESSAGES.HC0222.differ({ what, a, b }));
  }
  #report(op: Operation, message: string): void {
    if (!this.checks) return;
    const location = this.cx.userLocation(op.location);
    this.cx.report({ code: 'HC0222', severity: 'error', message, location, notes: [] });
  }
  #parse(text: Text): AuthoredLayout {
    let layout = this.#parsed.get(text);
    if (!layout) this.#parsed.set(text, (layout = parseLayout(text)));
    return layout;
  }
  #of(value: Value): Text | undefined {
    return this.#layouts.get(value);
  }
  #set(value: Value, layout: Text | undefined): void {
    if (layout !== undefined && value.type.kind === 'tensor') this.#layouts.set(value, layout);
  }
}
