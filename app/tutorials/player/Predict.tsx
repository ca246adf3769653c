/** A question that the next run answers: the visitor commits first, then sees the real number. */
import { useEffect, useState } from 'react';
import { useRun } from '../../state/run';
import { run, useSession } from '../../state/session';
import { isFinished, type Finished } from '../finished';
import { answerOf, GUESSES, irAnswerOf, judge, showsAnswer, type Prediction } from '../predict';
import { noteProgress, progressOf, useProgress } from '../progress';
import { useIr } from './useIr';

/**
 * The answer of the last run, or of its compilation; `early`: of a program that the question is not
 * about. What was said is kept: of the lesson's start, because the visitor changes it next, and to
 * know which predictions were right.
 */
function useAnswer(props: {
  readonly slug: string;
  readonly id: number;
  readonly prediction: Prediction;
  readonly start: string;
  readonly finished: Finished;
}): { readonly answer: string | null; readonly early: boolean } {
  const { slug, id, start, finished } = props;
  const { answer: source, needs } = props.prediction;
  const kept = useProgress((state) => progressOf(state.lessons, slug).answers?.[id]);
  // A check runs the program with its own sizes and prints: only a run answers.
  const record = useRun((state) => state.own?.record ?? null);
  const compiled = useIr(record, source.kind === 'ir' ? source.kernel : null);
  const early =
    record !== null &&
    ((needs === 'solution' && !isFinished(record.text, finished)) ||
      (needs === 'start' && record.text !== start));
  const said =
    record === null || early
      ? null
      : source.kind !== 'ir'
        ? answerOf(record, source)
        : compiled && irAnswerOf(compiled, source.question);
  useEffect(() => {
    if (said === null) return;
    const { answers } = progressOf(useProgress.getState().lessons, slug);
    if (answers?.[id] !== said) noteProgress(slug, { answers: { ...answers, [id]: said } });
  }, [said, slug, id]);
  return { answer: needs === 'start' ? (said ?? kept ?? null) : said, early };
}

/** Wrong guesses so far; the one in view is noted with them once its answer is known. */
function useMisses(
  { slug, id, prediction }: { slug: string; id: number; prediction: Prediction },
  answer: string | null,
): readonly string[] {
  const { misses, guesses } = useProgress((state) => progressOf(state.lessons, slug));
  const known = misses?.[id] ?? NONE;
  const guess = guesses[id];
  const isMiss =
    guess !== undefined &&
    answer !== null &&
    known.length < GUESSES &&
    !known.includes(guess) &&
    !judge(prediction, guess, answer);
  useEffect(() => {
    if (!isMiss) return;
    const before = progressOf(useProgress.getState().lessons, slug).misses;
    noteProgress(slug, { misses: { ...before, [id]: [...(before?.[id] ?? []), guess] } });
  }, [isMiss, guess, slug, id]);
  return known;
}
const NONE: readonly string[] = [];

export function Predict(props: {
  readonly slug: string;
  readonly id: number;
  readonly prediction: Prediction;
  readonly start: string;
  readonly finished: Finished;
}): React.ReactNode {
  const { slug, id, prediction } = props;
  const { question, choices, unit, explain } = prediction;
  const guesses = useProgress((state) => progressOf(state.lessons, slug).guesses);
  const phase = useSession((state) => state.phase);
  const [draft, setDraft] = useState('');
  const guess = guesses[id];
  const { answer, early } = useAnswer(props);
  const misses = useMisses(props, answer);
  const right = guess !== undefined && answer !== null && judge(prediction, guess, answer);
  const shown = right || showsAnswer(prediction, misses);
  const commit = (value: string): void => {
    if (value.trim()) noteProgress(slug, { guesses: { ...guesses, [id]: value.trim() } });
  };
  const name = `predict-${slug}-${id}`;
  return (
    <section className="predict" aria-label="Prediction">
      <h3>Predict</h3>
      <p>{question}</p>
      {guess === undefined ? (
        choices ? (
          <div className="choices">
            {choices.map((choice) => (
              <button key={choice} type="button" className="button" onClick={() => commit(choice)}>
                {choice}
              </button>
            ))}
          </div>
        ) : (
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              commit(draft);
            }}
          >
            <input
              id={name}
              className="field"
              aria-label="Your prediction"
              inputMode="decimal"
              value={draft}
              onChange={(event) => setDraft(event.target.value)}
            />
            {unit ? <span className="muted">{unit}</span> : null}
            <button type="submit" className="button" disabled={!draft.trim()}>
              Predict
            </button>
          </form>
        )
      ) : (
        <dl className="verdict">
          <div>
            <dt>You said</dt>
            <dd>
              {guess} {choices ? '' : unit}
            </dd>
          </div>
          <div>
            <dt>The run says</dt>
            <dd>
              {answer === null && early ? (
                prediction.needs === 'start' ? (
                  'Nothing of this program: Reset, and run the one that the lesson starts with.'
                ) : (
                  'Nothing yet: finish the program, check it and run it again.'
                )
              ) : answer === null ? (
                <button
                  type="button"
                  className="link"
                  disabled={phase === 'running' || phase === 'failed'}
                  onClick={run}
                >
                  Run to see
                </button>
              ) : (
                <>
                  {shown ? `${answer} ${choices ? '' : unit} ` : ''}
                  {right ? (
                    <span className="sign pass">✓ right</span>
                  ) : (
                    <span className="sign warn">≠ not quite</span>
                  )}
                </>
              )}
            </dd>
          </div>
        </dl>
      )}
      {guess !== undefined && answer !== null ? (
        <p className="explain">
          {shown ? explain : 'Another guess shows the answer and its reason. Look at the IR first.'}{' '}
          <button
            type="button"
            className="link"
            onClick={() => {
              const { [id]: _, ...rest } = guesses;
              noteProgress(slug, { guesses: rest });
              setDraft('');
            }}
          >
            Try again
          </button>
        </p>
      ) : null}
    </section>
  );
}
