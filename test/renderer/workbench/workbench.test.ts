/**
 * State that is cleared when another document is opened. Also the sessions that a page shows: those that end while it
 * is open, and after a reload the newest of each workload.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { createComparisonStore } from '../../../renderer/state/comparison.ts';
import { createQuestionsStore } from '../../../renderer/state/questions.ts';
import { awaitsFirstDocument, createScenarioStore, emptyDraft } from '../../../renderer/state/scenario.ts';
import { createSelectionStore } from '../../../renderer/state/selection.ts';
import { followBenches, followDocument, validateOnChange } from '../../../renderer/workbench/follow.ts';

describe('changing the kind of document', () => {
  function createPage() {
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

  it('switches maps, curves and hints to the kind of the opened document', () => {
    const { scenario, selection, questions, overlays } = createPage();
    scenario.open(document);
    expect(selection.getState().run).toBeNull();
    expect(questions.guide.getState().question).toBeNull();
    expect(overlays.clear).toHaveBeenCalledOnce();
  });

  it('keeps the maps of the run whose scenario is opened', () => {
    const { scenario, selection } = createPage();
    scenario.open({ ...document, ofRun: 'run-1' });
    expect(selection.getState().run).toBe('run-1');
  });

  it('keeps everything while the document is edited', () => {
    const { scenario, selection, questions, overlays } = createPage();
    scenario.edit(['name'], 'edited', 'Name');
    scenario.undo();
    expect(selection.getState().run).toBe('run-1');
    expect(questions.guide.getState().question).toBe('monte-carlo');
    expect(overlays.clear).not.toHaveBeenCalled();
  });
});

describe('checking the form', () => {
  /** A host that finds no issue, and records the drafts that it received. */
  function hostWithoutIssues(openFirst: unknown) {
    const asked: unknown[] = [];
    const callCancellable = (_method: string, { scenario }: { readonly scenario: unknown }) => {
      asked.push(scenario);
      return Promise.resolve({ status: 'done', value: { issues: [], resolved: null } });
    };
    const scenario = createScenarioStore();
    const recheck = validateOnChange({ capabilities: { openFirst }, callCancellable } as unknown as Client, scenario);
    return { asked, scenario, recheck };
  }

  const first = { kind: 'library', key: 'sum.json' } as const;
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('begins with the empty document if no document is to be opened', async () => {
    const { asked, scenario } = hostWithoutIssues(null);
    await vi.runAllTimersAsync();
    expect(asked).toEqual([emptyDraft]);
    expect(scenario.getState().check?.issues).toEqual([]);
  });

  it('leaves the empty document unchecked and not runnable until the first document has been opened', async () => {
    const { asked, scenario, recheck } = hostWithoutIssues(first);
    recheck();
    await vi.runAllTimersAsync();
    expect(asked).toEqual([]);
    expect(awaitsFirstDocument(scenario.getState(), first)).toBe(true);
    const draft = { ...emptyDraft, name: 'sum' };
    scenario.open({ draft, file: null, readOnly: false });
    await vi.runAllTimersAsync();
    expect(asked).toEqual([draft]);
    expect(awaitsFirstDocument(scenario.getState(), first)).toBe(false);
  });

  it('treats an edited document as the requested one', () => {
    const { scenario } = hostWithoutIssues(first);
    scenario.edit(['name'], 'edited', 'Name');
    expect(awaitsFirstDocument(scenario.getState(), first)).toBe(false);
  });

  it('checks the empty document if the first document could not be opened', async () => {
    const { asked, scenario } = hostWithoutIssues({ kind: 'library', key: 'gone.json' });
    scenario.open({ draft: emptyDraft, file: null, readOnly: false });
    await vi.runAllTimersAsync();
    expect(asked).toEqual([emptyDraft]);
  });
});

describe('sessions shown in Compare', () => {
  type Benches = { readonly benches: readonly BenchInfo[] };

  const bench = (id: string, state: BenchInfo['state'], workload: BenchInfo['workload'] = 'transport'): BenchInfo =>
    ({
      id,
      state,
      workload,
      subjects: [{ subject: { kind: 'entry', bench: id, report: 0, label: 'window' }, title: 'window' }],
    }) as unknown as BenchInfo;

  function createComparePage() {
    let send: (frame: Benches) => void = () => undefined;
    const stream = (name: string, _params: object, { frame }: { readonly frame: (frame: Benches) => void }) => {
      if (name === 'benches') send = frame;
      return { close: () => undefined };
    };
    const store = createComparisonStore();
    followBenches({ stream } as unknown as Client, store, { painted: async () => undefined } as never);
    const rows = () =>
      store.getState().chosen.map(({ subject }) => (subject.kind === 'run' ? subject.run : subject.bench));
    return { send: (benches: readonly BenchInfo[]) => send({ benches }), rows, store };
  }

  it('include the newest session of each workload after a reload, and a comparison stays with its scenario', () => {
    const { send, rows, store } = createComparePage();
    // Newest first, as the host lists them.
    send([bench('c', 'cancelled', 'diffraction'), bench('b', 'done'), bench('a', 'done'), bench('failed', 'failed')]);
    expect(rows()).toEqual(['b', 'c']);
    expect(store.getState().workload).toBe('transport');
  });

  it('include an ended session, in place of the one shown by a reloaded page', () => {
    const { send, rows } = createComparePage();
    send([bench('new', 'running'), bench('old', 'done')]);
    expect(rows()).toEqual(['old']);
    send([bench('new', 'done'), bench('old', 'done')]);
    expect(rows()).toEqual(['new']);
    send([bench('recovered', 'done'), bench('new', 'done'), bench('old', 'done')]);
    expect(rows()).toEqual(['new']);
  });
});
