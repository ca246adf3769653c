/**
 * What a diagnostic's code means: its page of `docs/diagnostics`, loaded when it is asked for. The pages
 * use little of Markdown (headings, paragraphs, code, links, lists), so little is drawn.
 */
import { useEffect, useState } from 'react';
import { explain, useView } from '../../state/view';

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

/** The page that was asked for last. */
export function Explanation(): React.ReactNode {
  const code = useView((state) => state.explained);
  const [page, setPage] = useState<{ readonly code: string; readonly text: string } | null>(null);
  useEffect(() => {
    if (code === null) return;
    let current = true;
    const load = PAGES[`../../../docs/diagnostics/${code}.md`];
    void load?.().then((text) => {
      if (current) setPage({ code, text });
    });
    return () => {
      current = false;
    };
  }, [code]);
  if (code === null || page?.code !== code) return null;
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
      {blocks(page.text).map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </article>
  );
}

/** Paragraphs, headings and fenced code; the templates of messages are left out. */
function blocks(text: string): string[] {
  const shown = text.split('\n## Messages\n')[0] ?? '';
  return shown.split(/(^```\w*\n[^]*?^```$)/m).flatMap((piece) =>
    piece.startsWith('```')
      ? [piece]
      : piece
          .split(/\n{2,}/)
          .map((part) => part.trim())
          .filter((part) => part !== ''),
  );
}

function Block({ text }: { readonly text: string }): React.ReactNode {
  const fence = /^```\w*\n([^]*)\n```$/.exec(text);
  if (fence) return <pre>{fence[1]}</pre>;
  const heading = /^(#+) (.*)$/.exec(text);
  if (heading) return heading[1] === '#' ? <h3>{heading[2]}</h3> : <h4>{heading[2]}</h4>;
  return <p>{inline(text)}</p>;
}

/** Code spans and links. */
function inline(text: string): React.ReactNode[] {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part, index) => {
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    const link = /^\[([^\]]+)\]\((https:[^)]+)\)$/.exec(part);
    if (!link) return part;
    return (
      <a key={index} href={link[2]} target="_blank" rel="noreferrer">
        {link[1]}
      </a>
    );
  });
}
