/**
 * A lesson's text in pieces: prose, predictions, figures and hints, in the order they stand. Pieces
 * are fenced blocks whose language is `predict`, `figure` or `hint`; everything else is Markdown.
 */
import { parsePrediction, type Prediction } from './predict';

export type Piece =
  | { readonly kind: 'prose'; readonly markdown: string }
  | { readonly kind: 'predict'; readonly prediction: Prediction }
  | { readonly kind: 'figure'; readonly figure: FigureSpec }
  | { readonly kind: 'hint'; readonly markdown: string };

/** Drawings from the run. */
export type FigureSpec =
  /** The elements that each load and store of one program touches. */
  | {
      readonly kind: 'accesses';
      readonly kernel: string;
      /** The program that is shown first. */
      readonly program: number;
      readonly caption: string;
    }
  /** Rates of each kernel, beside what a copy reaches on this adapter. */
  | { readonly kind: 'rates'; readonly caption: string }
  /** Every configuration that the tuner tried, with its time. */
  | { readonly kind: 'tuning'; readonly kernel: string; readonly caption: string }
  /** Every launch under the roofs that were measured on this adapter. */
  | { readonly kind: 'roofline'; readonly caption: string }
  /** The IR of the kernel's last launch after a pass, as if for `IR_TARGET`. */
  | {
      readonly kind: 'ir';
      readonly kernel: string;
      readonly pass: string;
      readonly caption: string;
    };

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
  const [first = '', ...rest] = text.trim().split('\n');
  const caption = rest.join('\n').trim();
  const accesses = /^accesses (\w+)(?: program=(\d+))?$/.exec(first);
  if (accesses)
    return { kind: 'accesses', kernel: accesses[1]!, program: Number(accesses[2] ?? 0), caption };
  const tuning = /^tuning (\w+)$/.exec(first);
  if (tuning) return { kind: 'tuning', kernel: tuning[1]!, caption };
  const ir = /^ir (\w+) after (\w+)$/.exec(first);
  if (ir) return { kind: 'ir', kernel: ir[1]!, pass: ir[2]!, caption };
  if (first === 'rates' || first === 'roofline') return { kind: first, caption };
  throw new Error(`a figure is not understood: ${text}`);
}

/**
 * The line of the start program where there is something to write: the first that the solution
 * changes.
 */
export function placeToWrite(start: string, solution: string): number {
  const wanted = solution.split('\n');
  return start.split('\n').findIndex((line, index) => line !== wanted[index]) + 1;
}
