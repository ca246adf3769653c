/**
 * A lesson's text in pieces: prose, predictions, figures and hints, in the order they stand. Pieces are
 * fenced blocks whose language is `predict`, `figure` or `hint`; everything else is Markdown.
 */
import { parsePrediction, type Prediction } from './predict';

export type Piece =
  | { readonly kind: 'prose'; readonly markdown: string }
  | { readonly kind: 'predict'; readonly prediction: Prediction }
  | { readonly kind: 'figure'; readonly figure: FigureSpec }
  | { readonly kind: 'hint'; readonly markdown: string };

/** Drawn from the run: the elements that each load and store of one program touches. */
export interface FigureSpec {
  readonly kernel: string;
  /** The program that is shown first. */
  readonly program: number;
  readonly caption: string;
}

const FENCE = /^```(predict|figure|hint)\n([\s\S]*?)\n```$/gm;

/** @throws where a piece is not understood. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const prose = (end: number): void => {
    const markdown = text.slice(at, end).trim();
    if (markdown) pieces.push({ kind: 'prose', markdown });
  };
  for (const match of text.matchAll(FENCE)) {
    prose(match.index);
    at = match.index + match[0].length;
    const body = match[2]!;
    if (match[1] === 'predict') pieces.push({ kind: 'predict', prediction: parsePrediction(body) });
    else if (match[1] === 'figure') pieces.push({ kind: 'figure', figure: parseFigure(body) });
    else pieces.push({ kind: 'hint', markdown: body });
  }
  prose(text.length);
  return pieces;
}

function parseFigure(text: string): FigureSpec {
  const match = /^accesses (\w+)(?: program=(\d+))?(?:\n([\s\S]*))?$/.exec(text.trim());
  if (!match) throw new Error(`a figure is not understood: ${text}`);
  return { kernel: match[1]!, program: Number(match[2] ?? 0), caption: match[3]?.trim() ?? '' };
}

/** The line of the start program where there is something to write: the first that the solution changes. */
export function placeToWrite(start: string, solution: string): number {
  const wanted = solution.split('\n');
  return start.split('\n').findIndex((line, index) => line !== wanted[index]) + 1;
}
