/**
 * A picture of the kernel and what it did: code, verdicts, times, adapter. 1200×630, as links
 * preview.
 */
import { formatTiming } from '../../panels/common/format';
import { groupTiming, type RunRecord } from '../../state/record';

const CARD = { width: 1200, height: 630 } as const;
const LINES = 17;
const COLUMNS = 92;

/** The kernel's lines: from its decorator as far as the card reaches. */
export function excerpt(text: string, kernel: string | null): readonly string[] {
  const lines = text.split('\n');
  const name = kernel ?? /@triton\.jit[^]*?\bdef (\w+)/.exec(text)?.[1];
  const def = name ? lines.findIndex((line) => line.includes(`def ${name}(`)) : -1;
  let from = Math.max(0, def);
  while (from > 0 && /^\s*[@)]|^\s+\S.*[,(]$/.test(lines[from - 1] ?? '')) from--;
  const rest = lines.slice(from);
  const end = rest.findIndex((line, index) => index > def - from && /^[^\s#@)]/.test(line));
  const body = (end > 0 ? rest.slice(0, end) : rest).join('\n').trimEnd().split('\n');
  const shown = body.slice(0, LINES);
  if (body.length > LINES) shown[LINES - 1] = `${/^\s*/.exec(shown[LINES - 1] ?? '')?.[0] ?? ''}…`;
  return shown.map((line) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line));
}

export interface CardFacts {
  readonly name: string;
  readonly text: string;
  readonly kernel: string | null;
  readonly record: RunRecord | null;
}

/** Lines below the code: one each, the sign first. */
export function factsOf(record: RunRecord | null): { sign: string; text: string }[] {
  if (!record) return [{ sign: '', text: 'not run yet' }];
  const facts: { sign: string; text: string }[] = [];
  const failed = record.comparisons.filter((one) => !one.passed).length;
  const passed = record.comparisons.length - failed;
  const { errors } = record;
  if (record.outcome === 'error') facts.push({ sign: '✗', text: 'ended with an error' });
  else if (errors > 0)
    facts.push({ sign: '✗', text: errors === 1 ? 'an error' : `${errors} errors` });
  if (failed > 0)
    facts.push({ sign: '✗', text: `${failed} of ${failed + passed} comparisons failed` });
  else if (passed > 0)
    facts.push({ sign: '✓', text: passed === 1 ? 'as expected' : `${passed} comparisons hold` });
  for (const group of record.groups.filter((one) => !one.first.benchmark).slice(0, 3)) {
    const timing = groupTiming(group);
    if (timing)
      facts.push({ sign: '', text: `${group.first.kernel} ${formatTiming(timing).text}` });
  }
  return facts;
}

export async function drawCard(facts: CardFacts): Promise<Blob> {
  await document.fonts.ready;
  const canvas = document.createElement('canvas');
  canvas.width = CARD.width;
  canvas.height = CARD.height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser gives no canvas to draw on');
  const style = getComputedStyle(document.documentElement);
  const color = (token: string): string => style.getPropertyValue(token).trim();
  const sans = (size: number, weight = 400): string =>
    `${weight} ${size}px "Inter Variable", system-ui, sans-serif`;
  const text = (line: string, x: number, y: number, font: string, fill: string): number => {
    context.font = font;
    context.fillStyle = fill;
    context.fillText(line, x, y);
    return x + context.measureText(line).width;
  };
  context.fillStyle = color('--surface');
  context.fillRect(0, 0, CARD.width, CARD.height);
  context.fillStyle = color('--accent');
  context.fillRect(0, 0, CARD.width, 8);
  text(facts.name, 48, 68, sans(34, 650), color('--text'));
  context.fillStyle = color('--sunken');
  context.fillRect(48, 92, CARD.width - 96, 426);
  context.strokeStyle = color('--line-strong');
  context.strokeRect(48.5, 92.5, CARD.width - 97, 425);
  const lines = excerpt(facts.text, facts.kernel);
  // As large as the box allows, which long lines decide as well as many of them.
  const longest = Math.max(...lines.map((line) => line.length), 1);
  const size = Math.min(28, 400 / lines.length / 1.35, 1064 / longest / 0.601);
  const mono = `400 ${size}px "JetBrains Mono Variable", monospace`;
  const from = 92 + (426 - lines.length * size * 1.35) / 2 + size;
  lines.forEach((line, index) => {
    const comment = /^\s*#/.test(line);
    const y = from + index * size * 1.35;
    text(line, 68, y, mono, color(comment ? '--text-muted' : '--text'));
  });
  let x = 48;
  for (const { sign, text: said } of factsOf(facts.record)) {
    const fill = sign === '✗' ? '--fail' : sign === '✓' ? '--pass' : '--text';
    x = text(`${sign} ${said}`.trim(), x, 560, sans(24, 550), color(fill)) + 36;
    if (x > CARD.width - 240) break;
  }
  const adapter = facts.record?.adapter;
  const where = adapter ? `${adapter.name} · ${adapter.kind}` : '';
  text(where, 48, 600, sans(20), color('--text-muted'));
  context.textAlign = 'right';
  text('Hippocamp', CARD.width - 48, 600, sans(20, 650), color('--accent'));
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be made'))),
      'image/png',
    );
  });
}
