/** Electron's menus: the parts that the program and the stories use. */
import type { MenuItemConstructorOptions } from 'electron';
import { stage } from './stage.ts';

class StandInMenuItem {
  readonly id: string;
  readonly label: string;
  readonly enabled: boolean;
  readonly type: string;
  readonly accelerator: string | undefined;
  readonly registerAccelerator: boolean;
  readonly submenu: StandInMenu | undefined;
  checked: boolean;
  readonly #click: (() => void) | undefined;

  constructor(options: MenuItemConstructorOptions) {
    const { submenu } = options;
    this.id = options.id ?? '';
    this.label = options.label ?? '';
    this.enabled = options.enabled ?? true;
    this.type = options.type ?? (submenu === undefined ? 'normal' : 'submenu');
    this.accelerator = options.accelerator;
    this.registerAccelerator = options.registerAccelerator ?? true;
    this.checked = options.checked ?? false;
    this.submenu = Array.isArray(submenu) ? StandInMenu.buildFromTemplate(submenu) : undefined;
    this.#click = options.click as (() => void) | undefined;
  }

  /** As in Electron, a checkable entry toggles itself, whatever its handler does. */
  click(): void {
    if (this.type === 'checkbox') this.checked = !this.checked;
    if (this.type === 'radio') this.checked = true;
    this.#click?.();
  }
}

export class StandInMenu {
  readonly items: readonly StandInMenuItem[];

  private constructor(items: readonly StandInMenuItem[]) {
    this.items = items;
  }
  static buildFromTemplate(template: readonly MenuItemConstructorOptions[]): StandInMenu {
    return new StandInMenu(template.map((options) => new StandInMenuItem(options)));
  }
  static setApplicationMenu(menu: StandInMenu): void {
    stage.menu = menu;
  }
  static getApplicationMenu(): StandInMenu | null {
    return stage.menu;
  }
  getMenuItemById(id: string): StandInMenuItem | null {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id);
      if (found) return found;
    }
    return null;
  }
}
