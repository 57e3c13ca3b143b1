/** The bar at the top: menus, the document, undo, Run and Stop, appearance. */
import type { ReactElement } from 'react';
import { isMac } from '../base/platform.ts';
import type { Command } from '../commands/command.ts';
import { activeShortcut } from '../commands/command.ts';
import { shortcutText } from '../commands/shortcut.ts';
import { documentTitle, isEdited } from '../state/scenario.ts';
import type { Theme } from '../state/view.ts';
import { IconButton } from '../widgets/controls/button.tsx';
import { MenuButton } from '../widgets/floating/menu.tsx';
import { Icon, type IconName } from '../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { LayoutSwitch } from './layout-switch.tsx';
import { Mark } from './mark.tsx';
import { MenuBar } from './menu-bar.tsx';
import { RunStrip } from './run-strip.tsx';
import { commandOf } from './use-commands.ts';

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
