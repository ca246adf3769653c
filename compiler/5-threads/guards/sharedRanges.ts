/**
 * One range check for the guards of an operation in a loop: their runs begin at a value and offsets
 * that the loop does not change.
 */
import type { ThreadBuilder } from '../../ir/thread/builder';
import { Operation } from '../../ir/ir';
import type { ThreadOp, ThreadValue } from '../../ir/thread/ir';

/** All runs are in range where `u32(base + from) < room`. */
export interface SharedRange {
  readonly base: ThreadValue;
  /** The least offset, counted from the tensor's first. */
  readonly from: ThreadValue;
  /** Elements of the tensor beyond the reach of the others. */
  readonly room: ThreadValue;
}

export class SharedRanges {
  /** Ranges by what they are made of: bodies of an unrolled loop share them. */
  readonly #known = new Map<ThreadOp, Map<string, Pick<SharedRange, 'from' | 'room'>>>();

  constructor(private readonly b: ThreadBuilder) {}

  /** The range of an operation's guards; made before the outermost loop that changes no offset. */
  of(guards: readonly ThreadOp[]): SharedRange | undefined {
    const [guard] = guards as readonly [ThreadOp];
    const places = guards.map(placeOf);
    const [place] = places;
    if (!place) return undefined;
    const { begin } = place;
    const limit = guard.operand(3);
    for (const base of place.offset.definition?.operands ?? []) {
      const offsets = places.map((each, i) =>
        each?.begin === begin && guards[i]!.operand(3) === limit
          ? besides(each.offset, base)
          : undefined,
      );
      if (!offsets.every((offset) => offset !== undefined)) continue;
      const loop = loopAround(guard, [...offsets, begin, limit]);
      if (loop) return { base, ...this.#range(loop, [...new Set(offsets)], begin, limit) };
    }
    return undefined;
  }

  #range(
    loop: ThreadOp,
    offsets: readonly ThreadValue[],
    begin: ThreadValue,
    length: ThreadValue,
  ): Pick<SharedRange, 'from' | 'room'> {
    const { b } = this;
    const key = [...offsets, begin, length].map((value) => b.idOf(value)).join(' ');
    const own = this.#known.get(loop) ?? new Map<string, Pick<SharedRange, 'from' | 'room'>>();
    this.#known.set(loop, own);
    let known = own.get(key);
    if (!known) {
      known = b.before(loop, () => {
        const extreme = (name: 'thread.min' | 'thread.max'): ThreadValue =>
          offsets.reduce((x, y) => b.value(name, [x, y]));
        const least = b.named('least', extreme('thread.min'));
        const span = b.named('span', b.x`u32(${extreme('thread.max')} - ${least})`);
        const room = b.x`select(0u, ${length} - ${span}, ${span} < ${length})`;
        return { from: b.named('from', b.x`${least} - ${begin}`), room: b.named('room', room) };
      });
      own.set(key, known);
    }
    return known;
  }
}

/**
 * The offset of a guard's run and the first one of its tensor: `distance = u32(offset - begin)`.
 */
function placeOf(
  guard: ThreadOp,
): { readonly offset: ThreadValue; readonly begin: ThreadValue } | undefined {
  if (guard.attributes['by'] !== 'length') return undefined;
  const distance = guard.operand(2).definition;
  const difference =
    distance?.name === 'thread.convert' ? distance.operand(0).definition : undefined;
  if (difference?.name !== 'thread.sub') return undefined;
  return { offset: difference.operand(0), begin: difference.operand(1) };
}

/** The other term of a sum. */
function besides({ definition }: ThreadValue, term: ThreadValue): ThreadValue | undefined {
  if (definition?.name !== 'thread.add') return undefined;
  const [x, y] = definition.operands;
  return x === term ? y : y === term ? x : undefined;
}

/** The outermost loop around an operation outside of which all values are. */
function loopAround(op: ThreadOp, values: readonly ThreadValue[]): ThreadOp | undefined {
  let found: ThreadOp | undefined;
  for (let at = op.parent?.parent; at; at = at.parent?.parent) {
    const loop = at;
    if (values.some((value) => isInside(value, loop))) break;
    if (loop.name === 'thread.for' || loop.name === 'thread.while') found = loop;
  }
  return found;
}
function isInside({ owner }: ThreadValue, loop: ThreadOp): boolean {
  const block = owner instanceof Operation ? owner.parent : owner;
  for (let at = block?.parent; at; at = at.parent?.parent) if (at === loop) return true;
  return false;
}
