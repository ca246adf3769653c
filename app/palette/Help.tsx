/** The help sheet (?): every shortcut there is, from the registry of commands, and where to read on. */
import { Dialog } from 'radix-ui';
import { allCommands, COMMAND_GROUPS } from '../state/commands';
import { openDialog } from '../state/view';
import { CloseIcon } from '../theme/icons';
import { Keys } from './Keys';

export default function Help(): React.ReactNode {
  const commands = allCommands().filter((command) => (command.keys?.length ?? 0) > 0);
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : openDialog(null))}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog help" aria-describedby="help-says">
          <header>
            <Dialog.Title>Keys</Dialog.Title>
            <Dialog.Close className="button quiet icon" aria-label="Close">
              <CloseIcon />
            </Dialog.Close>
          </header>
          <p id="help-says" className="muted">
            Every command, also those without keys, is in the palette. In the editor, Tab indents;
            Ctrl M lets it move on. Keys without Ctrl or Alt work wherever nothing is typed, and the
            settings turn them off.
          </p>
          <div className="help-groups">
            {COMMAND_GROUPS.map((group) => {
              const members = commands.filter((command) => command.group === group);
              if (members.length === 0) return null;
              return (
                <section key={group} aria-label={group}>
                  <h3>{group}</h3>
                  <dl>
                    {members.map((command) => (
                      <div key={command.id}>
                        <dt>{command.title}</dt>
                        <dd>
                          {command.keys?.map((keys) => (
                            <Keys key={keys} keys={keys} />
                          ))}
                        </dd>
                      </div>
                    ))}
                  </dl>
                </section>
              );
            })}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
