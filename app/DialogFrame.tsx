/** Frame of every dialog of the page: the overlay, its title, the way out. */
import { Dialog } from 'radix-ui';
import { openDialog } from './state/view';
import { CloseIcon } from './theme/icons';

export function DialogFrame(props: {
  readonly title: string;
  /** Beside `dialog`. */
  readonly className?: string;
  /** The element that says what the dialog is for. */
  readonly describedBy?: string;
  readonly children: React.ReactNode;
}): React.ReactNode {
  const { title, className, describedBy, children } = props;
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : openDialog(null))}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className={className ? `dialog ${className}` : 'dialog'}
          aria-describedby={describedBy}
        >
          <header>
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Close className="button quiet icon" aria-label="Close">
              <CloseIcon />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
