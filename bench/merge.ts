/**
 * Merges what several runs found on one machine into one table: rows of `--out`, and the lines
 * `BENCH {…}` that the programs print, under real Triton (with torch beside) or under Hippocamp.
 * Works meet by their names.
 */
import { isTimed, table, type Row } from './report';

/** A line of a program. */
interface Line {
  readonly name: string;
  /**
   * 'triton, graph': many runs in a row, as ours are measured; `do_bench` flushes the caches before
   * each.
   */
  readonly by: 'triton' | 'triton, graph' | 'torch' | 'hippocamp';
  /** Milliseconds. */
  readonly ms: number;
  readonly low: number;
  readonly high: number;
}

/** @returns the table in Markdown, and below it what has no counterpart. */
export function merged(texts: readonly string[]): string {
  const rows: Row[] = [];
  const lines: Line[] = [];
  for (const text of texts.flatMap((each) => each.split('\n'))) {
    const at = text.indexOf('BENCH {');
    if (at >= 0) lines.push(JSON.parse(text.slice(at + 6)) as Line);
    else if (text.startsWith('{')) rows.push(JSON.parse(text) as Row);
  }
  const alone: string[] = [];
  const theirs = lines.filter(({ by }) => by !== 'hippocamp');
  const added = theirs.flatMap((line): Row[] => {
    const own = rows.filter((row) => row.name === line.name && isTimed(row));
    const ran = lines.find(({ by, name }) => by === 'hippocamp' && name === line.name);
    const some = own.map((row) => withTheirs(row, line, (row.ours ?? NaN) * 1e3));
    const toggles = new Set<string>();
    const each = some.filter((row) => !toggles.has(row.toggles) && toggles.add(row.toggles));
    if (each.length > 0) return each;
    if (ran) return [withTheirs(bare(line), line, ran.ms)];
    alone.push(`- ${line.name}: ${line.by} ${line.ms.toPrecision(3)} ms; ours was not measured`);
    return [];
  });
  return [table([...rows, ...added]), ...(alone.length > 0 ? ['', ...alone] : [])].join('\n');
}

function withTheirs(row: Row, line: Line, ours: number): Row {
  return {
    ...row,
    against: line.by,
    ratio: line.ms / ours,
    low: line.low / ours,
    high: line.high / ours,
    ours: ours / 1e3,
    theirs: line.ms / 1e3,
  };
}

/** A row of a program that only ran under Hippocamp: its bytes are not known here. */
function bare({ name }: Line): Row {
  const common = { adapter: '', toggles: 'default', error: NaN, bytes: NaN, flops: NaN };
  return { name, against: 'triton', where: 'dawn', ...common };
}
