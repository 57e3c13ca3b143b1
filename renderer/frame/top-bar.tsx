/** The bar at the top: menus, the document, undo, Run and Stop, appearance. */
import { type KeyboardEvent, type ReactElement, useState } from 'react';
import { isMac } from '../base/platform.ts';
import { activeShortcut, type Command, menuNames } from '../commands/command.ts';
import { shortcutText } from '../commands/shortcut.ts';
import { type LayoutName, layoutNames, layoutTitles } from '../state/layout/frames.ts';
import { documentTitle, isEdited } from '../state/scenario.ts';
import type { Theme } from '../state/view.ts';
import { IconButton } from '../widgets/controls/button.tsx';
import { Segmented } from '../widgets/controls/segmented.tsx';
import { MenuButton, type MenuItem } from '../widgets/floating/menu.tsx';
import { Icon, type IconName } from '../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { useSizeClass } from './layout-view.tsx';
import { RunStrip } from './run-strip.tsx';
import { commandOf } from './use-commands.ts';

/** Menus in the page, for shells without native ones. */
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

function MenuBar({ commands }: { readonly commands: readonly Command[] }): ReactElement {
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

/** Which layout is shown: all of them in sight where the window has room, behind one button otherwise. */
function LayoutSwitch({ commands }: { readonly commands: readonly Command[] }): ReactElement {
  const { stores } = useWorkbench();
  const shown = useSelected(stores.layout, (state) => state.shown);
  const size = useSizeClass();
  const hint = (layout: LayoutName): string => {
    const shortcut = commandOf(commands, `view.layout.${layout}`)?.shortcut;
    return shortcut === undefined ? '' : shortcutText(shortcut, isMac());
  };
  if (size === 'wide') {
    return (
      <Segmented
        label="Layout"
        value={shown}
        options={layoutNames.map((value) => ({
          value,
          label: layoutTitles[value],
          title: `The layout ${layoutTitles[value]} (${hint(value)})`,
        }))}
        onChange={(layout) => stores.layout.choose(layout)}
      />
    );
  }
  return (
    <MenuButton
      label={`Layout: ${layoutTitles[shown]}`}
      className="menu-bar__button layout-switch"
      items={layoutNames.map((layout) => ({
        id: layout,
        label: layoutTitles[layout],
        checked: layout === shown,
        hint: hint(layout),
        onChoose: () => stores.layout.choose(layout),
      }))}
    >
      {layoutTitles[shown]}
      <Icon name="chevron" size={11} />
    </MenuButton>
  );
}

/** The program's mark: a Bragg peak. */
function Mark(): ReactElement {
  return (
    <svg className="mark" viewBox="0 0 24 24" width="1.375rem" height="1.375rem" role="img" aria-label="Braggbench">
      <rect x="1" y="1" width="22" height="22" rx="5.5" className="mark__ground" />
      <path
        d="M4 17.2c5.2-.3 8.2-1 10-4.2 1.1-2 1.5-6.8 2.5-6.8s1 4.800 1.300 7.800c.2 2.200.6 3.200 2.200 3.200"
        className="mark__curve"
      />
    </svg>
  );
}

const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };

function CommandButton({
  command,
  icon,
}: {
  readonly command: Command | null;
  readonly icon: IconName;
}): ReactElement | null {
  const { stores } = useWorkbench();
  const desktop = useSelected(stores.connection, (state) => state.capabilities.shell.kind === 'desktop');
  if (command === null) return null;
  const shortcut = activeShortcut(command, desktop);
  return (
    <IconButton
      icon={icon}
      label={command.title}
      shortcut={shortcut === null ? null : shortcutText(shortcut, isMac())}
      disabled={!command.enabled}
      onPress={command.run}
    />
  );
}

function DocumentTitle(): ReactElement {
  const { stores } = useWorkbench();
  const title = useSelected(stores.scenario, documentTitle);
  const edited = useSelected(stores.scenario, isEdited);
  const place = useSelected(stores.scenario, (state) => state.file?.place ?? 'Not saved yet');
  const others = useSelected(stores.presence, (state) => state.others);
  const readOnly = useSelected(stores.scenario, (state) => state.readOnly);
  return (
    <h1 className="document-title" title={place}>
      <span className="document-title__name">{title}</span>
      {edited ? (
        <span className="document-title__edited" title="There are changes that are not saved">
          edited
        </span>
      ) : readOnly ? (
        <span className="document-title__note">example</span>
      ) : null}
      {others === 0 ? null : (
        <span className="document-title__edited" title="Saving here and there replaces one another">
          open twice
        </span>
      )}
    </h1>
  );
}

export function TopBar({ commands }: { readonly commands: readonly Command[] }): ReactElement {
  const { stores } = useWorkbench();
  const nativeMenus = useSelected(stores.connection, (state) => state.capabilities.shell.menus);
  const theme = useSelected(stores.appearance, (state) => state.theme);
  return (
    <header className="top-bar">
      <Mark />
      {nativeMenus ? null : <MenuBar commands={commands} />}
      <div className="top-bar__group">
        <CommandButton icon="open" command={commandOf(commands, 'file.open')} />
        <CommandButton icon="save" command={commandOf(commands, 'file.save')} />
        <CommandButton icon="undo" command={commandOf(commands, 'edit.undo')} />
        <CommandButton icon="redo" command={commandOf(commands, 'edit.redo')} />
      </div>
      <LayoutSwitch commands={commands} />
      <DocumentTitle />
      <RunStrip commands={commands} />
      <CommandButton icon="search" command={commandOf(commands, 'help.palette')} />
      <MenuButton
        label="Appearance"
        title="Appearance"
        className="icon-button"
        align="end"
        items={commands
          .filter((command) => command.submenu === 'Appearance')
          .map((command) => ({
            id: command.id,
            label: command.title,
            ...(command.checked === undefined ? {} : { checked: command.checked }),
            onChoose: command.run,
          }))}
      >
        <Icon name={themeIcons[theme]} />
      </MenuButton>
    </header>
  );
}
