/**
 * "Predict" questions: the visitor says a number or chooses, then the real run answers. The answer
 * is never written in the lesson: it is read from the run's record.
 *
 *     question: How many programs does the launch start?
 *     answer: programs add_kernel
 *     explain: Enough blocks to cover n.
 *
 * An answer of the form `ir KERNEL: QUESTION` is read from what the compiler makes of the kernel's
 * last launch, as if for `IR_TARGET` (`compiler/inspect/irQuestion.ts`).
 */
import {
  answerIr,
  parseIrQuestion,
  type IrAnswer,
  type IrQuestion,
} from '../../compiler/inspect/irQuestion';
import type { CompileRequest, CompileResult } from '../../compiler/program';
import { requestForIr } from '../runtime/askIr';
import type { RunRecord } from '../state/record';
import type { Piece } from './document';
import type { LessonProgress } from './progress';

export interface Prediction {
  readonly question: string;
  readonly answer: AnswerSource;
  /** Choices to pick from; a number is entered where there are none. */
  readonly choices: readonly string[] | null;
  readonly unit: string;
  /** Relative error that still counts as right. */
  readonly within: number;
  readonly explain: string;
  /**
   * Whose run counts, where the two answer differently: the finished program's, or that of the
   * kernel that the lesson starts with.
   */
  readonly needs: 'solution' | 'start' | null;
}

/** The GPU that questions about IR are asked for: the same as `IR_TARGET` of the judge. */
export const IR_TARGET = 'h100';

export type AnswerSource =
  /** Text after `label:` in the last such line of the output. */
  | { readonly kind: 'printed'; readonly label: string }
  /** Programs of the kernel's last launch. */
  | { readonly kind: 'programs'; readonly kernel: string }
  /** Launches of the kernel. */
  | { readonly kind: 'launches'; readonly kernel: string }
  /** The compilation of the kernel's last launch. */
  | { readonly kind: 'ir'; readonly kernel: string; readonly question: IrQuestion };

const FIELDS = ['question', 'answer', 'choices', 'unit', 'within', 'explain', 'needs'];

/** @throws where a line is not understood: a test reads every lesson. */
export function parsePrediction(text: string): Prediction {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of text.split('\n')) {
    const match = /^(\w+):\s*(.*)$/.exec(line);
    if (match) {
      last = match[1]!;
      fields.set(last, match[2]!);
    } else if (line.trim() && last) fields.set(last, `${fields.get(last)} ${line.trim()}`);
  }
  const take = (name: string): string => fields.get(name) ?? '';
  for (const name of fields.keys())
    if (!FIELDS.includes(name)) throw new Error(`a prediction has no field ${name}`);
  const needs = take('needs');
  if (needs !== '' && needs !== 'solution' && needs !== 'start')
    throw new Error('a prediction can need the solution or the start, nothing else');
  if (!take('question')) throw new Error('a prediction needs a question');
  return {
    question: take('question'),
    answer: parseSource(take('answer')),
    choices: fields.has('choices')
      ? take('choices')
          .split('|')
          .map((choice) => choice.trim())
      : null,
    unit: take('unit'),
    within: take('within') ? Number.parseFloat(take('within')) / 100 : 0,
    explain: take('explain'),
    needs: needs === '' ? null : needs,
  };
}

function parseSource(text: string): AnswerSource {
  const ir = /^ir (\w+): (.+)$/.exec(text);
  if (ir) return { kind: 'ir', kernel: ir[1]!, question: parseIrQuestion(ir[2]!) };
  const [kind, ...rest] = text.split(' ');
  const name = rest.join(' ');
  if (!name) throw new Error(`"${text}" does not say where the answer comes from`);
  if (kind === 'printed') return { kind, label: name };
  if (kind === 'programs' || kind === 'launches') return { kind, kernel: name };
  throw new Error(`"${text}" does not say where the answer comes from`);
}

function printed(record: RunRecord): string {
  return record.output
    .map((item) => (item.kind === 'print' && item.stream === 'stdout' ? item.text : ''))
    .join('');
}

/** The request of the kernel's last launch, for `IR_TARGET`; null where it was not launched. */
export function irRequestOf(record: RunRecord, kernel: string): CompileRequest | null {
  const key = record.groups.findLast(({ first }) => first.kernel === kernel)?.first.key;
  const found = record.specializations.find((one) => one.key === key);
  return found ? requestForIr(found.request, IR_TARGET) : null;
}

/** Answer of a compilation; null where the kernel does not compile. */
export function irAnswerOf(result: CompileResult, question: IrQuestion): string | null {
  if (result.kind !== 'compiled') return null;
  const answer: IrAnswer = answerIr(result, question);
  return typeof answer === 'number' ? String(answer) : answer.join(', ') || 'none';
}

/** Answer of the run; null where it has none. That of a compilation is `irAnswerOf`. */
export function answerOf(
  record: RunRecord,
  source: Exclude<AnswerSource, { readonly kind: 'ir' }>,
): string | null {
  switch (source.kind) {
    case 'printed': {
      const line = printed(record)
        .split('\n')
        .findLast((one) => one.trim().startsWith(`${source.label}:`));
      return line?.slice(line.indexOf(':') + 1).trim() ?? null;
    }
    case 'programs': {
      const group = record.groups.findLast(({ first }) => first.kernel === source.kernel);
      if (!group) return null;
      const [x, y, z] = group.first.grid;
      return String(x * y * z);
    }
    case 'launches': {
      const groups = record.groups.filter(({ first }) => first.kernel === source.kernel);
      if (groups.length === 0) return null;
      return String(groups.reduce((sum, group) => sum + group.count, 0));
    }
    default:
      return source satisfies never;
  }
}

export function judge(prediction: Prediction, guess: string, answer: string): boolean {
  if (prediction.choices) {
    // A choice may be the beginning of another one: 1, 16.
    const meant = prediction.choices.filter((choice) => answer.startsWith(choice));
    return (
      guess !== '' && meant.every(({ length }) => length <= guess.length) && meant.includes(guess)
    );
  }
  const [mine, real] = [number(guess), number(answer)];
  if (Number.isNaN(mine) || Number.isNaN(real)) return false;
  return Math.abs(mine - real) <= prediction.within * Math.abs(real) + 1e-9 * Math.abs(real);
}

/** So many different wrong guesses show the answer, and its reason. */
export const GUESSES = 2;

/**
 * Whether the answer may be shown beside a wrong guess: what a run prints stands in its output
 * anyway; of what the compiler says the visitor guesses twice.
 */
export const showsAnswer = ({ answer }: Prediction, misses: readonly string[] = []): boolean =>
  answer.kind !== 'ir' || misses.length >= GUESSES;

/**
 * The predictions that are neither right nor seen, of a lesson whose questions must be answered.
 */
export function openPredictions(
  pieces: readonly Piece[],
  { guesses, answers, misses }: Pick<LessonProgress, 'guesses' | 'answers' | 'misses'>,
): number {
  return pieces.filter((piece, id) => {
    if (piece.kind !== 'predict' || (misses?.[id]?.length ?? 0) >= GUESSES) return false;
    const [guess, answer] = [guesses[id], answers?.[id]];
    return guess === undefined || answer === undefined || !judge(piece.prediction, guess, answer);
  }).length;
}

function number(text: string): number {
  return Number.parseFloat(text.replaceAll(/[,_\s]/g, ''));
}
