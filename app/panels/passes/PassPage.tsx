/** Page of a pass in `docs/passes`, loaded on demand. */
import { Prose } from '../common/Prose';
import { usePage } from '../common/usePage';

const PAGES = import.meta.glob<string>('../../../docs/passes/*.md', {
  query: '?raw',
  import: 'default',
});

export function PassPage({ name }: { readonly name: string }): React.ReactNode {
  const text = usePage(PAGES, `../../../docs/passes/${name}.md`);
  if (text === null) return null;
  // The panel's bar has the name already.
  return (
    <article className="explanation pass-page" aria-label={`What ${name} does`}>
      <Prose text={text.replace(/^# .*\n/, '')} />
    </article>
  );
}
