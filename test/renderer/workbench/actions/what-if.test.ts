import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MapRequest, RunInfo } from '../../../../electron/contract/run.ts';
import { valueAt } from '../../../../electron/contract/scenario/index.ts';
import { questions } from '../../../../renderer/base/questions.ts';
import type { RunFeed } from '../../../../renderer/data/run-feed.ts';
import { topasBeam } from '../../../../renderer/data/topas.ts';
import { FrameScheduler } from '../../../../renderer/drawing/scheduler.ts';
import { createComparisonStore, referenceIndex, shownRows } from '../../../../renderer/state/comparison.ts';
import { createLayoutStore } from '../../../../renderer/state/layout/store.ts';
import { memoryStorage } from '../../../../renderer/state/persisted.ts';
import { createQuestionsStore } from '../../../../renderer/state/questions.ts';
import { createRunsStore, createWhatIfStore } from '../../../../renderer/state/runs.ts';
import { createScenarioStore, createUserKernelStore, isEdited } from '../../../../renderer/state/scenario.ts';
import { createSelectionStore } from '../../../../renderer/state/selection.ts';
import type { ActionContext, Stores } from '../../../../renderer/workbench/actions/context.ts';
import { createQuestionActions, type QuestionParts } from '../../../../renderer/workbench/actions/questions.ts';
import { createWhatIfActions } from '../../../../renderer/workbench/actions/what-if.ts';
import { pageWorkloads } from '../../../../renderer/workloads/index.ts';
import { FakeHost } from '../../data/fake-host.ts';

describe('opening guided questions', () => {
  const byKind = (kind: string) => {
    const found = questions.find(({ example }) => example.kind === kind);
    if (found === undefined) throw new Error(`no question of kind ${kind}`);
    return found;
  };

  function openQuestions({ mayLeave = true } = {}) {
    const host = new FakeHost();
    const stores = {
      comparison: createComparisonStore(),
      layout: createLayoutStore(memoryStorage(), vi.fn(), pageWorkloads),
      questions: createQuestionsStore(memoryStorage(), vi.fn()),
      scenario: createScenarioStore(),
      userKernels: createUserKernelStore(),
      runs: createRunsStore(),
      selection: createSelectionStore(),
      connection: { getState: () => ({ capabilities: { variants } }) },
      notices: { fail: (title: string, error: unknown) => expect.unreachable(`${title}: ${error}`), show: vi.fn() },
    };
    const started = vi.fn(async () => undefined);
    const shown = vi.fn();
    const stopped = vi.fn();
    const parts = {
      documents: { openFile: async () => mayLeave, openRun: async () => mayLeave },
      runs: { start: started, show: shown, stop: stopped },
    } as unknown as QuestionParts;
    const actions = createQuestionActions({ client: host.client, stores } as unknown as ActionContext, parts);
    return { host, stores, actions, started, shown, stopped };
  }

  /** Variants as on a machine without a GPU. */
  const variants = [{ id: 'cuda-fused', workload: 'transport', bench: '', reason: 'no driver' }];

  const session = (labels: readonly string[]) => ({
    session: { reports: [{ entries: labels.map((label) => ({ label, status: 'measured' })) }] },
  });

  describe('a guided question', () => {
    it('solves its scenario in its layout, with its hints', async () => {
      const { actions, stores, started } = openQuestions();
      const { id, layout } = byKind('run');
      stores.layout.choose('profile');
      await actions.open(id);
      expect(started).toHaveBeenCalledOnce();
      expect(stores.layout.getState().shown).toBe(layout);
      expect(stores.questions.guide.getState().question).toBe(id);
    });

    it("does not wait for the run of the previous question, and does not replace the user's run", async () => {
      const { actions, stores, started, stopped } = openQuestions();
      const running = (id: string) => ({ id, state: 'running' }) as RunInfo;
      stores.runs.setState({ runs: [running('mine')], listed: true });
      await actions.open(byKind('kernel').id);
      expect(stopped).not.toHaveBeenCalled();
      started.mockImplementation(async () => {
        stores.runs.setState({ runs: [running('asked'), running('mine')] });
        stores.selection.setState({ run: 'asked' });
      });
      await actions.open(byKind('run').id);
      await actions.open(byKind('kernel').id);
      await actions.open(byKind('kernel').id);
      expect(stopped.mock.calls).toEqual([['asked']]);
    });

    it('changes nothing if the user wants to keep the form', async () => {
      const { actions, stores, started, shown, host } = openQuestions({ mayLeave: false });
      await actions.open(byKind('run').id);
      const opening = actions.open(byKind('recorded').id);
      host.pending('run.open').answer({ id: 'recorded' });
      await vi.waitFor(() => host.pending('run.forget').answer({}));
      await opening;
      expect(started).not.toHaveBeenCalled();
      expect(shown).not.toHaveBeenCalled();
      expect(stores.layout.getState().shown).toBe('simulate');
      expect(stores.questions.guide.getState().question).toBeNull();
    });

    it('opens a recorded run with an available variant instead of its own', async () => {
      const { actions, stores, host, shown } = openQuestions();
      const draft = { kind: 'transport', version: 2, beam: { energy_MeV: 70 }, solver: { variant: 'cuda-fused' } };
      stores.scenario.replace(draft, 'the run’s own');
      const opening = actions.open(byKind('recorded').id);
      host.pending('run.open').answer({ id: 'recorded' });
      await opening;
      expect(shown).toHaveBeenCalledExactlyOnceWith('recorded');
      const { draft: here } = stores.scenario.getState();
      expect(here).toMatchObject({ kind: 'transport', beam: { energy_MeV: 70 } });
      expect(valueAt(here, ['solver', 'variant'])).toBeUndefined();
      expect(isEdited(stores.scenario.getState())).toBe(false);
    });

    it('shows a session relative to its reference, and removes only that session for the next question', async () => {
      const { actions, stores, host } = openQuestions();
      const { id, example } = byKind('session');
      const reference = example.kind === 'session' ? example.reference : '';
      const { comparison } = stores;
      comparison.add(comparison.getState().workload, [{ kind: 'run', run: 'mine' }]);
      for (const [before, labels] of [['before'], ['fast', reference]].entries()) {
        const opening = actions.open(id);
        await vi.waitFor(() => expect(host.calls.length).toBe(before + 1));
        host.pending('bench.session').answer(session(labels));
        await opening;
      }
      expect(shownRows(comparison.getState()).map(({ key }) => key.split(' ').at(-1))).toEqual([
        'mine',
        'fast',
        reference,
      ]);
      expect(referenceIndex(comparison.getState())).toBe(2);
      expect(comparison.getState().tableWanted).toBe(true);
    });

    it('has no further effect if it is answered after the next one was opened', async () => {
      const { actions, stores, host } = openQuestions();
      const late = actions.open(byKind('session').id);
      await vi.waitFor(() => host.pending('bench.session'));
      await actions.open(byKind('kernel').id);
      host.pending('bench.session').answer(session(['a']));
      await late;
      expect(shownRows(stores.comparison.getState())).toEqual([]);
      expect(stores.userKernels.getState().requestedVariant).not.toBeNull();
    });
  });

  describe('a Monte Carlo beam', () => {
    it('has its energy in MeV/mm, and the dose over depth contains no more than the beam', () => {
      const { example } = byKind('monte-carlo');
      const energy = example.kind === 'monte-carlo' ? example.energy_MeV : Number.NaN;
      const { depth_mm, dose, unit } = topasBeam(energy);
      expect(unit).toBe('MeV/mm');
      expect(depth_mm.every((depth, i) => i === 0 || depth > (depth_mm[i - 1] ?? 0))).toBe(true);
      const deposited = dose.reduce(
        (sum, value, i) => sum + value * ((depth_mm[i + 1] ?? depth_mm[i] ?? 0) - (depth_mm[i] ?? 0)),
        0,
      );
      expect(deposited / energy).toBeGreaterThan(0.94);
      expect(deposited / energy).toBeLessThan(1);
    });

    it('is rejected if the file has no such energy', () => {
      expect(() => topasBeam(70)).toThrow('has no beam of 70 MeV');
    });
  });
});

describe('Live on the page', () => {
  const FRAME_MS = 16;
  const own = { id: 'own', live: true } as RunInfo;

  function openLive() {
    const host = new FakeHost();
    const stores = {
      scenario: createScenarioStore(),
      selection: createSelectionStore(),
      runs: createRunsStore(),
      whatIf: createWhatIfStore(),
      notices: { fail: vi.fn() },
    } as unknown as Stores;
    stores.runs.setState({ live: [own] });
    stores.selection.setState({ run: 'before' });
    const scheduler = new FrameScheduler({
      request: (callback) => Number(setTimeout(() => callback(0), FRAME_MS)),
      now: () => 0,
    });
    const drawn: number[] = [];
    const feed = {
      requestedMaps: (): readonly (readonly [string, MapRequest])[] => [],
      showAnswer: ({ sequence }: { sequence: number }) => void drawn.push(sequence),
    } as unknown as RunFeed;
    // A client's call rejects once the stream has ended, and the error is reported only once.
    const context = { client: host.client, stores, feed, scheduler } as unknown as Parameters<
      typeof createWhatIfActions
    >[0];
    const live = createWhatIfActions(context);
    const asked = () => host.calls.map(({ params }) => params);
    const edit = (energy: number) => stores.scenario.edit(['beam', 'energy_MeV'], energy, 'Energy', 'energy');
    const answer = (sequence: number, full = false) =>
      host.streams[0]?.frame({ state: 'answer', sequence, run: 'own', full, way: {}, solve_ms: 1, total_ms: 2 });
    const state = () => stores.whatIf.getState();
    return { host, stores, live, drawn, asked, edit, answer, state };
  }

  const frames = (count: number) => vi.advanceTimersByTimeAsync(count * FRAME_MS + 1);

  describe('Live updates', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('request an answer once per frame, however often the scenario is edited, and the full answer at rest', async () => {
      const { live, asked, edit } = openLive();
      live.toggle();
      await frames(1);
      expect(asked()).toMatchObject([{ sequence: 1, full: false }]);
      for (let energy = 60; energy < 70; energy += 1) edit(energy);
      await frames(1);
      expect(asked()).toHaveLength(2);
      expect(asked()[1]).toMatchObject({ sequence: 2, full: false, scenario: { beam: { energy_MeV: 69 } } });
      await vi.advanceTimersByTimeAsync(400);
      expect(asked()).toHaveLength(3);
      expect(asked()[2]).toMatchObject({ sequence: 3, full: true, scenario: { beam: { energy_MeV: 69 } } });
      await vi.advanceTimersByTimeAsync(5000);
      expect(asked()).toHaveLength(3);
    });

    it('draw newer answers, and none older than the drawn one', async () => {
      const { live, drawn, edit, answer, state, stores } = openLive();
      live.toggle();
      for (const energy of [60, 61, 62]) {
        edit(energy);
        await frames(1);
      }
      answer(2);
      answer(1);
      answer(3);
      expect(drawn).toEqual([2, 3]);
      expect(stores.selection.getState().run).toBe('own');
      expect(state()).toMatchObject({ run: 'own', answer: { sequence: 3, full: false }, phase: 'answered' });
    });

    it('delay an answer whose run is not listed yet', async () => {
      const { live, drawn, answer, stores } = openLive();
      stores.runs.setState({ live: [] });
      live.toggle();
      await frames(1);
      answer(1);
      expect(drawn).toEqual([]);
      stores.runs.setState({ live: [own] });
      expect(drawn).toEqual([1]);
    });

    it('keep the last answer and show the reason when a request is rejected, until the next answer', async () => {
      const { host, live, drawn, edit, answer, state } = openLive();
      live.toggle();
      await frames(1);
      answer(1);
      edit(-6);
      await frames(1);
      const refused = {
        state: 'refused',
        error: { code: 'invalid', message: 'beam.energy_MeV: no', issues: [] },
        issues: [],
      };
      host.streams[0]?.frame({ ...refused, sequence: 1 });
      expect(state()).toMatchObject({ phase: 'solving', refusal: null });
      host.streams[0]?.frame({ ...refused, sequence: 2 });
      expect(state()).toMatchObject({
        on: true,
        phase: 'refused',
        refusal: 'beam.energy_MeV: no',
        answer: { sequence: 1 },
      });
      edit(60);
      await frames(1);
      expect(state().phase).toBe('refused');
      answer(3);
      expect(state()).toMatchObject({ phase: 'answered', refusal: null });
      expect(drawn).toEqual([1, 3]);
    });

    it('count the answers drawn in the last second of a drag', async () => {
      const { live, edit, answer, state } = openLive();
      live.toggle();
      await frames(1);
      for (let i = 0; i < 20; i += 1) {
        edit(60 + i);
        await vi.advanceTimersByTimeAsync(100);
        answer(i + 2);
      }
      await frames(1);
      expect(state().perSecond).toBeCloseTo(10, 0);
      expect(state().latency_ms).toBeGreaterThan(99);
      await vi.advanceTimersByTimeAsync(400);
      expect(state()).toMatchObject({ perSecond: null, resting: true });
    });

    it('report the delay between edit and drawing for the full answer too', async () => {
      const { live, asked, answer, edit, state } = openLive();
      live.toggle();
      await frames(1);
      answer(1);
      edit(60);
      await vi.advanceTimersByTimeAsync(100);
      answer(2);
      await frames(1);
      const dragging = state().latency_ms ?? 0;
      await vi.advanceTimersByTimeAsync(5000);
      answer(asked().length, true);
      await frames(2);
      expect(state()).toMatchObject({ answer: { full: true }, resting: true });
      expect(state().latency_ms).toBeGreaterThan(dragging + 5000);
    });

    it('close their session when Live is switched off, and show the previous run', async () => {
      const { host, live, edit, asked, answer, state, stores } = openLive();
      live.toggle();
      await frames(1);
      answer(1);
      live.toggle();
      expect(host.streams[0]?.closed).toBe(true);
      expect(state()).toMatchObject({ on: false, run: null });
      expect(stores.selection.getState().run).toBe('before');
      edit(70);
      await vi.advanceTimersByTimeAsync(1000);
      expect(asked()).toHaveLength(1);
      live.toggle();
      await frames(1);
      expect(host.streams).toHaveLength(2);
      expect(host.streams[1]?.params['session']).not.toBe(host.streams[0]?.params['session']);
    });

    it('end when a run is started or selected, which is then shown', async () => {
      const { host, live, answer, state, stores } = openLive();
      live.toggle();
      await frames(1);
      answer(1);
      stores.selection.setState({ run: 'started' });
      expect(state().on).toBe(false);
      expect(host.streams[0]?.closed).toBe(true);
      expect(stores.selection.getState().run).toBe('started');
    });

    it('end with the reason when the host ends them, and with a document of another kind', async () => {
      const { host, live, state, stores } = openLive();
      live.toggle();
      await frames(1);
      const lost = new Error('the GPU has fallen off the bus');
      host.streams[0]?.end(lost);
      expect(state().on).toBe(false);
      expect(stores.notices.fail).toHaveBeenCalledWith('Live was switched off', lost);
      live.toggle();
      expect(state().on).toBe(true);
      stores.scenario.open({ draft: { kind: 'diffraction' }, file: null, readOnly: false });
      expect(state().on).toBe(false);
      live.toggle();
      expect(state().on).toBe(false);
    });
  });
});
