/** Giving the visitor a file, or text on the clipboard. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @returns whether the browser let us. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
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
