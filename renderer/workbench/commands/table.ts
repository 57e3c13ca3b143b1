/** Commands of the workbench with their current state. */
import { supportsLive } from '../../../electron/contract/scenario/transport/what-if.ts';
import { type HandbookLink, handbookPages } from '../../base/handbook-pages.ts';
import { questions as allQuestions } from '../../base/questions.ts';
import { activeBench } from '../../state/comparison.ts';
import { activeRun, runOf, stoppableRun, tracingOf } from '../../state/runs.ts';
import { awaitsFirstDocument } from '../../state/scenario.ts';
import type { Workbench } from '../workbench.ts';
import { type Command, paletteEntries } from './command.ts';
import { fileCommands } from './file-commands.ts';
import { viewCommands } from './view-commands.ts';

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
