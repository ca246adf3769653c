/**
 * The layouts of a Gluon kernel's tiles, forward from those that its author gave: operations that
 * combine tiles are checked, accesses to memory get the layout that they run in as an attribute,
 * and a `ttg.convert_layout` that only gives a range or a constant its layout goes. What has no
 * layout, a splat or the result of a reshape, takes the one that it meets.
 */
import { MESSAGES } from './codes';
import { authoredName, type AuthoredLayout, parseLayout } from '../ir/authoredLayout';
import { accessKind } from '../ir/access';
import { type Block, type Operation, type Value, walk } from '../ir/ir';
import { OPS } from '../ir/ops';
import type { Context } from './context';

type Text = string;

/** Accesses to the program's tiles in shared memory. */
const LOCAL: ReadonlySet<string> = new Set(['ttg.local_gather', 'ttg.local_scatter']);

export function settleLayouts(cx: Context, block: Block): void {
  const given: Operation[] = [];
  walk(block, (op) => {
    if (op.name === 'ttg.convert_layout') given.push(op);
  });
  if (given.length === 0) return;
  const settling = new Settling(cx);
  // Loops carry layouts around: what the first pass finds at a loop's end, the second has at its
  // head.
  settling.block(block);
  settling.checks = true;
  settling.block(block);
  for (const op of given) {
    const source = op.operand(0);
    if (!isPlain(source)) continue;
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
      const go = (): void => flows.forEach(({ from, to }) => this.#set(to, this.#of(from)));
      go();
      for (const region of op.regions) this.block(region);
      go();
      return;
    }
    for (const region of op.regions) this.block(region);
    const layout = this.#ofResult(op);
    for (const result of op.results) this.#set(result, layout);
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
        if (parent === undefined) return undefined;
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
      return undefined;
    let layout: Text | undefined;
    for (const operand of op.operands) {
      const own = this.#of(operand);
      if (own !== undefined && layout !== undefined && own !== layout)
        this.#differ(op, layout, own);
      layout ??= own;
    }
    if (isAccess && layout !== undefined) op.attributes = { ...op.attributes, layout };
    return layout;
  }

  #expanded(op: Operation, axis: number): Text | undefined {
    const text = this.#of(op.operand(0));
    if (text === undefined) return undefined;
    const layout = this.#parse(text);
    if (layout.kind === 'slice' && layout.dim === axis) return authoredName(layout.parent);
    this.#report(op, MESSAGES.HC0222.expandTakesSlice({ axis, layout: text }));
    return undefined;
  }

  #permuted(op: Operation, order: unknown): Text | undefined {
    const text = this.#of(op.operand(0));
    const layout = text === undefined ? undefined : this.#parse(text);
    if (layout?.kind !== 'blocked' || !Array.isArray(order)) return undefined;
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
