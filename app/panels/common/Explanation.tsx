/**
 * Explanation of a diagnostic's code: its page of `docs/diagnostics`, loaded on demand.
 */
import { explain, useView } from '../../state/view';
import { Prose } from './Prose';
import { usePage } from './usePage';

const PAGES = import.meta.glob<string>('../../../docs/diagnostics/*.md', {
  query: '?raw',
  import: 'default',
});

/** The code as a button that shows its page in the problems. */
export function CodeChip({ code }: { readonly code: string }): React.ReactNode {
  return (
    <button
      type="button"
      className="site"
      aria-label={`What ${code} means`}
      onClick={(event) => {
        event.stopPropagation();
        explain(code);
      }}
    >
      {code}
    </button>
  );
}

/** The page that was requested last. */
export function Explanation(): React.ReactNode {
  const code = useView((state) => state.explained);
  const text = usePage(PAGES, code === null ? null : `../../../docs/diagnostics/${code}.md`);
  if (text === null) return null;
  return (
    <article className="explanation" aria-label={`What ${code} means`}>
      <button
        type="button"
        className="link"
        style={{ float: 'right' }}
        onClick={() => useView.setState({ explained: null })}
      >
        Close
      </button>
      {/* The templates of messages are left out. */}
      <Prose text={text.split('\n## Messages\n')[0] ?? ''} />
    </article>
  );
}
