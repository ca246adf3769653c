/** A lesson's text: prose, predictions, figures; hints stay closed until they are asked for. */
import { useMemo } from 'react';
import { piecesOf } from '../document';
import { progressOf, useProgress } from '../progress';
import { Figure } from './Figure';
import { toHtml } from './markdown';
import { Predict } from './Predict';

export function LessonText(props: {
  readonly slug: string;
  readonly text: string;
}): React.ReactNode {
  const { slug, text } = props;
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
  return (
    <article className="lesson-text">
      {pieces.map(({ piece, index, html, hint }) => {
        switch (piece.kind) {
          case 'prose':
            return <div key={index} dangerouslySetInnerHTML={{ __html: html }} />;
          case 'predict':
            return <Predict key={index} slug={slug} id={index} prediction={piece.prediction} />;
          case 'figure':
            return <Figure key={index} spec={piece.figure} />;
          case 'hint':
            return hint > shown ? null : (
              <aside key={index} className="lesson-hint" aria-label={`Hint ${hint}`}>
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
