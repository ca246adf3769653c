/**
 * Gives every tile a layout. `layoutAnchors.ts` decides which; here operations take their operands
 * in those layouts, in program order, by rematerializing cheap values or by `ttg.convert_layout`.
 * Afterwards points 1, 2, 3 and 5 of the backend contract hold (`layoutRules.ts`).
 */
import { type Block, type Func, Operation, type Value } from '../ir/ir';
import type { Layout } from '../ir/layout';
import {
  equalLayouts,
  layoutKey,
  LayoutBuilder,
  rowMajor,
  type ThreadBits,
} from '../ir/layoutAlgebra';
import { hasTrait } from '../ir/ops';
import { shapeOf } from '../ir/types';
import { choicesOf, type DistributeContext, threadBitsOf } from './context';
import { isTile, layoutOf, layoutRuleOf, setLayout } from './layoutRules';
import { LayoutAnchors } from './layoutAnchors';

export function propagate_layouts(func: Func, context: DistributeContext): boolean {
  const threads = threadBitsOf(func);
  const anchors = new LayoutAnchors(func, choicesOf(func, context), threads);
  new Assignment(anchors, threads).block(func.body);
  eraseTrivial(func.body);
  eraseUndecided(func.body);
  return true;
}

class Assignment {
  /** Forms of a value in other layouts, by the value and the layout. */
  readonly #forms = new Map<Value, Map<string, Value>>();
  readonly #original = new Map<Value, Value>();

  constructor(
    readonly anchors: LayoutAnchors,
    readonly threads: ThreadBits,
  ) {}

  block(block: Block): void {
    for (const op of [...block.ops]) {
      // Cheap values come into being when somebody asks for them.
      if (op.results.length === 1 && this.anchors.cheap.has(op.result) && isTile(op.result))
        continue;
      this.#operation(op);
    }
  }

  #operation(op: Operation): void {
    switch (op.name) {
      case 'scf.for': {
        const [, ...args] = op.region(0).args;
        args.forEach((arg, i) => this.#carry(op, i + 3, arg));
        this.block(op.region(0));
        this.#yield(op.region(0).terminator, 0, args);
        op.results.forEach((result, i) => this.#adopt(result, layoutOf(args[i]!)));
        return;
      }
      case 'scf.while': {
        const [before, after] = [op.region(0), op.region(1)];
        before.args.forEach((arg, i) => this.#carry(op, i, arg));
        this.block(before);
        for (const arg of after.args) if (isTile(arg)) setLayout(arg, this.anchors.of(arg));
        this.#yield(before.terminator, 1, after.args);
        this.block(after);
        this.#yield(after.terminator, 0, before.args);
        op.results.forEach((result, i) => this.#adopt(result, layoutOf(after.args[i]!)));
        return;
      }
      case 'scf.if': {
        for (const result of op.results)
          if (isTile(result)) setLayout(result, this.anchors.of(result));
        for (const region of op.regions) {
          this.block(region);
          this.#yield(region.terminator, 0, op.results);
        }
        return;
      }
      default:
        if (op.operands.some(isTile) || op.results.some(isTile)) this.#place(op);
    }
  }

  /** A conversion that the program's author wrote; of a cheap value none is left. */
  #authored(op: Operation): void {
    const layout = this.anchors.of(op.result);
    const source = op.operand(0);
    op.setOperand(0, this.in(source, layoutOf(source) ?? layout));
    setLayout(op.result, layout);
  }

  /** Does what the operation's layout rule says. */
  #place(op: Operation): void {
    if (op.name === 'ttg.convert_layout') return this.#authored(op);
    const { placement } = layoutRuleOf(op.name);
    switch (placement) {
      case 'access':
        if (isTile(op.operand(0))) this.#all(op, this.anchors.ofAccess(op));
        return;
      case 'result':
        if (op.results.length === 1 && isTile(op.result)) this.#all(op, this.anchors.of(op.result));
        return;
      case 'operands':
        if (isTile(op.operand(0))) this.#fromOperands(op);
        return;
      case 'either': {
        const anchor = this.anchors.of(op.result);
        const layout = layoutRuleOf(op.name).operand(op, 0, anchor);
        if (!layout) return this.#fromOperands(op);
        this.#operands(op, layout);
        setLayout(op.result, anchor);
        return;
      }
      case 'scan': {
        const axis = Number(op.attributes['axis']);
        const current = this.#current(op);
        const shape = shapeOf(op.operand(0).type);
        const layout = suitsScan(current, axis) ? current : scanLayout(shape, axis, this.threads);
        this.#operands(op, layout);
        for (const result of op.results) setLayout(result, layout);
        return;
      }
      case 'apart':
        this.#operands(op, this.#current(op));
        setLayout(op.result, this.anchors.of(op.result));
        return;
      case 'each':
        op.operands.forEach((value, i) => {
          if (isTile(value)) op.setOperand(i, this.in(value, this.#have(value)));
        });
        return;
      case 'given':
        return;
      default:
        placement satisfies never;
    }
  }
  #operands(op: Operation, layout: Layout): void {
    op.operands.forEach((value, i) => op.setOperand(i, this.in(value, layout)));
  }
  /** The operands stay where they are, if the results can follow. */
  #fromOperands(op: Operation): void {
    const rule = layoutRuleOf(op.name);
    const current = this.#current(op);
    const [first] = op.results;
    const follows = first ? rule.result(op, 0, current) : undefined;
    if (first && isTile(first) && !follows) {
      const anchor = this.anchors.of(first);
      this.#operands(op, rule.operand(op, 0, anchor)!);
      for (const result of op.results) setLayout(result, anchor);
      return;
    }
    this.#operands(op, current);
    if (follows) for (const result of op.results) setLayout(result, follows);
  }

  /** Runs `op` so that its result, or an access, has `layout`. */
  #all(op: Operation, layout: Layout): void {
    op.operands.forEach((value, i) => {
      if (!isTile(value)) return;
      const needed = op.results.length > 0 ? layoutRuleOf(op.name).operand(op, i, layout) : layout;
      op.setOperand(i, this.in(value, needed ?? this.#have(value)));
    });
    for (const result of op.results) this.#adopt(result, layout);
  }
  #adopt(value: Value, layout: Layout | undefined): void {
    if (isTile(value) && layout) setLayout(value, layout);
  }
  #carry(op: Operation, index: number, arg: Value): void {
    if (!isTile(arg)) return;
    const layout = this.anchors.of(arg);
    setLayout(arg, layout);
    op.setOperand(index, this.in(op.operand(index), layout));
  }
  #yield(terminator: Operation, skip: number, targets: readonly Value[]): void {
    targets.forEach((target, i) => {
      const layout = layoutOf(target);
      const value = terminator.operand(i + skip);
      if (layout) terminator.setOperand(i + skip, this.in(value, layout));
    });
  }
  /** The layout that the operands have, by the first one that has any. */
  #current(op: Operation): Layout {
    const tiles = op.operands.filter(isTile);
    const laid = tiles.find((value) => layoutOf(value) && !this.anchors.cheap.has(value));
    return this.#have(laid ?? tiles[0]!);
  }
  #have(value: Value): Layout {
    return layoutOf(value) ?? this.anchors.plain(shapeOf(value.type));
  }

  /** `value` in `layout`. */
  in(value: Value, layout: Layout): Value {
    if (!isTile(value)) return value;
    const origin = this.#original.get(value) ?? value;
    const cheap = this.anchors.cheap.has(origin) ? origin.definition : undefined;
    if (!layoutOf(origin)) {
      if (!cheap) throw new Error(`${origin.definition?.name ?? 'an argument'} has no layout yet`);
      this.#compute(cheap, layout);
    }
    if (equalLayouts(layoutOf(origin)!, layout)) return origin;
    let forms = this.#forms.get(origin);
    if (!forms) this.#forms.set(origin, (forms = new Map<string, Value>()));
    const key = layoutKey(layout);
    const known = forms.get(key);
    if (known) return known;
    const form = cheap ? this.#again(cheap, layout) : this.#converted(origin, layout);
    forms.set(key, form);
    this.#original.set(form, origin);
    return form;
  }

  /** Settles a cheap operation, and what it is made of, on `layout`. */
  #compute(op: Operation, layout: Layout): void {
    const rule = layoutRuleOf(op.name);
    setLayout(op.result, layout);
    op.operands.forEach((value, i) => {
      if (isTile(value)) op.setOperand(i, this.in(value, rule.operand(op, i, layout)!));
    });
  }
  /** A second copy of a cheap operation, in `layout`. */
  #again(op: Operation, layout: Layout): Value {
    const copy = new Operation(
      op.name,
      op.operands,
      op.results.map((result) => result.type),
      { ...op.attributes },
      [],
      op.location,
    );
    copy.result.name = op.result.name;
    insertAfter(op, copy);
    this.anchors.cheap.add(copy.result);
    this.#compute(copy, layout);
    return copy.result;
  }
  #converted(value: Value, layout: Layout): Value {
    const { owner } = value;
    const location =
      owner instanceof Operation ? owner.location : (owner.ops[0] ?? owner.terminator).location;
    const type = value.type.kind === 'tensor' ? { ...value.type, layout } : value.type;
    const convert = new Operation('ttg.convert_layout', [value], [type], {}, [], location);
    if (owner instanceof Operation) insertAfter(owner, convert);
    else if (owner.first) owner.insertBefore(owner.first, convert);
    else owner.append(convert);
    return convert.result;
  }
}

function insertAfter(anchor: Operation, op: Operation): void {
  anchor.parent!.insertAfter(anchor, op);
}

/** Along the axis: register bits lowest, then the bits of the thread's number in order. */
function suitsScan(layout: Layout, axis: number): boolean {
  const along = [...layout.register, ...layout.lane, ...layout.subgroup]
    .map((basis) => basis[axis]!)
    .filter((c) => c !== 0);
  return along.every((c, i) => c === 1 << i);
}
function scanLayout(shape: readonly number[], axis: number, threads: ThreadBits): Layout {
  const builder = new LayoutBuilder(shape, threads);
  const others = rowMajor(shape.length).filter((dim) => dim !== axis);
  const most = 2 ** (threads.lanes + threads.subgroups);
  builder.registers(axis, Math.log2(Math.max(1, shape[axis]! / most)));
  builder.toThreads(axis);
  for (const dim of others) builder.toThreads(dim);
  return builder.finish([axis, ...others]);
}

/** Conversions that the program wrote to the layout that its tile has. */
function eraseTrivial(block: Block): void {
  for (const op of [...block.ops]) {
    for (const region of op.regions) eraseTrivial(region);
    if (op.name !== 'ttg.convert_layout') continue;
    const [from, to] = [layoutOf(op.operand(0)), layoutOf(op.result)];
    if (!from || !to || !equalLayouts(from, to)) continue;
    op.result.replaceAllUsesWith(op.operand(0));
    op.erase();
  }
}

/** Cheap values that nobody asked for. */
function eraseUndecided(block: Block): void {
  for (const op of [...block.ops].reverse()) {
    for (const region of op.regions) eraseUndecided(region);
    const dead =
      op.results.length > 0 &&
      op.results.every((result) => result.uses.size === 0) &&
      hasTrait(op.name, 'pure') &&
      op.results.some((result) => isTile(result) && !layoutOf(result));
    if (dead) op.erase();
  }
}
