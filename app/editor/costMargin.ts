/** Cost by line in the margin of the editor: shares beside the line numbers, words on hovering. */
import type { LineCosts } from '../../compiler/inspect/lineCosts';
import type { Measure } from '../state/lineCosts';
import { lineText, marginText, shareOf } from './costText';
import { monaco } from './monaco';

/** Characters of `100 %` and a space. */
const ROOM = 6;
const DIGITS = 3;
/** Steps of colour. */
const STEPS = 4;

/** Draws the costs of a file's lines. @returns what takes them away again. */
export function drawCosts(
  editor: monaco.editor.IStandaloneCodeEditor,
  file: string,
  costs: LineCosts,
  measure: Measure,
): () => void {
  const own = new Map(
    costs.lines.filter((each) => each.file === file).map((each) => [each.line, each]),
  );
  const decorations = editor.createDecorationsCollection(
    [...own.values()].map((line) => ({
      range: new monaco.Range(line.line, 1, line.line, 1),
      options: {
        lineNumberClassName: `cost-${Math.ceil(shareOf(line, costs.total, measure) * STEPS)}`,
        lineNumberHoverMessage: { value: lineText(line, costs) },
        stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
      },
    })),
  );
  editor.updateOptions({
    lineNumbers: (number) => {
      const line = own.get(number);
      const text = line ? marginText(line, costs.total, measure) : '';
      return `${text} ${String(number).padStart(DIGITS)}`;
    },
    lineNumbersMinChars: ROOM + DIGITS,
  });
  return () => {
    decorations.clear();
    editor.updateOptions({ lineNumbers: 'on', lineNumbersMinChars: DIGITS });
  };
}
