/**
 * Answers questions about the tensors that are held. Pictures come from fields (a plane of values,
 * or of errors) that are kept while they are looked at, so that zooming and panning do not compute
 * them again.
 */
import { csv, npy, numpyText, planeTexts } from '../inspection/exports';
import { elementsOf, type Elements } from '../inspection/elements';
import { countOver, errorField, errorReport } from '../inspection/errors';
import { errorPattern } from '../inspection/errorPattern';
import { errorsByProgram } from '../inspection/errorsByProgram';
import { cellsOf, fieldOf, fieldOfNumbers, type Field, type Plane } from '../inspection/planes';
import { statistics, type Statistics } from '../inspection/statistics';
import type { Dtype } from '../numerics/dtypes';
import type { Answers, AnswerTo, FieldSource, PairOfData, Question } from './dataProtocol';

/** Fields kept: a heatmap in view, and the one before. */
const FIELDS = 3;

class NotHeld extends Error {
  constructor() {
    super('The elements of this tensor are not held any more: run the program again.');
  }
}

export class DataStore {
  private readonly tensors = new Map<string, Elements>();
  private readonly summaries = new Map<string, Statistics>();
  private readonly fields = new Map<string, Field>();
  private readonly errors = new Map<string, Float64Array>();

  clear(): void {
    for (const map of [this.tensors, this.summaries, this.fields, this.errors]) map.clear();
  }

  hold(id: string, dtype: Dtype, shape: readonly number[], bytes: ArrayBuffer): void {
    this.tensors.set(id, elementsOf(dtype, shape, new Uint8Array(bytes)));
  }

  has(id: string): boolean {
    return this.tensors.has(id);
  }

  answer<Q extends Question>(question: Q): AnswerTo<Q>;
  answer(question: Question): Answers[keyof Answers] {
    switch (question.kind) {
      case 'statistics':
        return remembered(this.summaries, question.data, 64, () =>
          statistics(this.find(question.data)),
        );
      case 'cells': {
        const { source, plane, window } = question;
        const reduce = source.kind === 'values' ? 'mean' : 'extreme';
        return cellsOf(this.field(source, plane), window, reduce);
      }
      case 'texts': {
        const { data, plane, top, bottom, left, right } = question;
        return planeTexts(this.find(data), plane, top, bottom, left, right);
      }
      case 'export':
        return exported(this.find(question.data), question.as, question.plane);
      case 'errors':
        return errorReport(this.pair(question.pair), question.tolerance);
      case 'programs': {
        const { tolerance, owners, programs } = question;
        return errorsByProgram(this.pair(question.pair), tolerance, owners, programs);
      }
      case 'pattern':
        return errorPattern(this.pair(question.pair), question.tolerance);
      case 'over':
        return countOver(this.pair(question.pair), question.tolerance);
      default:
        return question satisfies never;
    }
  }

  private find(id: string): Elements {
    const found = this.tensors.get(id);
    if (!found) throw new NotHeld();
    return found;
  }
  private pair({ actual, expected }: PairOfData): { actual: Elements; expected: Elements } {
    return { actual: this.find(actual), expected: this.find(expected) };
  }

  private field(source: FieldSource, plane: Plane): Field {
    return remembered(this.fields, JSON.stringify([source, plane]), FIELDS, () => {
      if (source.kind === 'values') return fieldOf(this.find(source.data), plane);
      const pair = this.pair(source.pair);
      const { show, tolerance } = source;
      const numbers = remembered(this.errors, JSON.stringify(source), 1, () =>
        errorField(pair, show, tolerance),
      );
      return fieldOfNumbers(numbers, pair.actual.shape, plane);
    });
  }
}

/** The last `most` of what was requested. */
function remembered<T>(map: Map<string, T>, key: string, most: number, make: () => T): T {
  const known = map.get(key);
  const value = known ?? make();
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
  return value;
}

function exported(elements: Elements, as: 'npy' | 'csv' | 'numpy', plane: Plane | null): Blob {
  switch (as) {
    case 'npy':
      return new Blob([npy(elements)], { type: 'application/octet-stream' });
    case 'csv':
      return new Blob([csv(elements, plane ?? flatPlane(elements))], { type: 'text/csv' });
    case 'numpy':
      return new Blob([numpyText(elements, plane)], { type: 'text/plain' });
    default:
      return as satisfies never;
  }
}
/** CSV has two dimensions: where no slice is requested, the last one runs across. */
function flatPlane({ shape }: Elements): Plane {
  const at = shape.map(() => 0);
  const rank = shape.length;
  return {
    down: rank > 1 ? rank - 2 : null,
    across: rank > 0 ? rank - 1 : null,
    at,
    wrap: null,
  };
}
