/** Arranges the panels for the kind of what was last opened or chosen: a scenario, or a run. */
import { kindOfDocument } from '../../electron/contract/scenario/index.ts';
import type { Stores } from '../actions/context.ts';
import { runOf } from '../state/runs.ts';

export function followKind({ scenario, runs, selection, layout, comparison }: Stores): void {
  const opened = (): void => {
    const kind = kindOfDocument(scenario.getState().draft);
    layout.arrangeFor(kind);
    comparison.show(kind);
  };
  opened();
  scenario.subscribe((state, before) => {
    if (kindOfDocument(state.draft) === kindOfDocument(before.draft)) return;
    opened();
    // A run of another kind has nothing to show in these panels.
    const run = runOf(runs.getState(), selection.getState().run);
    if (run !== null && run.workload !== kindOfDocument(state.draft)) selection.setState({ run: null, pinned: null });
  });
  const chosen = (): void => {
    const run = runOf(runs.getState(), selection.getState().run);
    if (run !== null) layout.arrangeFor(run.workload);
  };
  selection.subscribe((state, before) => {
    if (state.run !== before.run) chosen();
  });
  // A run that was just started or opened may be selected before the list has it.
  runs.subscribe((state, before) => {
    const { run } = selection.getState();
    if (runOf(state, run) !== null && runOf(before, run) === null) chosen();
  });
}
