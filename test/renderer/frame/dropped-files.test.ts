import { expect, it } from 'vitest';
import { collectDroppedFiles } from '../../../renderer/frame/dropped-files.ts';

function dropOn(target: EventTarget, files: readonly string[]): Event {
  const event = new Event('drop', { cancelable: true });
  Object.assign(event, { dataTransfer: { files } });
  target.dispatchEvent(event);
  return event;
}

it('files dropped before the workbench is ready are stored, and each is opened once', () => {
  const target = new EventTarget();
  const open = collectDroppedFiles(target as Window);
  // The default action must be prevented, because the browser would leave the page and open the file.
  expect(dropOn(target, ['early.json']).defaultPrevented).toBe(true);
  expect(dropOn(target, []).defaultPrevented).toBe(false);
  const opened: unknown[] = [];
  open((files) => void opened.push(files));
  dropOn(target, ['late.json', 'more.h5']);
  expect(opened).toEqual([['early.json'], ['late.json', 'more.h5']]);
});
