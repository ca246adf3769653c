/** Triton's TTIR as a trace holds it, in the form in which ours is printed: without locations. */

/** @returns the text without `loc(…)` and the lines that define locations. */
export function comparableTtir(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^#loc\d*\s*=/.test(line))
    .map((line) =>
      line.replaceAll(
        / ?loc\((?:[^()"]|"[^"]{0,2000}"|\((?:[^()"]|"[^"]{0,2000}"){0,200}\)){0,2000}\)/g,
        '',
      ),
    )
    .join('\n');
}
