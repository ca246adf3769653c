/** A question that the next run answers: the visitor commits first, then sees the real number. */
import { useState } from 'react';
import { useRun } from '../../state/run';
import { run, useSession } from '../../state/session';
import { isFinished, type Finished } from '../finished';
import { answerOf, judge, type Prediction } from '../predict';
import { noteProgress, progressOf, useProgress } from '../progress';

export function Predict(props: {
  readonly slug: string;
  readonly id: number;
  readonly prediction: Prediction;
  readonly finished: Finished;
}): React.ReactNode {
  const { slug, id, prediction, finished } = props;
  const { question, choices, unit, explain } = prediction;
  const guesses = useProgress((state) => progressOf(state.lessons, slug).guesses);
  // A check runs the program with its own sizes and prints: only a run answers.
  const record = useRun((state) => state.own?.record ?? null);
  const phase = useSession((state) => state.phase);
  const [draft, setDraft] = useState('');
  const guess = guesses[id];
  const early = prediction.needsSolution && record && !isFinished(record.text, finished);
  const answer = record && !early ? answerOf(record, prediction.answer) : null;
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
                'Nothing yet: finish the program, check it and run it again.'
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
                  {answer} {choices ? '' : unit}{' '}
                  {judge(prediction, guess, answer) ? (
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
          {explain}{' '}
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
