/**
 * Python text that PyTorch's log carries: `TORCH_LOGS=output_code` puts a prefix before each line
 * of a module that Inductor wrote. The text comes out as Inductor wrote it.
 */

/**
 * `V0603 05:58:59.123000 1403 torch/_inductor/graph.py:137] [0/0] [__output_code] `, of ranks as
 * well.
 */
const PREFIX =
  /^(?:\[rank\d+\]: ?)?[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ \S+:\d+\]((?: \[[^\]\s]*\])*) ?/;
/** PyTorch 2.2: `[2024-01-30 12:00:00,123] [0/0] torch._inductor.graph.__output_code: [DEBUG] `. */
const OLDER = /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+\] ((?:\[[^\]\s]*\] )*[\w.]+): \[[A-Z]+\] ?/;
const CODE = /__(?:output_code|kernel_code)\b/;
/** Lines of the log about the module, not in it. */
const REMARK = /^Output code(?: written to)?: ?\S*\s*$/;

/** @returns text of no log unchanged. */
export function withoutLogPrefix(text: string): string {
  const lines = text.split('\n');
  const read = lines.map((line) => PREFIX.exec(line) ?? OLDER.exec(line));
  const filled = lines.filter((line) => line.trim() !== '').length;
  const prefixed = read.filter((found) => found !== null).length;
  // A comment or a string of a program may quote a line of a log.
  if (prefixed * 2 < filled || !read.some((found) => CODE.test(found?.[1] ?? ''))) return text;
  const code = read.flatMap((found, i) => {
    if (!found || !CODE.test(found[1] ?? '')) return [];
    const line = (lines[i] ?? '').slice(found[0].length);
    return REMARK.test(line) ? [] : [line];
  });
  return `${code.join('\n').trimEnd()}\n`;
}
