/**
 * Markdown that holds words of the program (docstrings, signatures, defaults), for Monaco. It never
 * loads anything: an image's opening is escaped, so its address stays text.
 */
export function docMarkdown(text: string): { readonly value: string } {
  return { value: text.replaceAll('![', '!\\[') };
}
