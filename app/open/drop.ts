/**
 * Files and folders that are dropped anywhere on the page, the editor too: they become programs of
 * their own, so no text is lost. Text that is dropped stays the editor's.
 */
const holdsFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') ?? false;

/** Milliseconds after the last event of dragging until the page looks as before. */
const LINGERS = 300;

/** The document's events have their types; the capture phase comes before the editor's own. */
export function startDrop(): void {
  const { dataset } = document.documentElement;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = (event: DragEvent): void => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    dataset['dropping'] = '';
    clearTimeout(timer);
    timer = setTimeout(() => delete dataset['dropping'], LINGERS);
  };
  document.addEventListener('dragenter', over, true);
  document.addEventListener('dragover', over, true);
  document.addEventListener(
    'drop',
    (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      // Entries are there only while the event is.
      const entries = [...(event.dataTransfer?.items ?? [])].flatMap(
        (item) => item.webkitGetAsEntry() ?? [],
      );
      const files = [...(event.dataTransfer?.files ?? [])];
      void import('../programs/transfer').then(({ importDropped, importFiles }) =>
        entries.length > 0 ? importDropped(entries) : importFiles(files),
      );
    },
    true,
  );
}
