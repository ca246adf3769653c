/** Share: a link with its size, an embed, and what can be taken elsewhere. */
import { useMemo, useState } from 'react';
import { Tabs } from 'radix-ui';
import { DialogFrame } from '../DialogFrame';
import { NoticeLine } from '../programs/NoticeLine';
import { useDocument } from '../state/document';
import { THEME_CHOICES, THEME_NAMES, type ThemeChoice } from '../state/settings';
import { PANELS, type PanelName } from '../state/view';
import { PANEL_ENTRIES } from '../panels/registry';
import { formatBytes, formatCount } from '../panels/common/format';
import { CopyIcon } from '../theme/icons';
import { copy } from './copy';
import { elementSnippet, embedQuery, iframeSnippet, markdownLink, type Embed } from './embed';
import { Exports } from './Exports';
import { downloadShared } from './export/files';
import { textOf } from './export/text';
import { currentShared, linkTo, pageAddress } from './state';
import './share.css';

export default function ShareDialog(): React.ReactNode {
  const { entry, failure } = useDocument();
  if (entry !== '') return <ShareProgram />;
  // An early question may come before the first program.
  return (
    <DialogFrame title="Share" className="share">
      <p className="muted">{failure ?? 'The program is still loading.'}</p>
    </DialogFrame>
  );
}

function ShareProgram(): React.ReactNode {
  // As it was when the dialog opened: it covers the page.
  const [shared] = useState(currentShared);
  return (
    <DialogFrame title={`Share ${shared.name}`} className="share">
      <Tabs.Root defaultValue="link" className="share-tabs">
        <Tabs.List className="tablist" aria-label="Ways to share">
          {(
            [
              ['link', 'Link'],
              ['embed', 'Embed'],
              ['export', 'Export'],
            ] as const
          ).map(([value, title]) => (
            <Tabs.Trigger key={value} value={value} className="tab">
              {title}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content value="link" className="share-body">
          <LinkTab shared={shared} />
        </Tabs.Content>
        <Tabs.Content value="embed" className="share-body">
          <EmbedTab shared={shared} />
        </Tabs.Content>
        <Tabs.Content value="export" className="share-body">
          <Exports shared={shared} />
        </Tabs.Content>
      </Tabs.Root>
      <NoticeLine />
    </DialogFrame>
  );
}

type Shared = ReturnType<typeof currentShared>;

/** Characters of a link, and what takes so long a one. */
const SIZES = [
  { most: 2000, says: 'Short enough for any app.' },
  {
    most: 8000,
    says: 'Fine in chats, mails and issues; a few old programs cut links after 2,000.',
  },
  { most: 60_000, says: 'Long: browsers open it, many chats cut it. A file is safer.' },
  { most: Infinity, says: 'Too long to rely on as a link: send the file instead.' },
] as const;

function LinkTab({ shared }: { readonly shared: Shared }): React.ReactNode {
  const made = useMemo(() => linkTo(shared), [shared]);
  return made.link === null ? (
    <p role="alert">{made.reason} Export holds the files.</p>
  ) : (
    <LinkOf shared={shared} link={made.link} />
  );
}

function LinkOf(props: { readonly shared: Shared; readonly link: string }): React.ReactNode {
  const { shared, link } = props;
  const payload = link.slice(link.indexOf('#/s/') + '#/s/'.length);
  const step = SIZES.findIndex(({ most }) => link.length <= most);
  const size = SIZES[step] ?? SIZES[3];
  const files = Object.keys(shared.files).length;
  return (
    <>
      <p className="muted">
        The link itself holds {files === 1 ? 'the program' : `all ${files} files`}, the seed and the
        settings of the run, the panels, and the selected pass and line. It stays in the part of the
        address that is sent to no server. Opening it runs nothing.
      </p>
      <Copyable label="Link" text={link} what="the link" primary first />
      <div className="size-meter">
        <meter
          min={0}
          max={4}
          low={2.5}
          high={3.5}
          optimum={1}
          value={step + 1}
          aria-label="Length of the link"
        />
        <span>
          <b>{formatCount(link.length)} characters.</b> {size.says}
        </span>
      </div>
      <div className="row">
        <button
          type="button"
          className="button"
          onClick={() => void copy(markdownLink(link, shared.name), 'the link as Markdown')}
        >
          <CopyIcon /> Copy as Markdown
        </button>
        {navigator.share === undefined ? null : (
          <button type="button" className="button" onClick={() => void send(shared.name, link)}>
            Send …
          </button>
        )}
        <button
          type="button"
          className={step >= 2 ? 'button primary' : 'button'}
          onClick={() => downloadShared(shared)}
        >
          Save as a file ({formatBytes(payload.length)})
        </button>
        <button
          type="button"
          className="button"
          onClick={() => void copy(textOf(shared), 'the program as text')}
        >
          <CopyIcon /> Copy as text, for a gist
        </button>
      </div>
      <p className="muted">
        The file holds all that the link does. The text holds the{' '}
        {files === 1 ? 'program' : 'files'} alone, and can be pasted anywhere: a gist, a mail, an
        issue. Both open with “My programs → Import files”.
      </p>
    </>
  );
}

/** By the system's own dialog: to an app, a device, a person. Who closes it wanted nothing. */
async function send(title: string, url: string): Promise<void> {
  await navigator.share({ title, url }).catch(() => undefined);
}

function EmbedTab({ shared }: { readonly shared: Shared }): React.ReactNode {
  const [panels, setPanels] = useState<readonly PanelName[]>(['output']);
  const [readOnly, setReadOnly] = useState(false);
  const [editor, setEditor] = useState(true);
  const [height, setHeight] = useState(480);
  const [theme, setTheme] = useState<ThemeChoice>('system');
  const several = useDocument((state) => Object.keys(state.files).length > 1);
  const embed: Embed = {
    panels: panels.length > 0 ? PANELS.filter((name) => panels.includes(name)) : null,
    readOnly,
    editor,
    theme,
  };
  const made = linkTo(shared, embedQuery(embed));
  if (made.link === null) return <p role="alert">{made.reason}</p>;
  const address = made.link;
  const text = shared.files[shared.entry] ?? '';
  return (
    <>
      <fieldset className="choices">
        <legend>Panels</legend>
        {PANELS.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={panels.includes(name)}
              onChange={(event) =>
                setPanels(
                  event.target.checked
                    ? [...panels, name]
                    : panels.filter((panel) => panel !== name),
                )
              }
            />
            {PANEL_ENTRIES[name].title}
          </label>
        ))}
      </fieldset>
      <fieldset className="choices">
        <legend>Program</legend>
        <label>
          <input
            type="checkbox"
            checked={editor}
            onChange={(event) => setEditor(event.target.checked)}
          />
          Show the code
        </label>
        <label>
          <input
            type="checkbox"
            checked={readOnly}
            onChange={(event) => setReadOnly(event.target.checked)}
          />
          Read-only
        </label>
        <label>
          Height
          <input
            className="field"
            type="number"
            min={200}
            max={2000}
            step={20}
            value={height}
            onChange={(event) => setHeight(event.target.valueAsNumber || 480)}
          />
        </label>
        <label>
          Theme
          <select
            className="field"
            value={theme}
            onChange={(event) =>
              setTheme(THEME_CHOICES.find((one) => one === event.target.value) ?? 'system')
            }
          >
            {THEME_CHOICES.map((one) => (
              <option key={one} value={one}>
                {THEME_NAMES[one]}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <Copyable
        label="As an iframe"
        text={iframeSnippet(address, `${shared.name}: a Triton program`, height)}
        what="the iframe"
        primary
      />
      {several ? (
        <p className="muted">The element below holds one file; this program has more.</p>
      ) : (
        <Copyable
          label="As a web component"
          text={elementSnippet(pageAddress(), text, embed, height)}
          what="the element"
        />
      )}
      <p className="muted">
        <a className="link" href={address} target="_blank" rel="noreferrer">
          See it in a tab
        </a>
        . Readers press Run to execute it. In pages that are not cross-origin isolated, Stop ends
        Python’s worker instead of interrupting it, and the next run waits for a new one.
      </p>
    </>
  );
}

function Copyable(props: {
  readonly label: string;
  readonly text: string;
  readonly what: string;
  readonly primary?: boolean;
  /** Has the focus when the dialog opens: Enter copies. */
  readonly first?: boolean;
}): React.ReactNode {
  return (
    <div className="copyable">
      <label>
        <span>{props.label}</span>
        <textarea
          readOnly
          spellCheck={false}
          rows={props.primary ? 3 : 4}
          value={props.text}
          onFocus={(event) => event.target.select()}
        />
      </label>
      <button
        type="button"
        className={props.primary ? 'button primary' : 'button'}
        autoFocus={props.first ?? false}
        onClick={() => void copy(props.text, props.what)}
      >
        <CopyIcon /> Copy
      </button>
    </div>
  );
}
