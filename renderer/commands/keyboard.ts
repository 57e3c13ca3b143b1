/** Turns key presses into commands. */
import { activeShortcut, type Command } from './command.ts';
import { matches, parseShortcut } from './shortcut.ts';

/** Keys that mean something to a text field keep that meaning there. */
function belongsToField(event: KeyboardEvent): boolean {
  const target = event.target;
  const isField =
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type));
  if (!isField) return false;
  return !(event.ctrlKey || event.metaKey || event.altKey || /^F\d/.test(event.key));
}

/**
 * Listens on the window until the returned function is called. `commands` is evaluated at every key press, so that it
 * returns the current state.
 */
export function listenForShortcuts(commands: () => readonly Command[], desktop: boolean, mac: boolean): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || belongsToField(event)) return;
    // A dialog keeps the keyboard for itself.
    if (document.querySelector('dialog[open]') !== null) return;
    for (const command of commands()) {
      const text = activeShortcut(command, desktop);
      if (text === null || !matches(parseShortcut(text), event, mac)) continue;
      event.preventDefault();
      if (command.enabled) command.run();
      return;
    }
  };
  window.addEventListener('keydown', pressed);
  return () => window.removeEventListener('keydown', pressed);
}
