/** Files that are dropped on the page, as a browser hands them to it. */
import type { Page } from 'playwright';

/** Drops files on the editor, as the browser does. */
export async function dropFiles(page: Page, files: readonly { name: string; bytes: Uint8Array }[]) {
  const data = await page.evaluateHandle(
    (given) => {
      const transfer = new DataTransfer();
      for (const { name, text } of given) {
        const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        transfer.items.add(new File([bytes], name));
      }
      return transfer;
    },
    files.map(({ name, bytes }) => ({ name, text: Buffer.from(bytes).toString('base64') })),
  );
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.locator('.editor .view-lines').dispatchEvent(type, { dataTransfer: data });
}
