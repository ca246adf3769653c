/**
 * Questions about what the compiler made of a kernel, as the lessons put them: to a visitor as a
 * prediction, to a program as a check. Both are answered here, from a compilation.
 *
 *     count OP [inside|outside loops] after PASS    operations of this name
 *     list ATTRIBUTE of OP after PASS               the attribute of each, in order
 *     elements of OP after PASS                     of its tile that a thread holds, of each
 *     schedule FIELD                                what was chosen, of each dot or loop
 *     registers | threads | shared bytes            of the kernel
 *
 * The IR is parsed, so that names of values and comments decide nothing.
 */
import type { Func, Operation } from '../ir/ir';
import { isLoop, walk } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { parseFunc } from '../ir/parser';
import type { CompileResult } from '../program';
import { SCHEDULE_FIELDS, type ScheduleField } from '../schedule';

export type IrQuestion =
  | {
      readonly kind: 'count';
      readonly op: string;
      readonly place: 'anywhere' | 'inside' | 'outside';
      readonly pass: string;
    }
  | {
      readonly kind: 'list';
      readonly attribute: string;
      readonly op: string;
      readonly pass: string;
    }
  | { readonly kind: 'elements'; readonly op: string; readonly pass: string }
  | { readonly kind: 'schedule'; readonly field: ScheduleField }
  | { readonly kind: 'registers' | 'threads' | 'shared bytes' };

export type IrAnswer = number | readonly string[];

type Compiled = Extract<CompileResult, { readonly kind: 'compiled' }>;

const COUNT = /^count (\S+)(?: (inside|outside) loops)? after (\w+)$/;
const LIST = /^list (\w+) of (\S+) after (\w+)$/;
const ELEMENTS = /^elements of (\S+) after (\w+)$/;
const SCHEDULE = /^schedule (.+)$/;

/** @throws where the question is none. */
export function parseIrQuestion(text: string): IrQuestion {
  const count = COUNT.exec(text);
  if (count) {
    const [, op, place, pass] = count;
    const where = place === 'inside' || place === 'outside' ? place : 'anywhere';
    return { kind: 'count', op: op!, place: where, pass: pass! };
  }
  const list = LIST.exec(text);
  if (list) return { kind: 'list', attribute: list[1]!, op: list[2]!, pass: list[3]! };
  const elements = ELEMENTS.exec(text);
  if (elements) return { kind: 'elements', op: elements[1]!, pass: elements[2]! };
  const field = SCHEDULE_FIELDS.find((one) => one === SCHEDULE.exec(text)?.[1]);
  if (field) return { kind: 'schedule', field };
  if (text === 'registers' || text === 'threads' || text === 'shared bytes') return { kind: text };
  throw new Error(`this is no question about a kernel: ${text}`);
}

/**
 * @param compiled with the IR of each pass (`keepIr`).
 * @throws where the pipeline has no such pass on tiles.
 */
export function answerIr(compiled: Compiled, question: IrQuestion): IrAnswer {
  switch (question.kind) {
    case 'count':
      return operationsAfter(compiled, question).filter(({ looped }) =>
        question.place === 'anywhere' ? true : looped === (question.place === 'inside'),
      ).length;
    case 'list':
      return operationsAfter(compiled, question).map(({ op }) =>
        String(op.attributes[question.attribute] ?? 'none'),
      );
    case 'elements':
      return operationsAfter(compiled, question).map(({ op }) => String(elementsOf(op)));
    case 'schedule':
      return compiled.schedule
        .filter(({ field }) => field === question.field)
        .map(({ chosen }) => chosen);
    case 'registers':
      return compiled.kernel.registers;
    case 'threads':
      return compiled.kernel.workgroupSize;
    case 'shared bytes':
      return compiled.kernel.workgroupBytes;
    default:
      return question satisfies never;
  }
}

interface Found {
  readonly op: Operation;
  /** It stands in a loop. */
  readonly looped: boolean;
}

function operationsAfter(
  { log }: Compiled,
  { op: name, pass }: { readonly op: string; readonly pass: string },
): Found[] {
  const record = log.findLast((one) => one.name === pass && one.phase !== 'threads');
  if (!record) throw new Error(`there is no pass ${pass} on tiles`);
  const loops = new Set<Operation>();
  const found: Found[] = [];
  const func: Func = parseFunc(record.ir);
  walk(func.body, (op) => {
    if (isLoop(op)) for (const region of op.regions) walk(region, (one) => void loops.add(one));
    if (op.name === name) found.push({ op, looped: loops.has(op) });
  });
  return found;
}

/** Elements of an operation's tile that one thread holds; 1 for a scalar. */
function elementsOf({ results, operands }: Operation): number {
  const type = (results[0] ?? operands[1])?.type;
  return type?.kind === 'tensor' && type.layout ? registerCount(type.layout) : 1;
}
