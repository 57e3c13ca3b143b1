/** The current command table; components that use it render again if a command changes. */
import { useEffect, useState } from 'react';
import { activeBench } from '../state/comparison.ts';
import type { Command } from '../workbench/commands/command.ts';
import { commandTable } from '../workbench/commands/table.ts';
import { useWorkbench } from '../workbench/context.ts';
import type { Workbench } from '../workbench/workbench.ts';

/** Calls `listener` after every change in a store that commands depend on. */
export function onCommandsChange({ stores }: Workbench, listener: () => void): () => void {
  const { scenario, runs, selection, appearance, window, library, connection, playback, layout } = stores;
  const { tracing, whatIf, comparison, handbook } = stores;
  const stops = [
    scenario.subscribe(listener),
    // Ignore progress updates, which arrive sixty times a second and change no command.
    runs.subscribe((state, before) => {
      if (state.runs !== before.runs) listener();
    }),
    selection.subscribe((state, before) => {
      if (state.run !== before.run || state.pinned !== before.pinned) listener();
    }),
    // Ignore playback steps. Commands change only with other frames, or if playback starts or stops.
    playback.subscribe((state, before) => {
      if (state.frames !== before.frames || state.playing !== before.playing) listener();
    }),
    tracing.subscribe(listener),
    handbook.subscribe((state, before) => {
      if (state.parts !== before.parts) listener();
    }),
    comparison.subscribe((state, before) => {
      if ((activeBench(state) === null) !== (activeBench(before) === null)) listener();
    }),
    whatIf.subscribe((state, before) => {
      if (state.on !== before.on) listener();
    }),
    layout.enlarged.subscribe(listener),
    layout.arranged.subscribe(listener),
    layout.subscribe((state, before) => {
      if (state.shown !== before.shown) listener();
    }),
    appearance.subscribe(listener),
    window.subscribe(listener),
    library.subscribe(listener),
    connection.subscribe(listener),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export function useCommands(): readonly Command[] {
  const workbench = useWorkbench();
  const [commands, setCommands] = useState(() => commandTable(workbench));
  useEffect(() => onCommandsChange(workbench, () => setCommands(commandTable(workbench))), [workbench]);
  return commands;
}

export function commandOf(commands: readonly Command[], id: string): Command | null {
  return commands.find((command) => command.id === id) ?? null;
}
