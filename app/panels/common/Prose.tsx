/**
 * The pages of `docs/` that the panels show. They use little of Markdown (headings, paragraphs,
 * code, links, lists), so little is drawn.
 */
export function Prose({ text }: { readonly text: string }): React.ReactNode {
  return blocks(text).map((block, index) => <Block key={index} text={block} />);
}

/** Paragraphs, headings, lists and fenced code. */
function blocks(text: string): string[] {
  return text.split(/(^```\w*\n[^]*?^```$)/m).flatMap((piece) =>
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
  if (text.startsWith('- '))
    return (
      <ul>
        {text.split(/\n(?=- )/).map((item, index) => (
          <li key={index}>{inline(item.slice(2))}</li>
        ))}
      </ul>
    );
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
