/** Copying, and saying so. The codec comes with the first link that is made. */
import { notify } from '../programs/notices';
import { useDocument } from '../state/document';

/** @returns whether the browser let it. */
export async function copy(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ text: `Copied ${what}.` });
    return true;
  } catch {
    notify({ text: 'The browser did not let the page copy: select the text and copy it.' });
    return false;
  }
}

export async function copyLink(): Promise<void> {
  if (useDocument.getState().entry === '') {
    notify({ text: 'There is no link yet: the program is still loading.' });
    return;
  }
  const { currentShared, linkTo } = await import('./state');
  const made = linkTo(currentShared());
  if (made.link === null) {
    notify({ text: made.reason });
    return;
  }
  const { link } = made;
  await copy(link, `a link of ${link.length.toLocaleString('en-US')} characters`);
}
