/**
 * A program's text without the empty lines around it, and without what all its lines are indented
 * by.
 */
export function dedentLines(text: string): string {
  const lines = text
    .replace(/^(\s*\n)+/, '')
    .trimEnd()
    .split('\n');
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const least = indents.length > 0 ? Math.min(...indents) : 0;
  return lines.map((line) => line.slice(least)).join('\n') + '\n';
}
