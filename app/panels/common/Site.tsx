/** A place in the program, as a button that shows it in the editor. */
import type { CallSite } from '../../events';
import { selectLine, useView } from '../../state/view';

export function goTo(site: CallSite & { readonly column?: number }): void {
  const { file, line, column = 1 } = site;
  selectLine({ file, line, column, from: 'panel' });
  useView.setState({ half: 'editor' });
}

export function Site({ site }: { readonly site: CallSite }): React.ReactNode {
  return (
    <button
      type="button"
      className="site"
      aria-label={`Show line ${site.line} of ${site.file}`}
      onClick={(event) => {
        event.stopPropagation();
        goTo(site);
      }}
    >
      {site.file}:{site.line}
    </button>
  );
}
