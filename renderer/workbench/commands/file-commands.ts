/** Commands of the File menu: scenarios, runs and the library. */
import { scenarioKindNames, scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import { exportsOf } from '../../../electron/contract/workload.ts';
import { hasResult, runOf } from '../../state/runs.ts';
import { isEdited } from '../../state/scenario.ts';
import type { Workbench } from '../workbench.ts';
import type { Command } from './command.ts';

const file = { menu: 'File' as const };

function openCommands({ stores, documents }: Workbench): readonly Command[] {
  const { recent } = stores.library.getState();
  return [
    {
      id: 'file.new',
      title: 'New scenario',
      ...file,
      group: 1,
      shortcut: 'CmdOrCtrl+N',
      browserShortcut: 'Alt+N',
      enabled: true,
      run: () => void documents.create(),
    },
    ...scenarioKindNames.map((kind) => ({
      id: `file.new.${kind}`,
      title: scenarioKinds[kind].title,
      ...file,
      submenu: 'New scenario of',
      group: 1,
      enabled: true,
      run: () => void documents.create(kind),
    })),
    {
      id: 'file.open',
      title: 'Open scenario…',
      ...file,
      group: 1,
      shortcut: 'CmdOrCtrl+O',
      enabled: true,
      run: () => void documents.open(),
    },
    ...recent.map((entry, index) => ({
      id: `file.recent.${index}`,
      title: entry.name,
      ...file,
      submenu: 'Open recent',
      group: 1,
      enabled: true,
      run: () => void documents.openFile(entry.file, entry.name),
    })),
    ...(recent.length === 0
      ? []
      : [
          {
            id: 'file.clearRecent',
            title: 'Clear this list',
            ...file,
            submenu: 'Open recent',
            group: 2,
            enabled: true,
            run: () => void documents.clearRecent(),
          },
        ]),
  ];
}

function saveCommands({ stores, documents, files }: Workbench): readonly Command[] {
  const scenario = stores.scenario.getState();
  const { dialogs } = stores.connection.getState().capabilities.shell;
  return [
    {
      id: 'file.save',
      title: 'Save',
      ...file,
      group: 2,
      shortcut: 'CmdOrCtrl+S',
      enabled: isEdited(scenario) || scenario.file === null,
      run: () => void documents.save(),
    },
    {
      id: 'file.saveAs',
      title: 'Save as…',
      ...file,
      group: 2,
      shortcut: 'CmdOrCtrl+Shift+S',
      enabled: true,
      run: () => void documents.saveAs(),
    },
    {
      id: 'file.compareSaved',
      title: 'Compare with the saved file…',
      ...file,
      group: 2,
      enabled: scenario.file !== null && isEdited(scenario),
      run: () => void files.compareWithSaved(),
    },
    ...(dialogs
      ? []
      : [
          {
            id: 'file.download',
            title: 'Download a copy',
            ...file,
            group: 2,
            enabled: true,
            run: () => void documents.downloadCopy(),
          },
        ]),
  ];
}

function runFileCommands({ stores, runs }: Workbench): readonly Command[] {
  const run = runOf(stores.runs.getState(), stores.selection.getState().run);
  const finished = run !== null && hasResult(run);
  const exports = run === null ? [] : exportsOf(run.workload).filter(({ id }) => id !== 'run');
  return [
    {
      id: 'run.open',
      title: 'Open run…',
      ...file,
      group: 3,
      shortcut: 'CmdOrCtrl+Shift+O',
      enabled: true,
      run: () => void runs.open(),
    },
    {
      id: 'run.save',
      title: 'Save run as…',
      ...file,
      group: 3,
      shortcut: 'CmdOrCtrl+Alt+S',
      enabled: finished,
      run: () => run !== null && void runs.save(run),
    },
    ...exports.map(({ id: what, title }) => ({
      id: `run.export.${what}`,
      title,
      ...file,
      submenu: 'Export from run',
      group: 3,
      enabled: finished,
      run: () => run !== null && void runs.exportAs(run.id, what),
    })),
  ];
}

function libraryCommands({ stores, files, recovery }: Workbench): readonly Command[] {
  const { shell } = stores.connection.getState().capabilities;
  return [
    {
      id: 'file.connect',
      title: 'Connect…',
      ...file,
      group: 4,
      // Disabled on the page of a remote machine, because the connection would start from that machine.
      enabled: shell.remote === null,
      run: () => void stores.dialogs.ask('connect', { remote: null }),
    },
    {
      id: 'file.recover',
      title: 'Recover unsaved work…',
      ...file,
      group: 4,
      enabled: true,
      run: () => void recovery.show(),
    },
    ...(shell.dialogs
      ? [
          {
            id: 'library.folder',
            title: 'Folder of the library…',
            ...file,
            group: 4,
            enabled: true,
            run: () => void files.chooseFolder(),
          },
        ]
      : []),
    {
      id: 'library.rebuild',
      title: 'Rebuild library index',
      ...file,
      group: 4,
      enabled: true,
      run: () => void files.rebuild(),
    },
  ];
}

export const fileCommands = (workbench: Workbench): readonly Command[] =>
  [openCommands, saveCommands, runFileCommands, libraryCommands].flatMap((part) => part(workbench));
