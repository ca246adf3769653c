/**
 * "Predict" questions: the visitor says a number or chooses, then the real run answers. The answer
 * is never written in the lesson: it is read from the run's record.
 *
 *     question: How many programs does the launch start?
 *     answer: programs add_kernel
 *     explain: Enough blocks to cover n.
 */
import type { RunRecord } from '../state/record';

export interface Prediction {
  readonly question: string;
  readonly answer: AnswerSource;
  /** Choices to pick from; a number is entered where there are none. */
  readonly choices: readonly string[] | null;
  readonly unit: string;
  /** Relative error that still counts as right. */
  readonly within: number;
  readonly explain: string;
  /** The start answers something else, or nothing: only a finished program's run counts. */
  readonly needsSolution: boolean;
}
export type AnswerSource =
  /** Text after `label:` in the last such line of the output. */
  | { readonly kind: 'printed'; readonly label: string }
  /** Programs of the kernel's last launch. */
  | { readonly kind: 'programs'; readonly kernel: string }
  /** Launches of the kernel. */
  | { readonly kind: 'launches'; readonly kernel: string };

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
  if (take('needs') !== '' && take('needs') !== 'solution')
    throw new Error('a prediction can need the solution, nothing else');
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
    needsSolution: take('needs') === 'solution',
  };
}

function parseSource(text: string): AnswerSource {
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

/** Answer of the run; null where it has none. */
export function answerOf(record: RunRecord, source: AnswerSource): string | null {
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
  if (prediction.choices) return answer.startsWith(guess);
  const [mine, real] = [number(guess), number(answer)];
  if (Number.isNaN(mine) || Number.isNaN(real)) return false;
  return Math.abs(mine - real) <= prediction.within * Math.abs(real) + 1e-9 * Math.abs(real);
}

function number(text: string): number {
  return Number.parseFloat(text.replaceAll(/[,_\s]/g, ''));
}
