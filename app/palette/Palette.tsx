/** The command palette (⌘K): everything the page can do, found by a few letters. */
import { Command as List } from 'cmdk';
import { Dialog } from 'radix-ui';
import { availableCommands, COMMAND_GROUPS, type Command } from '../state/commands';
import { openDialog } from '../state/view';
import { Keys } from './Keys';
import { scoreOf } from './score';
import './palette.css';

export default function Palette(): React.ReactNode {
  const commands = availableCommands().filter(({ id, told }) => id !== 'palette' && !told);
  const titles = new Map(commands.map(({ id, title }) => [id, title]));
  const groups = COMMAND_GROUPS.map((group) => ({
    group,
    members: commands.filter((command) => command.group === group),
  })).filter(({ members }) => members.length > 0);
  const choose = (command: Command): void => {
    openDialog(null);
    // After the dialog gave the focus back, so that the command may take it.
    setTimeout(command.run, 0);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : openDialog(null))}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog palette" aria-describedby={undefined}>
          <Dialog.Title className="hidden-visually">All commands</Dialog.Title>
          <List
            label="All commands"
            loop
            filter={(id, typed, keywords) => scoreOf(titles.get(id) ?? id, typed, keywords)}
          >
            <List.Input className="palette-input" placeholder="What do you want to do?" />
            <List.List className="palette-list" label="Commands">
              <List.Empty className="palette-empty">No command has these letters.</List.Empty>
              {groups.map(({ group, members }) => (
                <List.Group key={group} heading={group}>
                  {members.map((command) => (
                    <List.Item
                      key={command.id}
                      value={command.id}
                      keywords={[group, ...(command.words?.split(' ') ?? [])]}
                      className="palette-item"
                      onSelect={() => choose(command)}
                    >
                      <span className="grow">{command.title}</span>
                      {command.keys?.[0] ? <Keys keys={command.keys[0]} /> : null}
                    </List.Item>
                  ))}
                </List.Group>
              ))}
            </List.List>
          </List>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
