/** The arithmetic of the trace: Python's share, and totals by track. */
import type { TraceSpan, TraceTrack } from '../../events';

export type Track = TraceTrack | 'python';
export interface Span {
  readonly track: Track;
  readonly name: string;
  readonly start: number;
  readonly duration: number;
  /** The launch it belongs to. */
  readonly launch?: number;
}

export const TRACKS: readonly (readonly [Track, string])[] = [
  ['python', 'Python'],
  ['torch', 'torch on the CPU'],
  ['compile', 'Compiler'],
  ['pipeline', 'Shader compilation'],
  ['launch', 'Launch'],
  ['upload', 'Upload'],
  ['wait', 'Wait'],
  ['readback', 'Readback'],
  ['gpu', 'GPU'],
];

/** Time that nobody else has is Python's: the gaps between the spans of its thread. */
export function withPython(spans: readonly TraceSpan[], end: number): Span[] {
  const own = spans.filter(({ track }) => track !== 'gpu').sort((a, b) => a.start - b.start);
  const python: Span[] = [];
  let at = 0;
  const gap = (to: number): void => {
    // Shorter gaps are what recording the spans takes.
    if (to - at > 0.02)
      python.push({ track: 'python', name: 'Python', start: at, duration: to - at });
  };
  for (const { start, duration } of own) {
    gap(start);
    at = Math.max(at, start + duration);
  }
  gap(end);
  return [...python, ...spans];
}

export interface TrackTotal {
  readonly track: Track;
  readonly title: string;
  readonly count: number;
  readonly total: number;
  readonly longest: Span | null;
}
export function totals(spans: readonly Span[]): TrackTotal[] {
  return TRACKS.flatMap(([track, title]) => {
    const own = spans.filter((span) => span.track === track);
    if (own.length === 0) return [];
    const total = own.reduce((sum, { duration }) => sum + duration, 0);
    const longest = own.reduce((a, b) => (b.duration > a.duration ? b : a));
    return [{ track, title, count: own.length, total, longest }];
  });
}
