/** The page inside another page: Run, the text, the chosen panels; no bars. */
import { Group, Panel, Separator } from 'react-resizable-panels';
import { ProgramEditor } from '../editor/ProgramEditor';
import { useMedia } from '../panels/common/media';
import { Panels } from '../panels/Panels';
import { NoticeLine } from '../programs/NoticeLine';
import { useDocument } from '../state/document';
import { RunButtons, Status } from '../TopBar';
import { Mark } from '../theme/icons';
import type { Embed } from './embed';
import { currentShared, linkTo, pageAddress } from './state';
import './embed.css';

/** Narrower than this, the panels stand below the text. */
const WIDE = '(min-width: 720px)';

/** To the program as it is; to the page alone where it has become too large for a link. */
const linkHere = (): string => linkTo(currentShared()).link ?? pageAddress();

export default function EmbedFrame({ embed }: { readonly embed: Embed }): React.ReactNode {
  const wide = useMedia(WIDE);
  const { name, entry } = useDocument();
  const panels = (
    <section className="half" aria-label="Results">
      <Panels {...(embed.panels ? { only: embed.panels } : {})} />
    </section>
  );
  return (
    <div className="page embedded">
      <header className="topbar">
        <RunButtons />
        <span className="embed-name">{name}</span>
        <Status />
        <a
          className="button quiet"
          href={linkHere()}
          target="_blank"
          rel="noreferrer"
          onClick={(event) => {
            // As it is by now.
            event.currentTarget.href = linkHere();
          }}
        >
          <Mark size={18} />
          <span>Open in Hippocamp</span>
        </a>
      </header>
      <main className="body">
        {entry === '' ? (
          <p className="empty">There is no program here.</p>
        ) : embed.editor ? (
          <Group className="halves" orientation={wide ? 'horizontal' : 'vertical'}>
            <Panel id="editor" minSize={80}>
              <section className="half" aria-label="Program">
                <div className="editor">
                  <ProgramEditor />
                </div>
              </section>
            </Panel>
            <Separator
              className={wide ? 'separator' : 'separator across'}
              aria-label="Resize the program"
            />
            <Panel id="results" minSize={80}>
              {panels}
            </Panel>
          </Group>
        ) : (
          panels
        )}
      </main>
      <NoticeLine />
    </div>
  );
}
