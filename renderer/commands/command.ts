/** Commands: one table for menus, buttons and the keyboard. */

type MenuName = 'File' | 'Edit' | 'Run' | 'View' | 'Help';

export interface Command {
  readonly id: string;
  /** As menus show it; an ellipsis at the end: it asks before it acts. */
  readonly title: string;
  /** Null if it is in no menu. */
  readonly menu: MenuName | null;
  /** Entries of different groups are separated in the menu. */
  readonly group: number;
  /** Title of the submenu that contains the entry, such as `Open Recent`. */
  readonly submenu?: string;
  /** Further words that the palette finds it by. */
  readonly keywords?: string;
  readonly shortcut?: string;
  /** A shortcut where the browser keeps the other for itself (a new window, a new tab). */
  readonly browserShortcut?: string;
  readonly enabled: boolean;
  /** Set on entries that are on or off. */
  readonly checked?: boolean;
  run(): void;
}

export const menuNames: readonly MenuName[] = ['File', 'Edit', 'Run', 'View', 'Help'];

/** The shortcut that holds in this shell. */
export function activeShortcut(command: Command, desktop: boolean): string | null {
  return (desktop ? command.shortcut : (command.browserShortcut ?? command.shortcut)) ?? null;
}
