/** Arranges the panels for the kind of what was last opened or chosen: a scenario, or a run. */
import { kindOfDocument } from '../../electron/contract/scenario/index.ts';
import type { Stores } from '../actions/context.ts';
import type { Client } from '../client/index.ts';
import type { Overlays } from '../data/overlays.ts';
import type { NoticesStore } from '../state/notices.ts';
import { runOf } from '../state/runs.ts';
import { documentTitle, isEdited, type ScenarioState, type ScenarioStore } from '../state/scenario.ts';

/** Has the host keep unsaved edits as they are made, so that no crash loses more than the last half second. */
const SETTLE_MS = 400;

export function keepDraft(client: Client, scenario: ScenarioStore, notices: NoticesStore, page: string): void {
  let waiting = false;
  let kept = false;
  let failed = false;

  const keep = async (): Promise<void> => {
    waiting = false;
    const state = scenario.getState();
    const edited = isEdited(state);
    if (!edited && !kept) return;
    kept = edited;
    try {
      if (edited) {
        const file = state.file?.file ?? null;
        await client.call('recovery.keep', { page, title: documentTitle(state), file, draft: state.draft });
      } else await client.call('recovery.drop', { page });
      failed = false;
    } catch (error) {
      // Report once per series of failures; a lost connection is reported elsewhere.
      if (!failed && client.connection !== '') notices.fail('Unsaved edits are not protected against a crash', error);
      failed = true;
      kept = true;
    }
  };
  const changed = (state: ScenarioState, before: ScenarioState): void => {
    if (state.draft === before.draft && state.saved === before.saved && state.file === before.file) return;
    if (!waiting) setTimeout(() => void keep(), SETTLE_MS);
    waiting = true;
  };
  scenario.subscribe(changed);
}

/** Another document in the form: maps, curves and hints of the former one go with it. Edits of one document keep them. */
export function followDocument(
  { scenario, selection, questions }: Pick<Stores, 'scenario' | 'selection' | 'questions'>,
  overlays: Pick<Overlays, 'clear'>,
): void {
  scenario.subscribe((state, before) => {
    if (state.generation === before.generation) return;
    overlays.clear();
    questions.end();
    const { run } = selection.getState();
    if (run !== null && run !== state.ofRun) selection.setState({ run: null, pinned: null });
  });
}

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
