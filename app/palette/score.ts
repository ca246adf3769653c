/**
 * How well a command fits what was typed: 0 for not at all. Every word must be found; a title that
 * has them counts more than other words, the start of a word more than its middle.
 */
export function scoreOf(title: string, typed: string, keywords: readonly string[] = []): number {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const name = title.toLowerCase().replaceAll(/[^\p{L}\d_.]+/gu, ' ');
  const others = keywords.join(' ').toLowerCase();
  let score = 1;
  for (const word of words) score *= Math.max(fit(name, word), 0.3 * fit(others, word));
  return name.startsWith(words.join(' ')) ? score : 0.95 * score;
}

function fit(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  const starts = at === 0 || text.includes(` ${word}`);
  const whole = ` ${text} `.includes(` ${word} `);
  return whole ? 1 : starts ? 0.9 : 0.5;
}
