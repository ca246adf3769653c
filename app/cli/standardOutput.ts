/** Waits until it is written: a pipe takes large texts in pieces. */
export function write(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}
