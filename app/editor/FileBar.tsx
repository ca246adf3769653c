/**
 * The program's files as tabs above the editor: which one is shown, which one runs, new ones, other
 * names. And, at the end, how the visitor likes the editor.
 */
import { useEffect, useRef, useState } from 'react';
import { DropdownMenu } from 'radix-ui';
import { notify } from '../programs/notices';
import { removeFile } from '../programs/programs';
import { shownFile, useDocument } from '../state/document';
import { changeEditorSettings, EDITOR_SETTINGS, useEditorSettings } from '../state/editorSettings';
import { countProblem } from '../state/fileNames';
import { addFile, freshName, makeEntry, nameProblem, renameFile, showFile } from '../state/files';
import { MoreIcon } from '../theme/icons';
import { editorAction } from './active';

export function FileBar(): React.ReactNode {
  const files = useDocument((state) => state.files);
  const entry = useDocument((state) => state.entry);
  const shown = useDocument(shownFile);
  const [naming, setNaming] = useState<string | null>(null);
  const names = Object.keys(files);
  if (entry === '') return <span className="file">program</span>;
  const step = (event: React.KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = by === 0 ? undefined : names[names.indexOf(shown) + by];
    if (next === undefined) return;
    event.preventDefault();
    showFile(next);
    document.getElementById(`file-${next}`)?.focus();
  };
  return (
    <>
      <div className="files" role="tablist" aria-label="Files" onKeyDown={step}>
        {names.map((name) =>
          naming === name ? (
            <NameField key={name} name={name} onDone={() => setNaming(null)} />
          ) : (
            <button
              key={name}
              id={`file-${name}`}
              type="button"
              role="tab"
              className="file-tab"
              aria-selected={name === shown}
              tabIndex={name === shown ? 0 : -1}
              title={
                names.length > 1 && name === entry
                  ? `${name}: the entry file, which Run starts`
                  : name
              }
              onClick={() => showFile(name)}
              onDoubleClick={() => setNaming(name)}
            >
              {names.length > 1 && name === entry ? (
                <span className="runs" role="img" aria-label="runs">
                  ▸
                </span>
              ) : null}
              {name}
            </button>
          ),
        )}
      </div>
      <FileMenu file={shown} entry={entry} onRename={() => setNaming(shown)} />
      <button
        type="button"
        className="file-add"
        aria-label="New file"
        title="New file"
        onClick={() => {
          const problem = countProblem(names.length + 1);
          if (problem !== null) {
            notify({ text: problem });
            return;
          }
          const name = freshName(files);
          addFile(name);
          setNaming(name);
        }}
      >
        +
      </button>
    </>
  );
}

function FileMenu(props: {
  readonly file: string;
  readonly entry: string;
  readonly onRename: () => void;
}): React.ReactNode {
  const { file, entry, onRename } = props;
  // The menu gives the focus back to its button; the field must have it instead.
  const renaming = useRef(false);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="file-add" aria-label={`File ${file}`} title="File">
        <MoreIcon size={14} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            if (!renaming.current) return;
            renaming.current = false;
            event.preventDefault();
            onRename();
          }}
        >
          <DropdownMenu.Item
            className="menu-item short"
            onSelect={() => {
              renaming.current = true;
            }}
          >
            Rename…
          </DropdownMenu.Item>
          <DropdownMenu.Item
            className="menu-item short"
            disabled={file === entry}
            onSelect={() => makeEntry(file)}
          >
            {file === entry ? 'This is the entry file' : 'Set as entry file'}
          </DropdownMenu.Item>
          <DropdownMenu.Item
            className="menu-item short"
            disabled={file === entry}
            onSelect={() => removeFile(file)}
          >
            {file === entry ? 'Can’t delete the entry file' : `Delete ${file}`}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function NameField(props: { readonly name: string; readonly onDone: () => void }): React.ReactNode {
  const { name, onDone } = props;
  const files = useDocument((state) => state.files);
  const [text, setText] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  const problem = text === name ? null : nameProblem(text, files);
  useEffect(() => {
    field.current?.focus();
    // The name without `.py`, as file managers do.
    field.current?.setSelectionRange(0, name.replace(/\.py$/, '').length);
  }, [name]);
  const finish = (keep: boolean): void => {
    if (keep && text !== name && problem === null) renameFile(name, text);
    onDone();
  };
  return (
    <span className="file-name">
      <input
        ref={field}
        className="field"
        aria-label={`Name of ${name}`}
        aria-invalid={problem !== null}
        aria-describedby="file-problem"
        size={Math.max(10, text.length)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => finish(true)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter' && problem === null) finish(true);
          if (event.key === 'Escape') finish(false);
        }}
      />
      {problem ? (
        <span id="file-problem" className="file-problem" role="alert">
          {problem}
        </span>
      ) : null}
    </span>
  );
}

/** @param small on phones, where there is only the plain editor. */
export function EditorMenu({ small }: { readonly small: boolean }): React.ReactNode {
  const settings = useEditorSettings();
  const plain = small || settings.plainEditor;
  const offered = EDITOR_SETTINGS.filter(([name]) => !small && (!plain || name === 'plainEditor'));
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="file-add" aria-label="Editor" title="Editor">
        <span aria-hidden="true">≡</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          <DropdownMenu.Item className="menu-item short" onSelect={() => editorAction('format')}>
            Format
          </DropdownMenu.Item>
          {plain ? null : (
            <DropdownMenu.Item
              className="menu-item short"
              onSelect={() => setTimeout(() => editorAction('outline'))}
            >
              Go to symbol…
            </DropdownMenu.Item>
          )}
          {offered.map(([name, label]) => (
            <DropdownMenu.CheckboxItem
              key={name}
              className="menu-item short"
              checked={settings[name]}
              onCheckedChange={(on) => changeEditorSettings({ [name]: on })}
            >
              {settings[name] ? '✓ ' : ''}
              {label}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
