/**
 * Search for commands by typed text, and the commands that only the palette lists: examples, panel actions, materials,
 * headings of the handbook.
 */
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import { type PanelAction, panelActions } from '../../base/panel-actions.ts';
import type { Part } from '../../state/handbook.ts';
import { isOfKind, panelSlots, panelTitle } from '../../state/layout/defaults.ts';
import type { Workbench } from '../workbench.ts';

/**
 * Commands are a single table for menus, buttons and keyboard. Shortcuts are written as Electron accelerators, such as
 * `CmdOrCtrl+Shift+S`.
 */
type MenuName = 'File' | 'Edit' | 'Run' | 'View' | 'Help';

export interface Command {
  readonly id: string;
  /** Title in menus; a trailing ellipsis means that the command opens a dialog first. */
  readonly title: string;
  /** Null if the command is in no menu. */
  readonly menu: MenuName | null;
  /** Group number; menus separate different groups with a line. */
  readonly group: number;
  /** Title of the submenu that contains the entry, such as `Open Recent`. */
  readonly submenu?: string;
  /** Further search terms for the palette. */
  readonly keywords?: string;
  readonly shortcut?: string;
  /** Shortcut in browsers that reserve the usual one (a new window, a new tab). */
  readonly browserShortcut?: string;
  readonly enabled: boolean;
  /** State of a toggle; undefined for other commands. */
  readonly checked?: boolean;
  run(): void;
}

export const menuNames: readonly MenuName[] = ['File', 'Edit', 'Run', 'View', 'Help'];

/** Shortcut in this shell. */
export function activeShortcut(command: Command, desktop: boolean): string | null {
  return (desktop ? command.shortcut : (command.browserShortcut ?? command.shortcut)) ?? null;
}

interface Shortcut {
  /** Command on a Mac, Control on other systems. */
  readonly primary: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
  /** `KeyboardEvent.key` in lower case. */
  readonly key: string;
}

/** Accelerator names of keys with a different `KeyboardEvent.key`. */
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

/** Throws for an unknown modifier, which is an error in the command table. */
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

export function matchesShortcut(shortcut: Shortcut, press: KeyPress, mac: boolean): boolean {
  const primary = mac ? press.metaKey : press.ctrlKey;
  const other = mac ? press.ctrlKey : press.metaKey;
  if (primary !== shortcut.primary || other || press.shiftKey !== shortcut.shift || press.altKey !== shortcut.alt) {
    return false;
  }
  if (press.key.toLowerCase() === shortcut.key) return true;
  // Use the physical key, because Alt on a Mac turns letters into symbols, and digits depend on the keyboard layout.
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

/** Text in menus, such as `Ctrl+Shift+S` or `⇧⌘S`. */
export function shortcutText(text: string, mac: boolean): string {
  const { primary, shift, alt, key } = parseShortcut(text);
  const shown = shownKeys[key] ?? key.toUpperCase();
  if (mac) return `${alt ? '⌥' : ''}${shift ? '⇧' : ''}${primary ? '⌘' : ''}${shown === 'Enter' ? '↩' : shown}`;
  return [primary && 'Ctrl', alt && 'Alt', shift && 'Shift', shown].filter(Boolean).join('+');
}

/** Whether a key has a meaning in a text field, which takes precedence. */
function belongsToField(event: KeyboardEvent): boolean {
  const target = event.target;
  const isField =
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type));
  if (!isField) return false;
  return !(event.ctrlKey || event.metaKey || event.altKey || /^F\d/.test(event.key));
}

/**
 * Listens on the window until the returned function is called. `commands` is evaluated at every key press, so that the
 * current state applies.
 */
export function listenForShortcuts(commands: () => readonly Command[], desktop: boolean, mac: boolean): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || belongsToField(event)) return;
    // An open dialog handles all keys.
    if (document.querySelector('dialog[open]') !== null) return;
    for (const command of commands()) {
      const text = activeShortcut(command, desktop);
      if (text === null || !matchesShortcut(parseShortcut(text), event, mac)) continue;
      event.preventDefault();
      if (command.enabled) command.run();
      return;
    }
  };
  window.addEventListener('keydown', pressed);
  return () => window.removeEventListener('keydown', pressed);
}

const BACKGROUND = ['geometry', 'background'] as const;

type Entry = Omit<Command, 'menu' | 'group' | 'enabled'>;

const paletteCommand = (command: Entry & { readonly enabled?: boolean }): Command => ({
  enabled: true,
  ...command,
  menu: null,
  group: 0,
});

const idOf = ({ panel, control }: PanelAction): string => `panel.${panel}.${control}`;

function panelEntries({ stores, workloads }: Workbench): readonly Command[] {
  const { kind } = stores.layout.arranged.getState();
  const shown = new Set(panelSlots.filter((panel) => isOfKind(panel, kind, workloads)).map(({ id }) => id));
  return panelActions
    .filter(({ panel }) => shown.has(panel))
    .map((action) =>
      paletteCommand({
        id: idOf(action),
        title: action.title,
        submenu: panelTitle(action.panel),
        keywords: action.keywords,
        run: () => stores.layout.press(action.panel, action.control),
      }),
    );
}

function exampleEntries({ stores, files }: Workbench): readonly Command[] {
  return stores.library.getState().examples.map((item) =>
    paletteCommand({
      id: `example.${item.id}`,
      title: item.name || item.fileName,
      // The file name distinguishes several examples and recorded runs of one scenario.
      submenu: `Examples › ${item.fileName}`,
      keywords: [item.fileName, item.id, item.facts.workload, item.facts.about, item.notes].join(' '),
      run: () => void files.open(item),
    }),
  );
}

/** Commands that set the background material in the scenario form; Undo reverts them. */
function materialEntries({ stores }: Workbench): readonly Command[] {
  const scenario = stores.scenario.getState().check?.resolved?.scenario;
  const enabled = valueAt(scenario, BACKGROUND) !== undefined;
  return stores.library.getState().materials.map(({ id, title }) =>
    paletteCommand({
      id: `material.${id}`,
      title,
      submenu: 'Background material',
      keywords: `${id} material matter background medium`,
      enabled,
      run: () => {
        stores.scenario.edit(BACKGROUND, id, 'Background');
        stores.layout.reveal('scenario');
      },
    }),
  );
}

function handbookEntries({ stores }: Workbench): readonly Command[] {
  const open = ({ page, anchor }: Part): void => {
    stores.handbook.open({ page, anchor });
    stores.layout.reveal('handbook');
  };
  return stores.handbook.getState().parts.map((part) =>
    paletteCommand({
      id: `handbook.${part.page}#${part.anchor}`,
      title: part.heading,
      submenu: `Handbook › ${part.title}`,
      keywords: 'help documentation',
      run: () => open(part),
    }),
  );
}

/** Commands that the palette lists below the menu commands, in display order. */
export function paletteEntries(workbench: Workbench): readonly Command[] {
  return [panelEntries, exampleEntries, materialEntries, handbookEntries].flatMap((part) => part(workbench));
}

/** Path in the palette, such as `View › Appearance › Dark`. */
export function commandPath({ menu, submenu, title }: Command): readonly string[] {
  return [menu, submenu, title].filter((part) => part !== null && part !== undefined);
}

/** Higher is better: start of the title, start of a word, inside a word, path, keywords. Null for no match. */
function rank(word: string, title: string, path: string, keywords: string): number | null {
  if (title.startsWith(word)) return 4;
  if (title.includes(` ${word}`)) return 3;
  if (title.includes(word)) return 2;
  if (path.includes(word)) return 1;
  return keywords.includes(word) ? 0 : null;
}

/** Commands that match every word of the query, closest first; ties keep their order. */
export function searchCommands(commands: readonly Command[], query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands;
  return commands
    .flatMap((command, order) => {
      const path = commandPath(command).join(' ').toLowerCase();
      const keywords = command.keywords?.toLowerCase() ?? '';
      const ranks = words.map((word) => rank(word, command.title.toLowerCase(), path, keywords));
      if (ranks.some((each) => each === null)) return [];
      const total = ranks.reduce<number>((sum, each) => sum + (each ?? 0), 0);
      return [{ command, order, total }];
    })
    .sort((a, b) => b.total - a.total || a.order - b.order)
    .map(({ command }) => command);
}
