/**
 * Entries of the command palette beyond the menus: examples, actions of panels, materials, headings of the handbook.
 */
import { valueAt } from '../../electron/contract/scenario/index.ts';
import { type PanelAction, panelActions } from '../base/panel-actions.ts';
import type { Part } from '../state/handbook.ts';
import { isOfKind, panelSlots, panelTitle } from '../state/layout/defaults.ts';
import type { Workbench } from '../workbench/workbench.ts';
import type { Command } from './command.ts';

const BACKGROUND = ['geometry', 'background'] as const;

type Entry = Omit<Command, 'menu' | 'group' | 'enabled'>;

const entry = (command: Entry & { readonly enabled?: boolean }): Command => ({
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
      entry({
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
    entry({
      id: `example.${item.id}`,
      title: item.name || item.fileName,
      submenu: 'Examples',
      keywords: [item.fileName, item.id, item.facts.workload, item.facts.about, item.notes].join(' '),
      run: () => void files.open(item),
    }),
  );
}

/** A material becomes the background of the scenario in the form; undo takes it back. */
function materialEntries({ stores }: Workbench): readonly Command[] {
  const scenario = stores.scenario.getState().check?.resolved?.scenario;
  const enabled = valueAt(scenario, BACKGROUND) !== undefined;
  return stores.library.getState().materials.map(({ id, title }) =>
    entry({
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
    entry({
      id: `handbook.${part.page}#${part.anchor}`,
      title: part.heading,
      submenu: `Handbook › ${part.title}`,
      keywords: 'help documentation',
      run: () => open(part),
    }),
  );
}

/** In the order in which they are listed below the menus' commands. */
export function paletteEntries(workbench: Workbench): readonly Command[] {
  return [panelEntries, exampleEntries, materialEntries, handbookEntries].flatMap((part) => part(workbench));
}
