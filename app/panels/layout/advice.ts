/** Advice for an access that coalesces badly; and whose lanes the figures are of. */
import type {
  CoalescingReport,
  GlobalAccess,
  OwnLanes,
} from '../../../compiler/inspect/globalAccesses';
import type { LanePattern } from '../../../compiler/inspect/lanePattern';
import { REFERENCE_LANES, SEGMENT_BYTES } from '../../../compiler/inspect/constants';
import { isPoor } from '../../../compiler/inspect/efficiency';
import { formatCount } from '../common/format';

const VERBS = { load: 'load', store: 'store', atomic: 'update' } as const;

const elements = (count: number): string =>
  `${formatCount(count)} element${count === 1 ? '' : 's'}`;

/**
 * Null for an access that is not marked.
 * @param programs whether the lanes are neighbouring programs, one thread each.
 */
export function adviceFor(access: GlobalAccess, programs = false): string | null {
  const { kind, pattern, elementBytes, tile } = access;
  if (!isPoor(access) || !pattern) return null;
  if (programs && !isPoor(tile)) return FROM_PROGRAMS;
  const lanes = `The lanes of a subgroup ${VERBS[kind]}`;
  const whole = SEGMENT_BYTES / elementBytes;
  switch (pattern.kind) {
    case 'misaligned':
      return (
        `${lanes} contiguous elements from the middle of a segment on, and so one segment more. ` +
        alignment(whole)
      );
    case 'rows': {
      const apart = pattern.pitch === null ? '' : `, ${elements(pattern.pitch)} apart`;
      const runs = `${lanes} runs of ${elements(pattern.run)}${apart}`;
      if (pattern.run >= whole)
        return `${runs}, which begin in the middle of segments. ${alignment(whole)}`;
      return isPoor(tile)
        ? `${runs}. Make the tile longer along the contiguous dimension: ${whole} elements fill a segment.`
        : `${runs}. ${FROM_LAYOUT}`;
    }
    case 'strided':
      return stridedAdvice(access, pattern, lanes);
    case 'scattered':
      return isPoor(tile)
        ? `${lanes} elements without a common stride, as of a gather. Let neighbouring lanes take ` +
            'neighbouring elements: sort the indices, or gather whole rows.'
        : `${lanes} elements without a common stride. ${FROM_LAYOUT}`;
    default:
      return pattern satisfies never;
  }
}

/** Advice for addresses that fill their segments, but not with one instruction. */
const FROM_LAYOUT =
  'The tile as a whole fills its segments; its layout, chosen for the operations that use it, takes ' +
  'several instructions for each, and a cache may keep the rest for the next. The program’s ' +
  'addresses are in order.';

/** The same, of lanes that are programs. */
const FROM_PROGRAMS =
  'The lanes are neighbouring programs, whose tiles lie apart. Each tile as a whole fills its ' +
  'segments, and so it does on a GPU, where the lanes are a program’s threads.';

function stridedAdvice(
  { kind, elementBytes, tile }: GlobalAccess,
  { stride, apart }: Extract<LanePattern, { readonly kind: 'strided' }>,
  lanes: string,
): string {
  if (stride === 1)
    return (
      `Each lane of a subgroup ${VERBS[kind]}s ${elements(apart)} one after the other, not as one ` +
      `vector: the addresses and the mask are not known to cover whole vectors of ${apart * elementBytes} ` +
      'bytes. Where they do, tl.multiple_of can say so.'
    );
  const bytes = apart * elementBytes;
  const together = Math.floor(SEGMENT_BYTES / bytes);
  const shared =
    bytes >= SEGMENT_BYTES
      ? 'each touches a segment of its own'
      : together > 1
        ? `a segment holds those of ${together} of them`
        : 'most touch a segment of their own';
  const found = `${lanes} with stride ${elements(stride)}: ${shared}.`;
  if (!isPoor(tile)) return `${found} ${FROM_LAYOUT}`;
  return (
    `${found} Let the contiguous dimension vary fastest: put a tl.arange along the dimension of ` +
    'stride 1, or transpose the tensor before the launch.'
  );
}
const alignment = (whole: number): string =>
  `Rows begin at a segment where their stride is a multiple of ${whole} elements; ` +
  'a cache may keep the rest for the next instruction.';

/** For the switch: the adapter's own way. */
export function ownName({ lanes, programs }: OwnLanes): string {
  if (programs > 1) return 'This adapter: a program a thread';
  return lanes === null ? 'This adapter: size not known' : `This adapter: ${lanes} lanes`;
}

/** Says whose lanes are counted, and why. */
export function viewText({ view, lanes, own }: CoalescingReport): string {
  const { adapter, programs } = own;
  if (view === 'reference') {
    const why =
      programs > 1
        ? 'runs each program in one thread'
        : own.lanes === null
          ? 'reports no subgroup size'
          : `has subgroups of ${own.lanes} lanes`;
    return `As on a GPU with ${REFERENCE_LANES} lanes: the kernel is compiled for one here, as ${adapter} ${why}.`;
  }
  if (programs > 1)
    return `On ${adapter} each program is one thread: the ${lanes} lanes of a subgroup are neighbouring programs.`;
  if (own.lanes === null)
    return `As on ${adapter}, which reports no subgroup size: ${lanes} lanes are assumed.`;
  return `As on ${adapter}, with ${lanes} lanes a subgroup.`;
}
