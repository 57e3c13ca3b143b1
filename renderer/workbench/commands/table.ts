/** Commands of the workbench with their current state. */
import { scenarioKindNames, scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import { supportsLive } from '../../../electron/contract/scenario/transport/what-if.ts';
import { exportsOf } from '../../../electron/contract/workload.ts';
import { type HandbookLink, handbookPages } from '../../base/handbook-pages.ts';
import { panelKeywords } from '../../base/panel-actions.ts';
import { questions as allQuestions } from '../../base/questions.ts';
import { activeBench } from '../../state/comparison.ts';
import { isOfKind, panelSlots } from '../../state/layout/defaults.ts';
import { layoutNames, layoutTitles } from '../../state/layout/tree.ts';
import { activeRun, hasResult, runOf, stoppableRun, tracingOf } from '../../state/runs.ts';
import { awaitsFirstDocument, isEdited } from '../../state/scenario.ts';
import type { Theme } from '../../state/view.ts';
import type { Workbench } from '../workbench.ts';
import { type Command, paletteEntries } from './command.ts';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'Follow the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function fileCommands({ stores, documents, runs, files, recovery }: Workbench): readonly Command[] {
  const scenario = stores.scenario.getState();
  const { shell } = stores.connection.getState().capabilities;
  const run = runOf(stores.runs.getState(), stores.selection.getState().run);
  const finished = run !== null && hasResult(run);
  const file = { menu: 'File' as const };
  const recent = stores.library.getState().recent;
  const exports = run === null ? [] : exportsOf(run.workload).filter(({ id }) => id !== 'run');
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
    ...(shell.dialogs
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
    {
      id: 'file.connect',
      title: 'Connect…',
      ...file,
      group: 4,
      // On a remote machine's page, the connection would start from that machine.
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

function editCommands({ stores }: Workbench): readonly Command[] {
  const { past, future } = stores.scenario.getState();
  const edit = { menu: 'Edit' as const, group: 1 };
  return [
    {
      id: 'edit.undo',
      title: past.length === 0 ? 'Undo' : `Undo ${past.at(-1)?.label}`,
      ...edit,
      shortcut: 'CmdOrCtrl+Z',
      enabled: past.length > 0,
      run: () => stores.scenario.undo(),
    },
    {
      id: 'edit.redo',
      title: future.length === 0 ? 'Redo' : `Redo ${future.at(-1)?.label}`,
      ...edit,
      shortcut: 'CmdOrCtrl+Shift+Z',
      enabled: future.length > 0,
      run: () => stores.scenario.redo(),
    },
  ];
}

function runCommands({ stores, runs, documents, whatIf }: Workbench): readonly Command[] {
  const list = stores.runs.getState();
  const { draft, check } = stores.scenario.getState();
  const { on } = stores.whatIf.getState();
  const bad = check?.draft === draft && check.issues.some((issue) => issue.severity === 'error');
  const isReady =
    !bad && !awaitsFirstDocument(stores.scenario.getState(), stores.connection.getState().capabilities.openFirst);
  const selected = runOf(list, stores.selection.getState().run);
  const run = { menu: 'Run' as const };
  return [
    {
      id: 'run.start',
      title: activeRun(list) === null ? 'Run' : 'Run next',
      ...run,
      group: 1,
      shortcut: 'CmdOrCtrl+Enter',
      enabled: isReady,
      run: () => void runs.start(),
    },
    {
      id: 'run.stop',
      title: 'Stop',
      ...run,
      group: 1,
      shortcut: 'CmdOrCtrl+.',
      enabled: stoppableRun(list) !== null,
      run: () => void runs.stop(),
    },
    {
      id: 'run.benchmark',
      title: 'Benchmark…',
      ...run,
      group: 1,
      keywords: 'measure time compare variants speed',
      enabled: isReady && activeBench(stores.comparison.getState()) === null,
      run: () => {
        stores.layout.choose('compare');
        stores.layout.press('compare', 'benchmark');
      },
    },
    {
      id: 'run.live',
      title: 'Live',
      ...run,
      group: 1,
      shortcut: 'Alt+L',
      enabled: on || supportsLive(draft),
      checked: on,
      run: () => whatIf.toggle(),
    },
    {
      id: 'run.trace',
      title: "Record the GPU's work",
      ...run,
      group: 1,
      enabled: tracingOf(stores.connection.getState().capabilities.devices).possible,
      checked: stores.tracing.getState().on,
      run: () => stores.tracing.setState(({ on }) => ({ on: !on })),
    },
    {
      id: 'run.editScenario',
      title: 'Edit the scenario of this run',
      ...run,
      group: 2,
      enabled: selected !== null,
      run: () => selected !== null && void documents.openRun(selected),
    },
  ];
}

function viewCommands({ stores, workloads }: Workbench): readonly Command[] {
  const { theme } = stores.appearance.getState();
  const view = { menu: 'View' as const };
  const zoomed = Object.keys(stores.window.getState().windows).length > 0;
  const { frames, playing } = stores.playback.getState();
  const { shown } = stores.layout.getState();
  const enlarged = stores.layout.enlarged.getState().panel !== null;
  const { kind } = stores.layout.arranged.getState();
  const scrub = { ...view, submenu: 'Stored steps', group: 2, enabled: frames.length > 1 };
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

async function chooseCommand(workbench: Workbench): Promise<void> {
  const { stores, files } = workbench;
  void files.listExamples();
  const id = await stores.dialogs.ask('palette', {});
  // Look the command up again, because its state may have changed while the palette was open.
  const command = [...commandTable(workbench), ...paletteEntries(workbench)].find((each) => each.id === id);
  if (command?.enabled) command.run();
}

function openHandbook({ stores }: Workbench, place: HandbookLink): void {
  stores.handbook.open(place);
  stores.layout.reveal('handbook');
}

function helpCommands(workbench: Workbench): readonly Command[] {
  const { stores, desktop, questions } = workbench;
  const help = { menu: 'Help' as const, group: 1, enabled: true };
  return [
    {
      id: 'help.palette',
      title: 'Find a command…',
      ...help,
      shortcut: 'CmdOrCtrl+K',
      run: () => void chooseCommand(workbench),
    },
    {
      id: 'help.shortcuts',
      title: 'Keyboard shortcuts',
      ...help,
      shortcut: 'CmdOrCtrl+/',
      run: () => void stores.dialogs.ask('shortcuts', {}),
    },
    {
      id: 'help.panel',
      title: 'Help on the panel in focus',
      ...help,
      group: 2,
      shortcut: 'F1',
      run: () => openHandbook(workbench, stores.handbook.placeOfFocus()),
    },
    {
      id: 'help.questions',
      title: 'Questions to begin with',
      ...help,
      group: 2,
      run: () => questions.show(),
    },
    ...allQuestions.map(({ id, title }) => ({
      id: `help.question.${id}`,
      title,
      ...help,
      submenu: 'Questions',
      group: 2,
      run: () => void questions.open(id),
    })),
    ...handbookPages.map(({ id, title }) => ({
      id: `help.handbook.${id}`,
      title,
      ...help,
      submenu: 'Handbook',
      group: 2,
      run: () => openHandbook(workbench, { page: id, anchor: null }),
    })),
    { id: 'help.log', title: 'Show the log', ...help, group: 3, run: () => void desktop.showLog() },
    { id: 'help.about', title: 'About Braggbench', ...help, group: 4, run: () => void stores.dialogs.ask('about', {}) },
  ];
}

/** All commands in the order of the menus. */
export function commandTable(workbench: Workbench): readonly Command[] {
  return [fileCommands, editCommands, runCommands, viewCommands, helpCommands].flatMap((part) => part(workbench));
}
