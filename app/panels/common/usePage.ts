/** A page of `docs/`, loaded on demand. */
import { useEffect, useState } from 'react';

/**
 * @param pages what `import.meta.glob` found. @returns null while the page at `path` is not there.
 */
export function usePage(
  pages: Readonly<Record<string, () => Promise<string>>>,
  path: string | null,
): string | null {
  const [page, setPage] = useState<{ readonly path: string; readonly text: string } | null>(null);
  useEffect(() => {
    if (path === null) return;
    let current = true;
    void pages[path]?.().then((text) => {
      if (current) setPage({ path, text });
    });
    return () => {
      current = false;
    };
  }, [pages, path]);
  return page !== null && page.path === path ? page.text : null;
}
