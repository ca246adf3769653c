/** The command palette (⌘K): everything the page can do, found by a few letters. */
import { Command as List } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { availableCommands, COMMAND_GROUPS, type Command } from '../state/commands';
import { openDialog } from '../state/view';
import { Keys } from './Keys';
import { scoreOf } from './score';
import './palette.css';

export default function Palette(): React.ReactNode {
  const commands = availableCommands().filter(({ id, helpOnly }) => id !== 'palette' && !helpOnly);
  const [typed, setTyped] = useState('');
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
          <List label="All commands" loop shouldFilter={false}>
            <List.Input
              className="palette-input"
              placeholder="What do you want to do?"
              value={typed}
              onValueChange={setTyped}
            />
            <List.List className="palette-list" label="Commands">
              <List.Empty className="palette-empty">No matching commands</List.Empty>
              {typed.trim() === ''
                ? groups.map(({ group, members }) => (
                    <List.Group key={group} heading={group}>
                      {members.map((command) => (
                        <Item key={command.id} command={command} onChoose={choose} />
                      ))}
                    </List.Group>
                  ))
                : bestFirst(commands, typed).map((command) => (
                    <Item key={command.id} command={command} inGroup onChoose={choose} />
                  ))}
            </List.List>
          </List>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The typed text decides, whatever the group; equal matches stay in the registry's order. */
function bestFirst(commands: readonly Command[], typed: string): Command[] {
  return commands
    .map((command) => {
      const { title, group, words } = command;
      return { command, score: scoreOf(title, typed, [group, ...(words?.split(' ') ?? [])]) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ command }) => command);
}

function Item(props: {
  readonly command: Command;
  readonly inGroup?: boolean;
  readonly onChoose: (command: Command) => void;
}): React.ReactNode {
  const { command } = props;
  return (
    <List.Item value={command.id} className="palette-item" onSelect={() => props.onChoose(command)}>
      <span className="grow">{command.title}</span>
      {props.inGroup ? <span className="palette-group">{command.group}</span> : null}
      {command.keys?.[0] ? <Keys keys={command.keys[0]} /> : null}
    </List.Item>
  );
}
