/** When the questions stand in front, and when they were put away. */
import type { Stores } from '../actions/context.ts';
import { QUESTIONS_PANEL } from '../actions/questions.ts';
import { shownRoot } from '../state/layout/store.ts';
import { panelsOf } from '../state/layout/tree.ts';

/** The first thing at the start, unless the user put them away, works in another layout, or began with a file of theirs. */
export function offerQuestions({
  questions,
  layout,
  scenario,
}: Pick<Stores, 'questions' | 'layout' | 'scenario'>): void {
  const { file, readOnly } = scenario.getState();
  const theirs = file !== null && !readOnly;
  if (questions.getState().atStart && layout.getState().shown === 'simulate' && !theirs) layout.reveal(QUESTIONS_PANEL);
}

/** Who closes the panel does not want it at the next start either. Hints go with the layout that they stand in. */
export function followQuestions({ questions, layout }: Pick<Stores, 'questions' | 'layout'>): void {
  layout.subscribe((state, before) => {
    if (state.shown !== before.shown) return questions.end();
    const arranged = layout.arranged.getState();
    const stood = panelsOf(shownRoot(before, arranged, 'wide')).includes(QUESTIONS_PANEL);
    const stands = panelsOf(shownRoot(state, arranged, 'wide')).includes(QUESTIONS_PANEL);
    if (stood && !stands && state.shown === 'simulate') questions.setState({ atStart: false });
  });
}
