/** What a pass does: its page of `docs/passes`, loaded when it is asked for. */
import { useEffect, useState } from 'react';
import { Prose } from '../common/Prose';

const PAGES = import.meta.glob<string>('../../../docs/passes/*.md', {
  query: '?raw',
  import: 'default',
});

export function PassPage({ name }: { readonly name: string }): React.ReactNode {
  const [page, setPage] = useState<{ readonly name: string; readonly text: string } | null>(null);
  useEffect(() => {
    let current = true;
    void PAGES[`../../../docs/passes/${name}.md`]?.().then((text) => {
      if (current) setPage({ name, text });
    });
    return () => {
      current = false;
    };
  }, [name]);
  if (page?.name !== name) return null;
  // The panel's bar has the name already.
  return (
    <article className="explanation pass-page" aria-label={`What ${name} does`}>
      <Prose text={page.text.replace(/^# .*\n/, '')} />
    </article>
  );
}
