/** A place in the program, as a button that shows it in the editor. */
import type { CallSite } from '../../events';
import { hasFile, useDocument } from '../../state/document';
import { select, type LocationSource } from '../../state/location';
import { useView } from '../../state/view';

/** Takes the visitor to a place in the program in view: what ran may be another. */
export function goTo(
  site: CallSite & { readonly column?: number },
  from: LocationSource = 'output',
): void {
  const { file, line, column = 1 } = site;
  if (!hasFile(file)) return;
  select({ file, line, column, from });
  useView.setState({ half: 'editor' });
}

export function Site({
  site,
  short = false,
}: {
  readonly site: CallSite;
  /** Only the number of the line, in tables with a column for it. */
  readonly short?: boolean;
}): React.ReactNode {
  const inView = useDocument((state) => hasFile(site.file, state));
  // A hidden check compares at no line of the program.
  if (site.file === '') return null;
  if (!inView)
    return <span className="site">{short ? site.line : `${site.file}:${site.line}`}</span>;
  return (
    <button
      type="button"
      className="site"
      // The accessible name holds the visible text.
      aria-label={
        short
          ? `line ${site.line} of ${site.file}, show it in the program`
          : `${site.file}:${site.line}, show it in the program`
      }
      onClick={(event) => {
        event.stopPropagation();
        goTo(site);
      }}
    >
      {short ? (
        String(site.line)
      ) : (
        <>
          <span>{site.file}</span>:{site.line}
        </>
      )}
    </button>
  );
}
