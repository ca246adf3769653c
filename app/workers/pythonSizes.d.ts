/**
 * Made by the page's build (`vite.config.ts`): bytes of the files that Python's start fetches, by
 * name.
 */
declare module 'virtual:python-sizes' {
  const sizes: Readonly<Record<string, { readonly stored: number; readonly unpacked: number }>>;
  export default sizes;
}
