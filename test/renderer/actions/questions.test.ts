import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { ActionContext } from '../../../renderer/actions/context.ts';
import { createQuestionActions, curveOfBeam, type QuestionParts } from '../../../renderer/actions/questions.ts';
import { questions } from '../../../renderer/base/questions.ts';
import { createComparisonStore, referenceIndex, shownRows } from '../../../renderer/state/comparison.ts';
import { createLayoutStore } from '../../../renderer/state/layout/store.ts';
import { memoryStorage } from '../../../renderer/state/persisted.ts';
import { createQuestionsStore } from '../../../renderer/state/questions.ts';
import { createRunsStore } from '../../../renderer/state/runs.ts';
import { createScenarioStore, isEdited } from '../../../renderer/state/scenario.ts';
import { createSelectionStore } from '../../../renderer/state/selection.ts';
import { createUserKernelStore } from '../../../renderer/state/user-kernels.ts';
import { pageWorkloads } from '../../../renderer/workloads/index.ts';
import { FakeHost } from '../data/fake-host.ts';

const byKind = (kind: string) => {
  const found = questions.find(({ example }) => example.kind === kind);
  if (found === undefined) throw new Error(`no question of kind ${kind}`);
  return found;
};

function open({ mayLeave = true } = {}) {
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
    notices: { fail: (title: string, error: unknown) => expect.unreachable(`${title}: ${error}`), tell: vi.fn() },
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

/** As a machine without a GPU has them. */
const variants = [{ id: 'cuda-fused', workload: 'transport', bench: '', reason: 'no driver' }];

const session = (labels: readonly string[]) => ({
  session: { reports: [{ entries: labels.map((label) => ({ label, status: 'measured' })) }] },
});

describe('a question', () => {
  it('solves its scenario in its layout, with its hints', async () => {
    const { actions, stores, started } = open();
    const { id, layout } = byKind('run');
    stores.layout.choose('profile');
    await actions.open(id);
    expect(started).toHaveBeenCalledOnce();
    expect(stores.layout.getState().shown).toBe(layout);
    expect(stores.questions.guide.getState().question).toBe(id);
  });

  it('does not wait for the run of the one before, and leaves the user’s own alone', async () => {
    const { actions, stores, started, stopped } = open();
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

  it('changes nothing where the user wants to keep what is in the form', async () => {
    const { actions, stores, started, shown, host } = open({ mayLeave: false });
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

  it('opens a recorded run with what runs here in the place of its variant', async () => {
    const { actions, stores, host, shown } = open();
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

  it('shows a session against its reference, and takes it away for the next, but nothing of the user’s', async () => {
    const { actions, stores, host } = open();
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

  it('that is answered after the next one was asked does nothing more', async () => {
    const { actions, stores, host } = open();
    const late = actions.open(byKind('session').id);
    await vi.waitFor(() => host.pending('bench.session'));
    await actions.open(byKind('kernel').id);
    host.pending('bench.session').answer(session(['a']));
    await late;
    expect(shownRows(stores.comparison.getState())).toEqual([]);
    expect(stores.userKernels.getState().wanted).not.toBeNull();
  });
});

describe('a beam of the Monte Carlo', () => {
  const file = path.resolve(import.meta.dirname, '../../../assets/reference/topas-water-depth-dose.csv');
  const text = readFileSync(file, 'utf8');

  it('is that of the energy, in MeV/mm: its dose over depth leaves no more than the beam has', () => {
    const { example } = byKind('monte-carlo');
    const energy = example.kind === 'monte-carlo' ? example.energy_MeV : Number.NaN;
    const { depth_mm, dose, unit } = curveOfBeam(text, energy);
    expect(unit).toBe('MeV/mm');
    expect(depth_mm.every((depth, i) => i === 0 || depth > (depth_mm[i - 1] ?? 0))).toBe(true);
    const deposited = dose.reduce(
      (sum, value, i) => sum + value * ((depth_mm[i + 1] ?? depth_mm[i] ?? 0) - (depth_mm[i] ?? 0)),
      0,
    );
    expect(deposited / energy).toBeGreaterThan(0.94);
    expect(deposited / energy).toBeLessThan(1);
  });

  it('is refused where the file has none of that energy', () => {
    expect(() => curveOfBeam(text, 70)).toThrow('No beam of 70 MeV');
  });
});
