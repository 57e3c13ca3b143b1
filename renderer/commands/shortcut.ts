/** Shortcuts, written as Electron accelerators: `CmdOrCtrl+Shift+S`. */

interface Shortcut {
  /** Command on a Mac, Control elsewhere. */
  readonly primary: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
  /** `KeyboardEvent.key` in lower case. */
  readonly key: string;
}

/** Accelerator names of keys whose `KeyboardEvent.key` is another word. */
const keyNames: Readonly<Record<string, string>> = {
  esc: 'escape',
  escape: 'escape',
  enter: 'enter',
  space: ' ',
  plus: '+',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
};

/** Throws for a modifier that is not known: the command table is written by hand. */
export function parseShortcut(text: string): Shortcut {
  const parts = text.split('+');
  const name = (parts.pop() ?? '').toLowerCase();
  const modifiers = new Set(parts);
  const shortcut = {
    primary: modifiers.delete('CmdOrCtrl'),
    shift: modifiers.delete('Shift'),
    alt: modifiers.delete('Alt'),
    key: keyNames[name] ?? name,
  };
  if (modifiers.size > 0 || name === '') throw new Error(`${text} is not a shortcut`);
  return shortcut;
}

interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

export function matches(shortcut: Shortcut, press: KeyPress, mac: boolean): boolean {
  const primary = mac ? press.metaKey : press.ctrlKey;
  const other = mac ? press.ctrlKey : press.metaKey;
  if (primary !== shortcut.primary || other || press.shiftKey !== shortcut.shift || press.altKey !== shortcut.alt) {
    return false;
  }
  if (press.key.toLowerCase() === shortcut.key) return true;
  // Alt on a Mac turns letters into signs, and digits move with the layout: the key's place decides then.
  return press.code === `Key${shortcut.key.toUpperCase()}` || press.code === `Digit${shortcut.key}`;
}

const shownKeys: Readonly<Record<string, string>> = {
  escape: 'Esc',
  enter: 'Enter',
  ' ': 'Space',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
};

/** As menus show it: `Ctrl+Shift+S`, `⇧⌘S`. */
export function shortcutText(text: string, mac: boolean): string {
  const { primary, shift, alt, key } = parseShortcut(text);
  const shown = shownKeys[key] ?? key.toUpperCase();
  if (mac) return `${alt ? '⌥' : ''}${shift ? '⇧' : ''}${primary ? '⌘' : ''}${shown === 'Enter' ? '↩' : shown}`;
  return [primary && 'Ctrl', alt && 'Alt', shift && 'Shift', shown].filter(Boolean).join('+');
}
