/** Which layout is shown: all of them in sight where the window has room, behind one button otherwise. */
import type { ReactElement } from 'react';
import { isMac } from '../base/platform.ts';
import type { Command } from '../commands/command.ts';
import { shortcutText } from '../commands/shortcut.ts';
import { type LayoutName, layoutNames, layoutTitles } from '../state/layout/frames.ts';
import { Segmented } from '../widgets/controls/segmented.tsx';
import { MenuButton } from '../widgets/floating/menu.tsx';
import { Icon } from '../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { useSizeClass } from './layout-view.tsx';
import { commandOf } from './use-commands.ts';

export function LayoutSwitch({ commands }: { readonly commands: readonly Command[] }): ReactElement {
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
