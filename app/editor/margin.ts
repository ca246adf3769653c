/**
 * Marks in the editor's margin and at the ends of lines: failures, breakpoints, the time of
 * launches.
 */
import type { LineFailure } from './markers';
import { monaco } from './monaco';

export interface LaunchTime {
  readonly line: number;
  /** `41 µs × 3`. */
  readonly text: string;
  readonly hover: string;
}

type Decoration = monaco.editor.IModelDeltaDecoration;
const lineRange = (line: number): monaco.Range => new monaco.Range(line, 1, line, 1);

export function failureDecorations(failures: readonly LineFailure[]): Decoration[] {
  return failures.flatMap((failure) => {
    const range = lineRange(failure.line);
    // A glyph of a whole line would stand at each row of a line that is wrapped.
    const glyph = {
      glyphMarginClassName: failure.kind === 'error' ? 'glyph-fail' : 'glyph-mismatch',
      glyphMarginHoverMessage: { value: failure.message },
    };
    // Monaco draws the problems’ own marks in the overview ruler.
    const { Right: position } = monaco.editor.OverviewRulerLane;
    const line = {
      isWholeLine: true,
      className: 'line-failed',
      overviewRuler: { color: '#b3301a', position },
    };
    return [{ range, options: glyph }, ...(failure.ran ? [{ range, options: line }] : [])];
  });
}

export function breakpointDecorations(
  breakpoints: readonly { readonly line: number; readonly condition?: string }[],
): Decoration[] {
  return breakpoints.map(({ line, condition }) => ({
    range: lineRange(line),
    options: {
      glyphMarginClassName: 'glyph-breakpoint',
      glyphMarginHoverMessage: {
        value: condition
          ? `Breakpoint: the debugger stops here if \`${condition}\``
          : 'Breakpoint: the debugger stops here',
      },
      // A line that is split above it takes it along.
      stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
      glyphMargin: { position: monaco.editor.GlyphMarginLane.Left },
    },
  }));
}

export function launchDecorations(
  times: readonly LaunchTime[],
  model: monaco.editor.ITextModel,
): Decoration[] {
  return times
    .filter(({ line }) => line <= model.getLineCount())
    .map(({ line, text, hover }) => {
      const end = model.getLineMaxColumn(line);
      return {
        range: new monaco.Range(line, end, line, end),
        options: {
          after: { content: `  ${text}`, inlineClassName: 'launch-time' },
          hoverMessage: { value: hover },
          showIfCollapsed: true,
        },
      };
    });
}
