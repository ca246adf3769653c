/**
 * Text of others as the page shows it: characters that reorder what follows them (bidi controls)
 * are named instead of obeyed, so that what is read is what is there.
 */
const REORDERING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

export function visibleText(text: string): string {
  return text.replace(
    REORDERING,
    (one) => `[U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
