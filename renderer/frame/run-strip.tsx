/** Run and Stop, and how far the run is, where they are always in sight. */
import type { ReactElement } from 'react';
import { isMac } from '../base/platform.ts';
import { timeLeft } from '../base/time.ts';
import type { Command } from '../commands/command.ts';
import { shortcutText } from '../commands/shortcut.ts';
import { activeRun } from '../state/runs.ts';
import { tracingOf } from '../state/tracing.ts';
import { Button, IconButton } from '../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';
import { progressWords } from '../workbench/workload.ts';
import { commandOf } from './use-commands.ts';

function Progress(): ReactElement | null {
  const { stores, workloads } = useWorkbench();
  const run = useSelected(stores.runs, activeRun);
  const progress = useSelected(stores.runs, (state) => (run === null ? undefined : state.progress[run.id]));
  if (run === null) return null;
  if (progress === undefined) return <span className="run-strip__text">Starting…</span>;
  return (
    <span className="run-strip__text" title={run.name}>
      {progressWords(workloads, progress.detail).map((words) => (
        <span key={words}>{words}</span>
      ))}
      <span>{progress.eta_s === null ? '' : `${timeLeft(progress.eta_s)} left`}</span>
    </span>
  );
}

/** Whether the next runs record the GPU's work; without a GPU it says why they cannot. */
function TraceSwitch({ command }: { readonly command: Command | null }): ReactElement | null {
  const { stores } = useWorkbench();
  const says = useSelected(stores.connection, ({ capabilities }) => tracingOf(capabilities.devices).says);
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
  // If the run's panel is hidden, only this label distinguishes a rough number of a drag from a final one.
  const rough = answer !== null && !answer.full ? 'rough' : null;
  const state =
    phase === 'waiting' ? 'waits' : phase === 'refused' ? 'refused' : [rough, rate].filter(Boolean).join(' ');
  const shortcut = command.shortcut === undefined ? '' : ` (${shortcutText(command.shortcut, isMac())})`;
  return (
    <Button
      tone="quiet"
      icon="live"
      title={`Solves again with every edit, and draws the answer as you drag or type${shortcut}`}
      pressed={on}
      disabled={!command.enabled}
      onPress={command.run}
    >
      {on && state !== '' ? `Live ${state}` : 'Live'}
    </Button>
  );
}

export function RunStrip({ commands }: { readonly commands: readonly Command[] }): ReactElement {
  const start = commandOf(commands, 'run.start');
  const stop = commandOf(commands, 'run.stop');
  const mac = isMac();
  const tip = (command: Command | null): string =>
    command?.shortcut === undefined ? '' : `${command.title} (${shortcutText(command.shortcut, mac)})`;
  const busy = stop?.enabled ?? false;
  return (
    <div className="run-strip">
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
          title={start?.enabled ? tip(start) : 'The scenario has faults: the form marks them'}
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
