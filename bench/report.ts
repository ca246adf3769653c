/** Results of the benchmark, as lines for people, as lines of JSON, and as a table. */

/** One comparison: ours with one other way to do the same work. */
export interface Row {
  readonly name: string;
  /**
   * 'wgsl' (hand-written), a peer's name, 'triton', 'torch'; 'nothing' where ours is only timed.
   */
  readonly against: string;
  /** The other's time ÷ ours: 1 is parity, more is better. Absent where the other failed. */
  readonly ratio?: number;
  /** 10th and 90th percentile over the turns. */
  readonly low?: number;
  readonly high?: number;
  /** The same of GPU time alone, where `ratio` is of the wall clock. */
  readonly gpu?: number;
  /** Seconds. */
  readonly ours?: number;
  readonly theirs?: number;
  readonly where: 'dawn' | 'chromium';
  readonly adapter: string;
  readonly toggles: string;
  /** The largest difference of ours from the reference. */
  readonly error: number;
  readonly bytes: number;
  readonly flops: number;
  readonly note?: string;
  /** Answer of the other where it cannot do this. */
  readonly failure?: string;
}

/**
 * Whether `ours` is by the clock of the GPU, or of a software adapter's CPU: of a library's row it
 * is the wall's.
 */
export function isTimed({ against }: Row): boolean {
  return against === 'wgsl' || against === 'nothing';
}

/** Three significant digits. */
export function digits(value: number): string {
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}

export function line(row: Row): string {
  const { name, against, ratio, low, high, ours, theirs, where, note, failure } = row;
  if (against === 'nothing')
    return `      –  ${name} (${where}): ${digits((ours ?? NaN) * 1e3)} ms, ${rate(row)} (${note ?? ''})`;
  if (ratio === undefined)
    return `      –  ${name} against ${against} (${where}): ${failure ?? ''}`;
  const times = `${digits((ours ?? NaN) * 1e3)} against ${digits((theirs ?? NaN) * 1e3)} ms`;
  return (
    `${digits(ratio).padStart(7)}× (${digits(low ?? NaN)} … ${digits(high ?? NaN)})  ${name} against ` +
    `${against} (${where}): ${times}, ${rate(row)}${note ? ` (${note})` : ''}`
  );
}

/** Ours as a rate: of arithmetic where there is much of it for a byte. */
export function rate({ bytes, flops, ours }: Row): string {
  if (!ours) return '';
  const [amount, unit] = flops / bytes > 8 ? [flops, 'FLOP/s'] : [bytes, 'B/s'];
  const each = amount / ours;
  return each >= 1e12 ? `${digits(each / 1e12)} T${unit}` : `${digits(each / 1e9)} G${unit}`;
}

/** A table in Markdown: works down, what they are compared with across. */
export function table(rows: readonly Row[]): string {
  const others = [...new Set(rows.map(({ against }) => against))].filter((x) => x !== 'nothing');
  const placeOf = ({ where, toggles }: Row): string =>
    toggles === 'default' ? where : `${where}, ${toggles}`;
  const names = [...new Set(rows.map((row) => `${row.name}\n${placeOf(row)}`))];
  const lines = [
    `| work | in | ours | ${others.join(' | ')} |`,
    `| --- | --- | --- | ${others.map(() => '---').join(' | ')} |`,
  ];
  for (const key of names) {
    const [name, where] = key.split('\n');
    const own = rows.filter((row) => row.name === name && placeOf(row) === where);
    const cells = others.map((other) => {
      const row = own.find(({ against }) => against === other);
      if (!row) return '';
      if (row.ratio === undefined) return 'fails';
      const range = `${digits(row.ratio)} (${digits(row.low ?? NaN)} … ${digits(row.high ?? NaN)})`;
      return row.gpu === undefined ? range : `${range}, GPU ${digits(row.gpu)}`;
    });
    lines.push(
      `| ${name} | ${where} | ${rate(own.find(isTimed) ?? own[0]!)} | ${cells.join(' | ')} |`,
    );
  }
  return lines.join('\n');
}
