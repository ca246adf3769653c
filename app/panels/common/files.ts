/** Giving the visitor a file, or text on the clipboard. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Begun while the click counts: Safari forgets it while a promise is awaited. @returns whether the
 * browser let us. */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    if (typeof text === 'string' || typeof ClipboardItem === 'undefined') {
      await navigator.clipboard.writeText(await text);
    } else {
      const blob = text.then((found) => new Blob([found], { type: 'text/plain' }));
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    }
    return true;
  } catch {
    return false;
  }
}

/** A name that every file system takes: `result_gold['a']` becomes `result_gold_a`. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\w.-]+/g, '_').replace(/^_+|_+$/g, '');
  return plain === '' ? 'tensor' : plain;
}
