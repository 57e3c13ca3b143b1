/** Commands of the View menu: layouts and panels, stored steps, zoom and appearance. */
import { panelKeywords } from '../../base/panel-actions.ts';
import { isOfKind, panelSlots } from '../../state/layout/defaults.ts';
import { layoutNames, layoutTitles } from '../../state/layout/tree.ts';
import type { Theme } from '../../state/view.ts';
import type { Workbench } from '../workbench.ts';
import type { Command } from './command.ts';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'Follow the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

const view = { menu: 'View' as const };

function layoutCommands({ stores, workloads }: Workbench): readonly Command[] {
  const { shown } = stores.layout.getState();
  const enlarged = stores.layout.enlarged.getState().panel !== null;
  const { kind } = stores.layout.arranged.getState();
  return [
    ...layoutNames.map((layout, at) => ({
      id: `view.layout.${layout}`,
      title: layoutTitles[layout],
      ...view,
      submenu: 'Layout',
      group: 0,
      shortcut: `Alt+Shift+${at + 1}`,
      enabled: true,
      checked: shown === layout,
      run: () => stores.layout.choose(layout),
    })),
    ...panelSlots
      .filter((panel) => isOfKind(panel, kind, workloads))
      .map(({ id, title, key }) => ({
        id: `view.show.${id}`,
        title,
        ...view,
        submenu: 'Panels',
        group: 0,
        keywords: panelKeywords[id] ?? '',
        ...(key === undefined ? {} : { shortcut: `CmdOrCtrl+${key}`, browserShortcut: `Alt+${key}` }),
        enabled: true,
        run: () => stores.layout.reveal(id),
      })),
    {
      id: 'view.enlarge',
      title: 'Maximise maps',
      ...view,
      group: 0,
      shortcut: 'CmdOrCtrl+Shift+M',
      browserShortcut: 'Alt+M',
      enabled: true,
      checked: enlarged,
      run: () => stores.layout.enlarge(enlarged ? null : workloads[kind].mainPanel),
    },
  ];
}

function playbackCommands({ stores }: Workbench): readonly Command[] {
  const { frames, playing } = stores.playback.getState();
  const scrub = { ...view, submenu: 'Stored steps', group: 2, enabled: frames.length > 1 };
  return [
    {
      id: 'view.playback.play',
      title: playing ? 'Pause' : 'Play',
      ...scrub,
      shortcut: 'Alt+P',
      run: () => {
        if (!playing) stores.layout.reveal('phase-space');
        stores.playback.toggle();
      },
    },
    {
      id: 'view.playback.previous',
      title: 'Previous step',
      ...scrub,
      shortcut: 'Alt+,',
      run: () => stores.playback.go(stores.playback.getState().index - 1),
    },
    {
      id: 'view.playback.next',
      title: 'Next step',
      ...scrub,
      shortcut: 'Alt+.',
      run: () => stores.playback.go(stores.playback.getState().index + 1),
    },
  ];
}

function appearanceCommands({ stores }: Workbench): readonly Command[] {
  const { theme } = stores.appearance.getState();
  const { shown } = stores.layout.getState();
  const zoomed = Object.keys(stores.window.getState().windows).length > 0;
  return [
    {
      id: 'view.wholeField',
      title: 'Show the whole field',
      ...view,
      group: 1,
      shortcut: 'CmdOrCtrl+0',
      browserShortcut: 'Alt+0',
      enabled: zoomed,
      run: () => stores.window.reset(),
    },
    {
      id: 'view.unpin',
      title: 'Hide crosshair',
      ...view,
      group: 1,
      shortcut: 'Escape',
      enabled: stores.selection.getState().pinned !== null,
      run: () => stores.selection.setState({ pinned: null, hover: null }),
    },
    {
      id: 'view.resetLayout',
      title: `Reset ${layoutTitles[shown]} layout`,
      ...view,
      group: 3,
      enabled: true,
      run: () => stores.layout.reset(),
    },
    ...themes.map(([value, title]) => ({
      id: `view.theme.${value}`,
      title,
      ...view,
      submenu: 'Appearance',
      group: 4,
      enabled: true,
      checked: theme === value,
      run: () => stores.appearance.setState({ theme: value }),
    })),
  ];
}

export const viewCommands = (workbench: Workbench): readonly Command[] =>
  [layoutCommands, playbackCommands, appearanceCommands].flatMap((part) => part(workbench));
