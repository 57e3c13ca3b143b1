/** State that is cleared when another document is opened. */
import { expect, it, vi } from 'vitest';
import { createQuestionsStore } from '../../../renderer/state/questions.ts';
import { createScenarioStore, emptyDraft } from '../../../renderer/state/scenario.ts';
import { createSelectionStore } from '../../../renderer/state/selection.ts';
import { followDocument } from '../../../renderer/workbench/follow-kind.ts';

function page() {
  const scenario = createScenarioStore();
  const selection = createSelectionStore();
  const questions = createQuestionsStore({ load: () => null, store: () => undefined } as never, () => undefined);
  const overlays = { clear: vi.fn() };
  followDocument({ scenario, selection, questions }, overlays);
  selection.setState({ run: 'run-1' });
  questions.begin('monte-carlo');
  return { scenario, selection, questions, overlays };
}

const document = { draft: { ...emptyDraft, name: 'another' }, file: null, readOnly: false };

it('takes maps, curves and hints along when another document is opened', () => {
  const { scenario, selection, questions, overlays } = page();
  scenario.open(document);
  expect(selection.getState().run).toBeNull();
  expect(questions.guide.getState().question).toBeNull();
  expect(overlays.clear).toHaveBeenCalledOnce();
});

it('keeps the maps of the run whose scenario is opened', () => {
  const { scenario, selection } = page();
  scenario.open({ ...document, ofRun: 'run-1' });
  expect(selection.getState().run).toBe('run-1');
});

it('keeps everything while the document is edited', () => {
  const { scenario, selection, questions, overlays } = page();
  scenario.edit(['name'], 'edited', 'Name');
  scenario.undo();
  expect(selection.getState().run).toBe('run-1');
  expect(questions.guide.getState().question).toBe('monte-carlo');
  expect(overlays.clear).not.toHaveBeenCalled();
});
