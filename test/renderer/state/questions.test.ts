/** The gallery at the start, and the hints of a question. */
import { expect, it, vi } from 'vitest';
import type { Stores } from '../../../renderer/actions/context.ts';
import { questions } from '../../../renderer/base/questions.ts';
import { createLayoutStore, shownRoot } from '../../../renderer/state/layout/store.ts';
import { groupWith } from '../../../renderer/state/layout/tree.ts';
import { memoryStorage } from '../../../renderer/state/persisted.ts';
import { createQuestionsStore, hintAfter, hintIn } from '../../../renderer/state/questions.ts';
import { createScenarioStore } from '../../../renderer/state/scenario.ts';
import { followQuestions, offerQuestions } from '../../../renderer/workbench/workbench.ts';
import { pageWorkloads } from '../../../renderer/workloads/index.ts';

function open(storage = memoryStorage()) {
  const stores = {
    questions: createQuestionsStore(storage, vi.fn()),
    layout: createLayoutStore(storage, vi.fn(), pageWorkloads),
    scenario: createScenarioStore(),
  };
  followQuestions(stores as unknown as Stores);
  const front = (): boolean => {
    const root = shownRoot(stores.layout.getState(), stores.layout.arranged.getState(), 'wide');
    return groupWith(root, 'questions')?.active === 'questions';
  };
  return { ...stores, front };
}

const [first] = questions;
if (first === undefined) throw new Error('there are no questions');

it('comes to the front at the start, until it is closed once', () => {
  const storage = memoryStorage();
  const begun = open(storage);
  offerQuestions(begun);
  expect(begun.front()).toBe(true);
  begun.layout.close('questions');
  const again = open(storage);
  offerQuestions(again);
  expect(again.front()).toBe(false);
  again.layout.reveal('questions');
  expect(again.front()).toBe(true);
  expect(again.questions.getState().atStart).toBe(false);
});

it('stays behind for who works in another layout or began with a file of theirs', () => {
  const elsewhere = open();
  elsewhere.layout.choose('profile');
  offerQuestions(elsewhere);
  elsewhere.layout.choose('simulate');
  expect(elsewhere.front()).toBe(false);
  const theirs = open();
  const file = { file: { kind: 'library', key: 'mine.json' }, name: 'mine.json', place: 'library' } as const;
  theirs.scenario.open({ draft: theirs.scenario.getState().draft, file, readOnly: false });
  offerQuestions(theirs);
  expect(theirs.front()).toBe(false);
});

it('closing it where it was only looked up is no answer for the start', () => {
  const { layout, questions: store } = open();
  layout.choose('compare');
  layout.reveal('questions');
  layout.close('questions');
  expect(store.getState().atStart).toBe(true);
});

it('goes from hint to hint, leaves out dismissed ones, and ends with the last', () => {
  const { questions: store } = open();
  store.begin(first.id);
  const at = (place: number) => hintIn(store.guide.getState(), first.hints[place]?.panel ?? '');
  expect([at(0), at(1), at(2), hintIn(store.guide.getState(), 'handbook')]).toEqual([0, 1, 2, null]);
  expect([0, 1, 2].map((hint) => hintAfter(store.guide.getState(), hint))).toEqual([1, 2, 0]);
  store.dismiss(1);
  expect(at(1)).toBeNull();
  expect(hintAfter(store.guide.getState(), 0)).toBe(2);
  const { turn } = store.guide.getState().at;
  store.go(1);
  expect(store.guide.getState().at.turn).toBe(turn);
  store.go(2);
  expect(store.guide.getState().at).toEqual({ hint: 2, turn: turn + 1 });
  store.dismiss(0);
  expect(hintAfter(store.guide.getState(), 2)).toBeNull();
  store.dismiss(2);
  expect(store.guide.getState().question).toBeNull();
});

it('takes its hints along when another layout is chosen', () => {
  const { layout, questions: store } = open();
  store.begin(first.id);
  layout.choose('profile');
  expect(store.guide.getState().question).toBeNull();
});
