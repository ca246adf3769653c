/**
 * What stands in the editor's margin and at the ends of lines: failures, breakpoints, the time of launches.
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
  return failures.map((failure) => ({
    range: lineRange(failure.line),
    options: {
      isWholeLine: true,
      className: 'line-failed',
      glyphMarginClassName: failure.kind === 'error' ? 'glyph-fail' : 'glyph-mismatch',
      glyphMarginHoverMessage: { value: failure.message },
      overviewRuler: { color: '#b3301a', position: monaco.editor.OverviewRulerLane.Right },
    },
  }));
}

export function breakpointDecorations(lines: readonly number[]): Decoration[] {
  return lines.map((line) => ({
    range: lineRange(line),
    options: {
      glyphMarginClassName: 'glyph-breakpoint',
      glyphMarginHoverMessage: { value: 'Breakpoint: the debugger stops here' },
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
