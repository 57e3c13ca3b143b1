/** Commands: one table for menus, buttons and the keyboard. */

type MenuName = 'File' | 'Edit' | 'Run' | 'View' | 'Help';

export interface Command {
  readonly id: string;
  /** As menus show it; an ellipsis at the end: it asks before it acts. */
  readonly title: string;
  /** Null: in no menu. */
  readonly menu: MenuName | null;
  /** Entries of a menu with different groups stand apart. */
  readonly group: number;
  /** Entry of a menu that this one stands below, such as `Open Recent`. */
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
