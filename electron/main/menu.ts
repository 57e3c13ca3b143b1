/** Native menus from the page's command table. */
import type { MenuItemConstructorOptions } from 'electron';
import type { MenuCommand } from '../contract/shell.ts';

interface MenuOptions {
  readonly commands: readonly MenuCommand[];
  readonly mac: boolean;
  /** The program's name, for the first menu on a Mac. */
  readonly name: string;
  readonly choose: (id: string) => void;
  readonly openWindow: () => void;
}

const order = ['File', 'Edit', 'Run', 'View', 'Help'] as const;

/** Plain letters and Escape belong to the page: as accelerators they would never reach a field. */
function accelerator(shortcut: string | null): string | undefined {
  return shortcut !== null && (shortcut.includes('+') || /^F\d+$/.test(shortcut)) ? shortcut : undefined;
}

function item(command: MenuCommand, choose: (id: string) => void): MenuItemConstructorOptions {
  const shown = accelerator(command.shortcut);
  return {
    id: command.id,
    label: command.title,
    enabled: command.enabled,
    click: () => choose(command.id),
    ...(shown === undefined ? {} : { accelerator: shown, registerAccelerator: false }),
    // Not `radio`: Electron checks exactly one entry of each group of those, regardless of `checked`.
    ...(command.checked === null ? {} : { type: 'checkbox' as const, checked: command.checked }),
  };
}

/** Entries in order, a separator between groups. A submenu is at the position of its first entry. */
function entries(commands: readonly MenuCommand[], choose: (id: string) => void): MenuItemConstructorOptions[] {
  const out: MenuItemConstructorOptions[] = [];
  const submenus = new Map<string, MenuCommand[]>();
  let group: number | null = null;
  for (const command of commands) {
    const inside = command.submenu === null ? undefined : submenus.get(command.submenu);
    if (inside !== undefined) {
      inside.push(command);
      continue;
    }
    if (group !== null && group !== command.group) out.push({ type: 'separator' });
    group = command.group;
    if (command.submenu === null) out.push(item(command, choose));
    else {
      submenus.set(command.submenu, [command]);
      out.push({ label: command.submenu });
    }
  }
  return out.map((entry) => {
    const inside = entry.label === undefined ? undefined : submenus.get(entry.label);
    if (inside === undefined || entry.click !== undefined) return entry;
    const flat = inside.map((command) => ({ ...command, submenu: null }));
    return { ...entry, submenu: entries(flat, choose) };
  });
}

/** Standard entries appended to each menu. */
function additions(menu: (typeof order)[number], mac: boolean, openWindow: () => void): MenuItemConstructorOptions[] {
  switch (menu) {
    case 'File':
      return [
        { type: 'separator' },
        { id: 'window.new', label: 'New window', accelerator: 'CmdOrCtrl+Shift+N', click: openWindow },
        mac ? { role: 'close' } : { role: 'quit' },
      ];
    case 'Edit':
      return [{ type: 'separator' }, { role: 'cut' }, { role: 'copy' }, { role: 'paste' }, { role: 'selectAll' }];
    case 'View':
      return [
        { type: 'separator' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'resetZoom', accelerator: 'CmdOrCtrl+Shift+0' },
        { role: 'togglefullscreen' },
        { type: 'separator' },
        { role: 'toggleDevTools' },
      ];
    default:
      return [];
  }
}

export function menuTemplate({ commands, mac, name, choose, openWindow }: MenuOptions): MenuItemConstructorOptions[] {
  const menus = order.map((label) => {
    const own = entries(
      commands.filter((command) => command.menu === label),
      choose,
    );
    const added = additions(label, mac, openWindow);
    // A line above nothing: before the page has sent its commands.
    const submenu = own.length === 0 && added[0]?.type === 'separator' ? added.slice(1) : [...own, ...added];
    return { label, submenu };
  });
  const first: MenuItemConstructorOptions[] = mac ? [{ label: name, role: 'appMenu' }] : [];
  return [...first, ...menus.filter((menu) => menu.submenu.length > 0)];
}
