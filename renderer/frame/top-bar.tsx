/** Bar at the top: menus, document, undo, Run and Stop, appearance. Run, Stop and the progress are always visible. */
import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { timeLeft } from '../../electron/domain/numbers.ts';
import { isMac } from '../base/platform.ts';
import { type LayoutName, layoutNames, layoutTitles } from '../state/layout/tree.ts';
import { activeRun, tracingOf } from '../state/runs.ts';
import { awaitsFirstDocument, documentTitle, isEdited } from '../state/scenario.ts';
import type { Theme } from '../state/view.ts';
import { Button, IconButton } from '../widgets/controls/button.tsx';
import { Segmented } from '../widgets/controls/segmented.tsx';
import { MenuButton, type MenuItem } from '../widgets/floating/menu.tsx';
import { Icon, type IconName } from '../widgets/words/icon.tsx';
import { activeShortcut, type Command, menuNames, shortcutText } from '../workbench/commands/command.ts';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { progressWords } from '../workbench/workload.ts';
import { useSizeClass } from './layout-view.tsx';
import { commandOf } from './use-commands.ts';

function Progress(): ReactElement | null {
  const { stores, workloads } = useWorkbench();
  const run = useSelected(stores.runs, activeRun);
  const progress = useSelected(stores.runs, (state) => (run === null ? undefined : state.progress[run.id]));
  if (run === null) return null;
  if (progress === undefined) return <span className="run-strip__text flex muted nowrap">Starting…</span>;
  return (
    <span className="run-strip__text flex muted nowrap" title={run.name}>
      {progressWords(workloads, progress.detail).map((words) => (
        <span key={words}>{words}</span>
      ))}
      <span>{progress.eta_s === null ? '' : `${timeLeft(progress.eta_s)} left`}</span>
    </span>
  );
}

/** Switch that records a GPU trace of the next runs. Without a GPU its tooltip explains why that is not possible. */
function TraceSwitch({ command }: { readonly command: Command | null }): ReactElement | null {
  const { stores } = useWorkbench();
  const says = useSelected(stores.connection, ({ capabilities }) => tracingOf(capabilities.devices).explanation);
  if (command === null) return null;
  return (
    <IconButton
      icon="lanes"
      label={command.title}
      tip={says}
      pressed={command.checked === true}
      disabled={!command.enabled}
      onPress={command.run}
    />
  );
}

function LiveSwitch({ command }: { readonly command: Command | null }): ReactElement | null {
  const { stores } = useWorkbench();
  const { on, answer, phase, perSecond } = useSelected(stores.whatIf, (state) => state);
  if (command === null) return null;
  const rate = perSecond === null ? null : `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  // Label of the rough result that is shown during a drag. Needed because the run's panel, which also shows this, may
  // be hidden.
  const rough = answer !== null && !answer.full ? 'rough' : null;
  const state =
    phase === 'waiting' ? 'waits' : phase === 'refused' ? 'refused' : [rough, rate].filter(Boolean).join(' ');
  const shortcut = command.shortcut === undefined ? '' : ` (${shortcutText(command.shortcut, isMac())})`;
  return (
    <Button
      tone="quiet"
      icon="live"
      title={`Solves again after every edit, and shows the result as you drag or type${shortcut}`}
      pressed={on}
      disabled={!command.enabled}
      onPress={command.run}
    >
      {on && state !== '' ? `Live ${state}` : 'Live'}
    </Button>
  );
}

function RunStrip({ commands }: { readonly commands: readonly Command[] }): ReactElement {
  const { stores } = useWorkbench();
  const { capabilities } = useSelected(stores.connection, (state) => state);
  const isOpening = useSelected(stores.scenario, (state) => awaitsFirstDocument(state, capabilities.openFirst));
  const blocked = isOpening ? 'The scenario is being opened' : 'The scenario has issues: the form marks them';
  const start = commandOf(commands, 'run.start');
  const stop = commandOf(commands, 'run.stop');
  const mac = isMac();
  const tip = (command: Command | null): string =>
    command?.shortcut === undefined ? '' : `${command.title} (${shortcutText(command.shortcut, mac)})`;
  const busy = stop?.enabled ?? false;
  return (
    <div className="run-strip flex center gap-m">
      {busy ? (
        <>
          <Button icon="stop" tone="danger" title={tip(stop)} onPress={() => stop?.run()}>
            Stop
          </Button>
          <Button icon="plus" tone="quiet" title={tip(start)} disabled={!start?.enabled} onPress={() => start?.run()}>
            Queue
          </Button>
        </>
      ) : (
        <Button
          icon="run"
          tone="primary"
          title={start?.enabled ? tip(start) : blocked}
          disabled={!start?.enabled}
          onPress={() => start?.run()}
        >
          Run
        </Button>
      )}
      <LiveSwitch command={commandOf(commands, 'run.live')} />
      <TraceSwitch command={commandOf(commands, 'run.trace')} />
      <Progress />
    </div>
  );
}

/** Menus in the page, for shells without native menus. */
function menuItemsOf(commands: readonly Command[]): readonly MenuItem[] {
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
  // The menu bar is a single Tab stop; arrow keys move between menus.
  const [stop, setStop] = useState(0);
  const bar = useRef<HTMLDivElement>(null);
  const names = menuNames.filter((name) => commands.some((command) => command.menu === name));
  const along = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
    event.preventDefault();
    const next = ((open ?? stop) + (event.key === 'ArrowRight' ? 1 : names.length - 1)) % names.length;
    setStop(next);
    if (open !== null) setOpen(next);
    else bar.current?.querySelectorAll<HTMLElement>('.menu-bar__button')[next]?.focus();
  };
  return (
    <div className="flex" role="menubar" aria-label="Menus" onKeyDown={along} ref={bar}>
      {names.map((name, index) => (
        <span
          key={name}
          role="none"
          onPointerEnter={() => open !== null && setOpen(index)}
          onFocus={() => setStop(index)}
        >
          <MenuButton
            label={name}
            inBar
            tabIndex={index === stop ? 0 : -1}
            className="menu-bar__button rounded"
            items={menuItemsOf(commands.filter((command) => command.menu === name))}
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

/** Selects the layout: all layouts as buttons if the window has room, otherwise one menu button. */
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
      className="menu-bar__button rounded rigid nowrap"
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

/** The program's logo: a Bragg peak. */
function Logo(): ReactElement {
  return (
    <svg className="rigid" viewBox="0 0 24 24" width="1.375rem" height="1.375rem" role="img" aria-label="Braggbench">
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
    <h1 className="document-title flex gap-l grow clip" title={place}>
      <span className="clip nowrap">{title}</span>
      {edited ? (
        <span className="document-title__edited rigid small" title="There are unsaved changes">
          edited
        </span>
      ) : readOnly ? (
        <span className="document-title__note rigid small">example</span>
      ) : null}
      {others === 0 ? null : (
        <span className="document-title__edited rigid small" title="Saves in the two windows overwrite each other">
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
    <header className="top-bar flex center gap-l rigid line-below">
      <Logo />
      {nativeMenus ? null : <MenuBar commands={commands} />}
      <div className="top-bar__group flex">
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
