/** Menus in the page, for shells without native ones. */
import { type KeyboardEvent, type ReactElement, useState } from 'react';
import { isMac } from '../base/platform.ts';
import { activeShortcut, type Command, menuNames } from '../commands/command.ts';
import { shortcutText } from '../commands/shortcut.ts';
import { MenuButton, type MenuItem } from '../widgets/floating/menu.tsx';

function asItems(commands: readonly Command[]): readonly MenuItem[] {
  const mac = isMac();
  return commands.map((command, index) => {
    const before = commands[index - 1];
    const shortcut = activeShortcut(command, false);
    return {
      id: command.id,
      label: command.title,
      ...(command.submenu !== undefined && before?.submenu !== command.submenu ? { heading: command.submenu } : {}),
      hint: shortcut === null ? null : shortcutText(shortcut, mac),
      disabled: !command.enabled,
      startsGroup:
        before !== undefined &&
        (before.group !== command.group || before.submenu !== command.submenu) &&
        !(before.submenu !== undefined && before.submenu === command.submenu),
      ...(command.checked === undefined ? {} : { checked: command.checked }),
      onChoose: command.run,
    };
  });
}

export function MenuBar({ commands }: { readonly commands: readonly Command[] }): ReactElement {
  const [open, setOpen] = useState<number | null>(null);
  const names = menuNames.filter((name) => commands.some((command) => command.menu === name));
  const along = (event: KeyboardEvent): void => {
    if (open === null || (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft')) return;
    event.preventDefault();
    setOpen((open + (event.key === 'ArrowRight' ? 1 : names.length - 1)) % names.length);
  };
  return (
    <div className="menu-bar" role="menubar" aria-label="Menus" onKeyDown={along}>
      {names.map((name, index) => (
        <span key={name} role="none" onPointerEnter={() => open !== null && setOpen(index)}>
          <MenuButton
            label={name}
            inBar
            className="menu-bar__button"
            items={asItems(commands.filter((command) => command.menu === name))}
            open={open === index}
            onOpenChange={(next) => setOpen(next ? index : null)}
          >
            {name}
          </MenuButton>
        </span>
      ))}
    </div>
  );
}
