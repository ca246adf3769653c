/**
 * A program's words in Markdown: one line, with nothing that Markdown or HTML obeys. What is
 * written stays what is read.
 */
import { visibleText } from '../../state/visibleText';

export function plain(text: string): string {
  return visibleText(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[#>+-]/g, '\\$&');
}
