/** What a visitor has done: lessons passed, hints opened, predictions made. Kept in this browser. */
import { create } from 'zustand';
import { loadJson, saveJson } from '../state/storage';

export interface LessonProgress {
  /** Its checks have passed with the visitor's own text. */
  readonly passed: boolean;
  /** The solution was looked at before. */
  readonly solved: boolean;
  readonly hints: number;
  /** The visitor's answers, by the prediction's position in the text. */
  readonly guesses: Readonly<Record<string, string>>;
}
const NOTHING: LessonProgress = { passed: false, solved: false, hints: 0, guesses: {} };
type Progress = Readonly<Record<string, LessonProgress>>;

function isProgress(value: unknown): value is Progress {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (one: unknown) =>
        typeof one === 'object' &&
        one !== null &&
        typeof (one as LessonProgress).passed === 'boolean' &&
        typeof (one as LessonProgress).hints === 'number' &&
        typeof (one as LessonProgress).guesses === 'object',
    )
  );
}

const KEY = 'lessons';

export const useProgress = create<{ readonly lessons: Progress }>(() => ({
  lessons: loadJson(KEY, {}, isProgress),
}));

export function progressOf(lessons: Progress, slug: string): LessonProgress {
  return lessons[slug] ?? NOTHING;
}

/** Read again before it is written: another tab may have passed another lesson. */
export function noteProgress(slug: string, change: Partial<LessonProgress>): void {
  const kept = loadJson(KEY, {}, isProgress);
  const before = kept[slug] ?? progressOf(useProgress.getState().lessons, slug);
  const lessons = { ...useProgress.getState().lessons, ...kept, [slug]: { ...before, ...change } };
  saveJson(KEY, lessons);
  useProgress.setState({ lessons });
}
