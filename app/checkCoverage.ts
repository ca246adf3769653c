/**
 * How much of a launch the check mode covered, in words: for the page and for the headless runner.
 */
import type { ProgramEvent } from './events';

type CheckEvent = Extract<ProgramEvent, { readonly type: 'check' }>;

/**
 * Null where every pass was checked for every program of the launch. A launch is interpreted by
 * tiles for its first programs, and by workgroups, which takes longer, for as many of them as fit
 * into the limit of steps.
 */
export function checkCoverage({
  passes,
  programs,
}: Pick<CheckEvent, 'passes' | 'programs'>): string | null {
  const counts = passes.map((pass) => pass.programs);
  const [tiles, threads] = [Math.max(...counts), Math.min(...counts)];
  if (passes.length === 0 || threads >= programs) return null;
  const of = (count: number): string =>
    count === programs
      ? `all ${format(programs)} programs`
      : `${format(count)} of ${format(programs)} programs`;
  return tiles === threads
    ? `Checked for the first ${of(tiles)}.`
    : `TTIR and TTGIR checked for ${of(tiles)}, thread IR for ${of(threads)}.`;
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
