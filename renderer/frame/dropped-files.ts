/**
 * Files dropped on the window. They are listened for before anything is drawn: without a listener the browser leaves
 * the page for the file. What comes before the workbench can open files waits for it.
 */

export const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** @returns what opens files from now on, those that have come before too */
export function collectDroppedFiles(target: Window): (open: (files: readonly File[]) => void) => void {
  const waiting: (readonly File[])[] = [];
  let take = (files: readonly File[]): void => void waiting.push(files);
  target.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
  });
  target.addEventListener('drop', (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    take(files);
  });
  return (open) => {
    take = open;
    for (const files of waiting.splice(0)) open(files);
  };
}
