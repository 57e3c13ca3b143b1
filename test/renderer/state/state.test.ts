/** The gallery at the start, and the hints of a question. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import { deviceReportSchema } from '../../../electron/contract/capabilities.ts';
import type { NamedFile } from '../../../electron/contract/files.ts';
import type { TraceInfo, TraceState } from '../../../electron/contract/timeline.ts';
import { questions } from '../../../renderer/base/questions.ts';
import { createLayoutStore, shownRoot } from '../../../renderer/state/layout/store.ts';
import { groupWith } from '../../../renderer/state/layout/tree.ts';
import { memoryStorage } from '../../../renderer/state/persisted.ts';
import { createQuestionsStore, hintAfter, hintIn } from '../../../renderer/state/questions.ts';
import { tracingOf } from '../../../renderer/state/runs.ts';
import {
  createScenarioStore,
  documentTitle,
  emptyDraft,
  isEdited,
  isFormOf,
  withoutAbsentVariant,
} from '../../../renderer/state/scenario.ts';
import { createTimelinesStore } from '../../../renderer/state/timelines.ts';
import type { Stores } from '../../../renderer/workbench/actions/context.ts';
import { isTimelineFile } from '../../../renderer/workbench/actions/timelines.ts';
import { followQuestions, offerQuestions } from '../../../renderer/workbench/workbench.ts';
import { pageWorkloads } from '../../../renderer/workloads/index.ts';

describe('recording of GPU work', () => {
  const golden = path.resolve(import.meta.dirname, '../../golden/devices-nvidia-h200.json');
  const report = deviceReportSchema.parse(JSON.parse(readFileSync(golden, 'utf8')));

  test('the GPU can be recorded by CUPTI or by events, or the reason is given', () => {
    expect(tracingOf(report)).toEqual({
      possible: true,
      explanation: expect.stringContaining('until the program exits.'),
    });
    const cupti = { ...report.cupti, available: false, reason: 'libcupti was not found.' };
    const byEvents = tracingOf({ ...report, cupti });
    expect(byEvents.possible).toBe(true);
    expect(byEvents.explanation).toMatch(/by events around every launch, which slows it: libcupti was not found\.$/);
    const cuda = { ...report.cuda, available: false, reason: 'the driver was not found.', devices: [] };
    expect(tracingOf({ ...report, cuda })).toEqual({
      possible: false,
      explanation: 'GPU work cannot be recorded: the driver was not found. CPU work is always recorded.',
    });
  });
});

const info = (id: string): TraceInfo => ({
  id,
  name: id,
  source: 'run',
  run: null,
  about: '',
  duration_ns: 1,
  spans: 1,
  lanes: [],
  firstKernel_ns: null,
  notes: [],
  memory_bytes: 1,
});

describe('the list of timelines', () => {
  it('keeps its contents while another timeline is read', () => {
    const store = createTimelinesStore();
    const first: TraceState = { state: 'open', info: info('a') };
    store.updateList([first]);
    const before = store.getState().open[0];
    store.updateList([
      { state: 'open', info: info('a') },
      { state: 'reading', id: 'b', name: 'b.json', read_bytes: 5, total_bytes: 10, spans: 2 },
    ]);
    expect(store.getState().open[0]).toBe(before);
    expect(store.getState().reading.map(({ name }) => name)).toEqual(['b.json']);
    store.updateList([{ state: 'open', info: info('b') }]);
    expect(store.getState().open.map(({ id }) => id)).toEqual(['b']);
    expect(store.getState().reading).toEqual([]);
  });

  it('lists each loading file once', () => {
    const store = createTimelinesStore();
    const file = { key: 1, name: 'a', total_bytes: 10 };
    store.updateSending({ ...file, sent_bytes: 0 });
    store.updateSending({ ...file, sent_bytes: 5 });
    expect(store.getState().sending).toEqual([{ ...file, sent_bytes: 5 }]);
    store.removeSending(1);
    expect(store.getState().sending).toEqual([]);
  });
});

describe('a dropped file', () => {
  it.each([
    ['trace.json', '{"schemaVersion":1,"traceEvents":[]}', true],
    ['trace.json', '\ufeff [ {"ph":"X"}', true],
    ['scenario.json', '{"kind":"transport","version":1}', false],
    ['trace.json.gz', '\u001f\u008b', true],
    ['report.sqlite', '', true],
    ['run.h5', '', false],
    ['scenario.yaml', 'kind: transport', false],
  ])('%s that begins with %j is recognised as a timeline: %s', async (name, text, expected) => {
    expect(await isTimelineFile(new File([text], name))).toBe(expected);
  });
});

describe('guided questions at the start', () => {
  function openGallery(storage = memoryStorage()) {
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

  it('are open at the start, until they are closed once', () => {
    const storage = memoryStorage();
    const begun = openGallery(storage);
    offerQuestions(begun);
    expect(begun.front()).toBe(true);
    begun.layout.close('questions');
    const again = openGallery(storage);
    offerQuestions(again);
    expect(again.front()).toBe(false);
    again.layout.reveal('questions');
    expect(again.front()).toBe(true);
    expect(again.questions.getState().atStart).toBe(false);
  });

  it('stay in the background for other layouts and when the user starts with a file', () => {
    const elsewhere = openGallery();
    elsewhere.layout.choose('profile');
    offerQuestions(elsewhere);
    elsewhere.layout.choose('simulate');
    expect(elsewhere.front()).toBe(false);
    const theirs = openGallery();
    const file = { file: { kind: 'library', key: 'mine.json' }, name: 'mine.json', place: 'library' } as const;
    theirs.scenario.open({ draft: theirs.scenario.getState().draft, file, readOnly: false });
    offerQuestions(theirs);
    expect(theirs.front()).toBe(false);
  });

  it('do not count as dismissed when they are closed after a lookup', () => {
    const { layout, questions: store } = openGallery();
    layout.choose('compare');
    layout.reveal('questions');
    layout.close('questions');
    expect(store.getState().atStart).toBe(true);
  });

  it('step from hint to hint, skip dismissed hints, and end with the last one', () => {
    const { questions: store } = openGallery();
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

  it('move their hints when another layout is chosen', () => {
    const { layout, questions: store } = openGallery();
    store.begin(first.id);
    layout.choose('profile');
    expect(store.guide.getState().question).toBeNull();
  });
});

const file: NamedFile = { file: { kind: 'library', key: 'mine.json' }, name: 'mine.json', place: 'library' };

function createStores() {
  const store = createScenarioStore();
  store.open({ draft: { ...emptyDraft, name: 'Test' }, file, readOnly: false });
  return store;
}

describe('the scenario of a run', () => {
  const ran = { kind: 'transport', version: 2, beam: { energy_MeV: 70 }, solver: { variant: 'cuda-fused' } };
  const variants = ['cuda-fused', 'window'].map((id) => ({
    ...{ id, workload: 'transport' },
    reason: id === 'window' ? null : 'no driver',
  })) as unknown as Parameters<typeof isFormOf>[2];
  const here = withoutAbsentVariant(ran, variants);

  it("loses a variant that this machine lacks when it is opened, and still counts as the run's scenario", () => {
    expect(here).toEqual({ ...ran, solver: {} });
    expect(isFormOf(ran, here, variants)).toBe(true);
    expect(withoutAbsentVariant({ ...ran, solver: { variant: 'window' } }, variants)).toMatchObject({
      solver: { variant: 'window' },
    });
  });

  it('counts as a different scenario after an edit, or with another variant of this machine', () => {
    expect(isFormOf(ran, { ...here, beam: { energy_MeV: 71 } }, variants)).toBe(false);
    expect(isFormOf(ran, { ...here, solver: { variant: 'window' } }, variants)).toBe(false);
  });
});

describe('the edited scenario', () => {
  it('undoes and redoes, and detects when it equals the saved file', () => {
    const store = createStores();
    store.edit(['beam', 'energy_MeV'], 100, 'Energy');
    store.edit(['beam', 'angle_deg'], 5, 'Angle');
    expect(isEdited(store.getState())).toBe(true);
    store.undo();
    expect(store.getState().draft).toMatchObject({ beam: { energy_MeV: 100 } });
    expect(store.getState().future.at(-1)?.label).toBe('Angle');
    store.undo();
    expect(isEdited(store.getState())).toBe(false);
    store.undo();
    store.redo();
    store.redo();
    store.redo();
    expect(store.getState().draft).toMatchObject({ beam: { energy_MeV: 100, angle_deg: 5 } });
  });

  it('counts the digits of one number as one edit until the field loses focus', () => {
    const store = createStores();
    for (const value of [1, 15, 150]) store.edit(['beam', 'energy_MeV'], value, 'Energy', 'beam.energy_MeV');
    expect(store.getState().past).toHaveLength(1);
    store.endEdit();
    store.edit(['beam', 'energy_MeV'], 151, 'Energy', 'beam.energy_MeV');
    expect(store.getState().past).toHaveLength(2);
    store.undo();
    expect(store.getState().draft).toMatchObject({ beam: { energy_MeV: 150 } });
  });

  it('drops redo steps after another edit', () => {
    const store = createStores();
    store.edit(['name'], 'A', 'Name');
    store.undo();
    store.edit(['name'], 'B', 'Name');
    expect(store.getState().future).toEqual([]);
  });

  it('leaves no empty objects behind when a value returns to its default', () => {
    const store = createStores();
    store.edit(['grid', 'energy', 'step_mm'], 0.1, 'Range step');
    store.edit(['grid', 'energy', 'step_mm'], undefined, 'Range step');
    expect(store.getState().draft).toEqual({ ...emptyDraft, name: 'Test' });
    expect(isEdited(store.getState())).toBe(false);
  });

  it('does not count an edit without a change', () => {
    const store = createStores();
    store.edit(['beam', 'energy_MeV'], 70, 'Energy');
    store.edit(['solver', 'threads'], undefined, 'Threads');
    expect(store.getState().past).toEqual([]);
  });

  it('treats input typed during saving as unsaved', () => {
    const store = createStores();
    store.edit(['name'], 'A', 'Name');
    const { draft } = store.getState();
    store.edit(['name'], 'B', 'Name');
    store.markSaved(draft, file);
    expect(isEdited(store.getState())).toBe(true);
    store.undo();
    expect(isEdited(store.getState())).toBe(false);
  });

  it('is titled by its file, otherwise by its name, otherwise not at all', () => {
    const store = createScenarioStore();
    expect(documentTitle(store.getState())).toBe('Untitled');
    store.edit(['name'], 'Mine', 'Name');
    expect(documentTitle(store.getState())).toBe('Mine');
    store.markSaved(store.getState().draft, file);
    expect(documentTitle(store.getState())).toBe('mine.json');
    store.markSaved(store.getState().draft, { ...file, name: 'problem.json' });
    expect(documentTitle(store.getState())).toBe('Mine');
  });

  it('keeps the last valid values while an error is corrected', () => {
    const store = createStores();
    const resolved = { variant: 'window' } as never;
    store.checked({ draft: store.getState().draft, issues: [], resolved });
    store.checked({ draft: store.getState().draft, issues: [], resolved: null });
    expect(store.getState().lastResolved).toBe(resolved);
    expect(store.getState().check?.resolved).toBeNull();
  });
});
