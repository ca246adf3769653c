/** The menu of the top bar: one's own programs, the examples, a new one. */
import { useEffect } from 'react';
import { DropdownMenu } from 'radix-ui';
import { exampleId, isModified, open, openKept, useDocument } from '../state/document';
import { openDialog } from '../state/view';
import { ChevronIcon, ResetIcon } from '../theme/icons';
import { newProgram, refreshPrograms, resetProgram, usePrograms } from './programs';

/** Programs that the menu itself lists; the dialog has them all. */
const RECENT = 5;
/** Examples that the menu itself lists; the gallery has them all, grouped. */
const FIRST = 5;

export function ProgramMenu(): React.ReactNode {
  const { examples, program, name } = useDocument();
  const modified = useDocument(isModified);
  const list = usePrograms((state) => state.list);
  const own = (list ?? []).filter((one) => one.origin.kind !== 'example').slice(0, RECENT);
  const edited = new Set((list ?? []).map((one) => one.id));
  return (
    <DropdownMenu.Root
      modal={false}
      onOpenChange={(opened) => (opened ? void refreshPrograms() : undefined)}
    >
      <DropdownMenu.Trigger className="button example-button" aria-label={`Program: ${name}`}>
        <span className="name">{name || 'Programs'}</span>
        <ChevronIcon />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
          <Refresh />
          <DropdownMenu.Item className="menu-item short" onSelect={() => void newProgram()}>
            New program
          </DropdownMenu.Item>
          <DropdownMenu.Item className="menu-item short" onSelect={() => openDialog('programs')}>
            My programs…
          </DropdownMenu.Item>
          <DropdownMenu.Item className="menu-item short" onSelect={() => openDialog('open')}>
            Open from a URL…
          </DropdownMenu.Item>
          <DropdownMenu.Item className="menu-item short" onSelect={() => openDialog('gallery')}>
            Gallery: {examples.length} programs…
          </DropdownMenu.Item>
          {modified ? (
            <DropdownMenu.Item className="menu-item short" onSelect={resetProgram}>
              <ResetIcon /> Reset to the original
            </DropdownMenu.Item>
          ) : null}
          <DropdownMenu.RadioGroup value={program}>
            {own.length > 0 ? (
              <DropdownMenu.Label className="menu-label">My programs</DropdownMenu.Label>
            ) : null}
            {own.map((one) => (
              <DropdownMenu.RadioItem
                key={one.id}
                value={one.id}
                className="menu-item short"
                onSelect={() => void openKept(one.id)}
              >
                {one.name}
                {one.origin.kind === 'link' ? <span className="muted">from a link</span> : null}
              </DropdownMenu.RadioItem>
            ))}
            <DropdownMenu.Label className="menu-label">Examples</DropdownMenu.Label>
            {examples.slice(0, FIRST).map((example) => (
              <DropdownMenu.RadioItem
                key={example.file}
                value={exampleId(example.file)}
                className="menu-item"
                textValue={example.title}
                onSelect={() => void open(example.file)}
              >
                <span className="title">
                  {/* The space is for who hears the name. */}
                  {example.title}{' '}
                  {edited.has(exampleId(example.file)) ? (
                    <span className="muted">edited</span>
                  ) : null}
                </span>
                <span className="summary">{example.summary}</span>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** Opened by keyboard or by script alike. */
function Refresh(): null {
  useEffect(() => void refreshPrograms(), []);
  return null;
}
