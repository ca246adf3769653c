/** A lesson's text: prose, predictions, figures; hints stay closed until they are asked for. */
import { useEffect, useMemo, useRef } from 'react';
import { piecesOf } from '../document';
import type { Finished } from '../finished';
import type { Lesson } from '../lessonFiles';
import { progressOf, useProgress } from '../progress';
import { Figure } from './Figure';
import { toHtml } from './markdown';
import { Predict } from './Predict';

export function LessonText({ lesson }: { readonly lesson: Lesson }): React.ReactNode {
  const { slug, text, start, solution } = lesson;
  const passed = useProgress((state) => state.passedTexts[slug] ?? null);
  const finished: Finished = { solution, passed };
  const pieces = useMemo(
    () =>
      piecesOf(text).map((piece, index, all) => ({
        piece,
        index,
        html: piece.kind === 'prose' || piece.kind === 'hint' ? toHtml(piece.markdown) : '',
        /** Its number among the hints. */
        hint: all.slice(0, index + 1).filter((one) => one.kind === 'hint').length,
      })),
    [text],
  );
  const shown = useProgress((state) => progressOf(state.lessons, slug).hints);
  const last = useRef<HTMLElement>(null);
  const before = useRef(shown);
  useEffect(() => {
    // The hint that was just asked for is brought into view; those of an earlier visit stay where
    // they are.
    if (shown > before.current) {
      last.current?.scrollIntoView({ block: 'center' });
      last.current?.focus({ preventScroll: true });
    }
    before.current = shown;
  }, [shown]);
  return (
    <article className="lesson-text">
      {pieces.map(({ piece, index, html, hint }) => {
        switch (piece.kind) {
          case 'prose':
            return <div key={index} dangerouslySetInnerHTML={{ __html: html }} />;
          case 'predict':
            return (
              <Predict
                key={index}
                slug={slug}
                id={index}
                prediction={piece.prediction}
                start={start}
                finished={finished}
              />
            );
          case 'figure':
            return <Figure key={index} spec={piece.figure} finished={finished} />;
          case 'hint':
            return hint > shown ? null : (
              <aside
                key={index}
                ref={hint === shown ? last : null}
                className="lesson-hint"
                aria-label={`Hint ${hint}`}
                tabIndex={-1}
              >
                <h3>Hint {hint}</h3>
                <div dangerouslySetInnerHTML={{ __html: html }} />
              </aside>
            );
          default:
            return piece satisfies never;
        }
      })}
    </article>
  );
}
