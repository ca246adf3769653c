/** Progress of a visitor: lessons passed, hints opened, predictions made. Kept in this browser. */
import { create } from 'zustand';
import { boolean, dictionary, list, number, object, optional, text } from '../shapes/check';
import { loadJson, saveJson } from '../state/storage';

export interface LessonProgress {
  /** Its checks have passed with the visitor's own text. */
  readonly passed: boolean;
  /** The solution was looked at before. */
  readonly solved: boolean;
  readonly hints: number;
  /** The visitor's answers, by the prediction's position in the text. */
  readonly guesses: Readonly<Record<string, string>>;
  /** Different wrong answers so far, by the same position. */
  readonly misses?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Answers of the last runs, by the same position. */
  readonly answers?: Readonly<Record<string, string>> | undefined;
}
const NOTHING: LessonProgress = { passed: false, solved: false, hints: 0, guesses: {} };
type Progress = Readonly<Record<string, LessonProgress>>;

const isProgress = dictionary(
  object<LessonProgress>({
    passed: boolean,
    solved: boolean,
    hints: number,
    guesses: dictionary(text),
    misses: optional(dictionary(list(text))),
    answers: optional(dictionary(text)),
  }),
);

const KEY = 'lessons';

export const useProgress = create<{
  readonly lessons: Progress;
  /** The texts that passed the checks while this page is open, by lesson. */
  readonly passedTexts: Readonly<Record<string, string>>;
}>(() => ({
  lessons: loadJson<Progress>(KEY, {}, isProgress),
  passedTexts: {},
}));

export function progressOf(lessons: Progress, slug: string): LessonProgress {
  return lessons[slug] ?? NOTHING;
}

export function notePassedText(slug: string, text: string): void {
  useProgress.setState(({ passedTexts }) => ({ passedTexts: { ...passedTexts, [slug]: text } }));
}

/** Read again before it is written: another tab may have passed another lesson. */
export function noteProgress(slug: string, change: Partial<LessonProgress>): void {
  const kept = loadJson<Progress>(KEY, {}, isProgress);
  const before = kept[slug] ?? progressOf(useProgress.getState().lessons, slug);
  const lessons = { ...useProgress.getState().lessons, ...kept, [slug]: { ...before, ...change } };
  saveJson(KEY, lessons);
  useProgress.setState({ lessons });
}
