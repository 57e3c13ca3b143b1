/**
 * Files dropped on the window. The listener is added before anything is drawn, because without it the browser would
 * leave the page and open the file. Files that arrive before the workbench is ready wait.
 */

export const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/**
 * @returns function that sets the handler for dropped files; files that have already arrived are passed to it at once
 */
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
