/** Another document in the form: maps, curves and hints of the former one go with it. Edits of one document keep them. */
import type { Stores } from '../actions/context.ts';
import type { Overlays } from '../data/overlays.ts';

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
