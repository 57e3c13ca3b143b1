import { describe, expect, it } from 'vitest';
import type { Variant } from '../../../../electron/contract/capabilities.ts';
import type { RunInfo } from '../../../../electron/contract/run.ts';
import type { UserKernelInfo } from '../../../../electron/contract/user-kernels.ts';
import { Overlays } from '../../../../renderer/data/overlays.ts';
import { createDialogsStore } from '../../../../renderer/state/dialogs.ts';
import { createScenarioStore, createUserKernelStore } from '../../../../renderer/state/scenario.ts';
import { createSelectionStore } from '../../../../renderer/state/selection.ts';
import { createTimelinesStore } from '../../../../renderer/state/timelines.ts';
import type { ActionContext } from '../../../../renderer/workbench/actions/context.ts';
import { createDocumentActions } from '../../../../renderer/workbench/actions/document.ts';
import { openCurve } from '../../../../renderer/workbench/actions/import-files.ts';
import { createRunActions } from '../../../../renderer/workbench/actions/runs.ts';
import { safeFileName, withExtension } from '../../../../renderer/workbench/actions/save-file.ts';
import { createTimelineActions } from '../../../../renderer/workbench/actions/timelines.ts';
import {
  createUserKernelActions,
  type UserKernelActions,
} from '../../../../renderer/workbench/actions/user-kernels.ts';
import { FakeHost } from '../../data/fake-host.ts';

describe('names of exported files', () => {
  it('have their extension exactly once', () => {
    expect(withExtension('mine', '.json')).toBe('mine.json');
    expect(withExtension(' mine.JSON ', '.json')).toBe('mine.JSON');
  });

  it('contain no characters or paths that a file system rejects', () => {
    expect(safeFileName('../../etc/passwd')).toBe('-..-etc-passwd');
    expect(safeFileName('a:b*c?"d<e>|f')).toBe('a-b-c-d-e-f');
    expect(safeFileName(' .hidden. ')).toBe('hidden');
    expect(safeFileName('\u0000\u001f')).toBe('-');
    expect(safeFileName('...')).toBe('untitled');
    expect(safeFileName('x'.repeat(500))).toHaveLength(120);
    expect(safeFileName('Wasser, 70 MeV – σ')).toBe('Wasser, 70 MeV – σ');
  });
});

describe('depth doses from files', () => {
  it('are overlaid with a notice that lists ignored columns', async () => {
    const told: unknown[] = [];
    const notices = { show: (notice: unknown) => void told.push(notice) } as never;
    const file = new File(['depth_mm,dose,valid\n1,2,1\n2,3,1\n'], 'tank.csv');
    const overlays = new Overlays({} as never);
    await openCurve(file, overlays, notices);
    expect(overlays.list.getState().items.map(({ name }) => name)).toEqual(['tank.csv']);
    expect(told).toEqual([{ tone: 'success', title: 'Overlaid tank.csv', text: 'Its column "valid" is ignored.' }]);
  });
});

describe('timelines of runs', () => {
  const file = { kind: 'library', key: 'recorded/a.h5' } as const;
  const trace = (id: string) => ({ state: 'open', info: { id } }) as never;

  function createTimelines() {
    const host = new FakeHost();
    const timelines = createTimelinesStore();
    const notices = { fail: (title: string) => expect.unreachable(title) };
    const stores = { timelines, notices, layout: { reveal: () => undefined } };
    const actions = createTimelineActions({ client: host.client, stores } as unknown as ActionContext);
    const closed = () =>
      host.calls.filter(({ method }) => method === 'timeline.close').map(({ params }) => params['trace']);
    return { host, timelines, actions, closed };
  }

  it('a recorded run is offered once, and is replaced by a requested one', async () => {
    const { host, timelines, actions, closed } = createTimelines();
    const offering = actions.offer(file, 'A');
    await Promise.resolve();
    host.pending('timeline.open').answer({ id: 'recorded' });
    await offering;
    timelines.updateList([trace('recorded')]);
    await actions.makeRoom();
    expect(closed()).toEqual([]);

    timelines.updateList([trace('recorded'), trace('mine')]);
    const room = actions.makeRoom();
    host.pending('timeline.close').answer({});
    await room;
    await actions.makeRoom();
    expect(closed()).toEqual(['recorded']);

    timelines.updateList([]);
    await actions.offer(file, 'A');
    expect(host.calls.filter(({ method }) => method === 'timeline.open')).toHaveLength(1);
  });

  it('a timeline closed by the user is not closed again', async () => {
    const { host, timelines, actions, closed } = createTimelines();
    const offering = actions.offer(file, 'A');
    await Promise.resolve();
    host.pending('timeline.open').answer({ id: 'recorded' });
    await offering;
    timelines.updateList([trace('mine')]);
    await actions.makeRoom();
    expect(closed()).toEqual([]);
    expect(timelines.getState().offered).toBeNull();
  });
});

describe('documents of the page', () => {
  const named = (name: string) => ({ kind: 'transport', version: 1, name });

  /**
   * Actions with a host whose answers the test provides; every question about unsaved changes is answered with
   * `answer`.
   */
  function createDocuments(answer: 'cancel' | 'discard' = 'discard') {
    const host = new FakeHost();
    const scenario = createScenarioStore();
    const asked: string[] = [];
    const documents = createDocumentActions({
      client: host.client,
      pages: { page: 'p', previous: [] },
      stores: {
        scenario,
        library: { setState: () => undefined },
        notices: { fail: (title: string) => void asked.push(title), show: () => undefined },
        dialogs: {
          ask: async (_: string, { title }: { title: string }) => {
            asked.push(title);
            return answer;
          },
        },
      },
    } as unknown as ActionContext);
    const turn = () => new Promise((resolve) => setTimeout(resolve));
    return { documents, host, scenario, asked, turn, name: () => scenario.getState().draft['name'] };
  }

  const file = { kind: 'granted', key: 'first.json' } as never;

  describe('opening a document', () => {
    it('shows the last requested document, whichever is read first', async () => {
      const { documents, host, turn, name } = createDocuments();
      const first = documents.openFile(file, 'first.json');
      const dropped = documents.openText('dropped.json', '{}');
      await turn();
      host.pending('scenario.parse').answer({ draft: named('Dropped'), issues: [] });
      expect(await dropped).toBe(true);
      host.pending('scenario.open').answer({
        draft: named('First'),
        issues: [],
        file: { file, name: 'first.json' },
        readOnly: false,
        stamp: '1',
      });
      await turn();
      host.pending('scenario.recent').answer({ files: [] });
      expect(await first).toBe(false);
      expect(name()).toBe('Dropped');
    });

    it('asks before it replaces input typed while the file was read', async () => {
      const { documents, host, scenario, asked, turn } = createDocuments('cancel');
      const opening = documents.openText('slow.json', '{}');
      await turn();
      scenario.edit(['name'], 'Typed', 'Name');
      host.pending('scenario.parse').answer({ draft: named('Slow'), issues: [] });
      expect(await opening).toBe(false);
      expect(asked).toEqual(['Save changes to Typed?']);
      expect(scenario.getState().draft['name']).toBe('Typed');
    });

    it('asks once before earlier edits are discarded', async () => {
      const { documents, host, scenario, asked, turn, name } = createDocuments('discard');
      scenario.edit(['name'], 'Typed', 'Name');
      const opening = documents.openText('slow.json', '{}');
      await turn();
      host.pending('recovery.drop').answer({});
      await turn();
      host.pending('scenario.parse').answer({ draft: named('Slow'), issues: [] });
      expect(await opening).toBe(true);
      expect(asked).toHaveLength(1);
      expect(name()).toBe('Slow');
    });

    it('does not change a document that was opened while another one was saved', async () => {
      const { documents, host, scenario, turn } = createDocuments();
      scenario.open({
        draft: named('First'),
        file: { file, name: 'first.json', place: '' },
        readOnly: false,
        stamp: '1',
      });
      scenario.edit(['name'], 'Edited', 'Name');
      const saving = documents.save();
      await turn();
      scenario.open({ draft: named('Second'), file: null, readOnly: false });
      scenario.edit(['name'], 'Second, edited', 'Name');
      host.pending('scenario.save').answer({ file, name: 'first.json', stamp: '2' });
      await turn();
      host.pending('scenario.recent').answer({ files: [] });
      expect(await saving).toBe(true);
      expect(scenario.getState()).toMatchObject({ file: null, stamp: null, saved: { name: 'Second' } });
      // Imitate later edits of the same document, which are unsaved.
      scenario.open({
        draft: named('Third'),
        file: { file, name: 'first.json', place: '' },
        readOnly: false,
        stamp: '1',
      });
      const again = documents.save();
      await turn();
      scenario.edit(['name'], 'Third, edited', 'Name');
      host.pending('scenario.save').answer({ file, name: 'first.json', stamp: '3' });
      await turn();
      host.pending('scenario.recent').answer({ files: [] });
      await again;
      expect(scenario.getState()).toMatchObject({ stamp: '3', saved: { name: 'Third' } });
    });

    it('reports why a file was not opened, and leaves the form unchanged', async () => {
      const { documents, host, asked, turn, name } = createDocuments();
      const opening = documents.openText('gone.json', '{}');
      await turn();
      host.pending('scenario.parse').fail(new Error('gone'));
      expect(await opening).toBe(false);
      expect(asked).toEqual(['gone.json could not be opened']);
      expect(name()).toBeUndefined();
    });
  });
});

describe('runs in the page', () => {
  /** Actions with a host whose answers the test provides. */
  function createRuns() {
    const host = new FakeHost();
    const selection = createSelectionStore();
    const reset = { reset: () => undefined };
    const stores = {
      ...{ selection, window: reset, image: reset, scenario: createScenarioStore() },
      tracing: { getState: () => ({ on: false }) },
      notices: { fail: (title: string) => expect.unreachable(title) },
      dialogs: createDialogsStore(),
    };
    const context = { client: host.client, stores } as unknown as ActionContext;
    const runs = createRunActions(context, {
      withTrust: (work: () => unknown) => work(),
    } as unknown as UserKernelActions);
    return { host, runs, dialogs: stores.dialogs, shown: () => selection.getState().run };
  }

  const bytes = new Uint8Array();

  describe('the displayed run', () => {
    it('is the last requested one, and a late start replaces nothing', async () => {
      const { host, runs, shown } = createRuns();
      const started = runs.start();
      runs.show('chosen');
      host.pending('run.start').answer({ id: 'started' });
      await started;
      expect(shown()).toBe('chosen');

      const file = runs.openBytes('a.h5', bytes);
      const again = runs.start();
      host.pending('run.start').answer({ id: 'newer' });
      await again;
      host.pending('run.open').answer({ id: 'file' });
      await file;
      expect(shown()).toBe('newer');
    });

    it('is the previous one only if none was requested', async () => {
      const { host, runs, shown } = createRuns();
      runs.offer('latest');
      expect(shown()).toBe('latest');
      const opening = runs.openBytes('a.h5', bytes);
      runs.offer('other');
      expect(shown()).toBe('latest');
      host.pending('run.open').answer({ id: 'file' });
      await opening;
      expect(shown()).toBe('file');
    });
  });

  describe('removing a run from the list', () => {
    const run = { id: 'a', name: 'Long', state: 'done', wall_s: 7200, file: null } as unknown as RunInfo;

    it('asks first if the run was long and is not saved', async () => {
      const { host, runs, dialogs } = createRuns();
      const removed = runs.forget(run);
      expect(dialogs.getState().open?.request).toMatchObject({ title: 'Remove Long without saving?' });
      dialogs.getState().open?.answer('cancel' as never);
      await removed;
      expect(() => host.pending('run.forget')).toThrow();

      const again = runs.forget(run);
      dialogs.getState().open?.answer('remove' as never);
      await expect.poll(() => host.pending('run.forget')).toBeTruthy();
      host.pending('run.forget').answer({});
      await again;
    });

    it('happens at once if the run is saved, was short, or has no result', async () => {
      const { host, runs, dialogs } = createRuns();
      for (const [i, plain] of [
        { ...run, file: { file: 'x', name: 'x.h5', place: '/x.h5' } },
        { ...run, wall_s: 0.4 },
        { ...run, state: 'failed', wall_s: null },
      ].entries()) {
        const removed = runs.forget(plain as unknown as RunInfo);
        await expect.poll(() => host.calls.length).toBe(i + 1);
        expect(dialogs.getState().open).toBeNull();
        host.pending('run.forget').answer({});
        await removed;
      }
    });
  });
});

describe('user kernels', () => {
  const info = (sha256: string, trusted: boolean): UserKernelInfo => ({
    id: 'mine.cpp',
    place: '/home/ada/mine.cpp',
    description: {
      kind: 'variant',
      version: 1,
      workload: 'transport',
      bench: '',
      base: 'gather',
      replaces: 'kernels/transport/cpu/gather.cpp',
      title: 'Own gather',
      changes: '',
      compile: {},
      tunables: [],
      conditions: [],
    },
    answer: null,
    device: 'cpu',
    sha256,
    trusted,
  });

  /** Actions with a host whose answers the test provides. */
  function createUserKernels() {
    const answers: ((variants: readonly UserKernelInfo[]) => void)[] = [];
    const asked: string[] = [];
    const userKernels = createUserKernelStore();
    const scenario = createScenarioStore();
    const gather = { workload: 'transport', bench: '', id: 'gather' } as Variant;
    let capabilities = { variants: [gather] };
    const actions = createUserKernelActions({
      client: {
        call: () =>
          new Promise((resolve) =>
            answers.push((variants) =>
              resolve({ variants, listed: variants.map(({ id }) => ({ ...gather, id })), troubles: [] }),
            ),
          ),
      },
      stores: {
        userKernels,
        scenario,
        connection: {
          setState: (
            change: (state: { capabilities: typeof capabilities }) => { capabilities: typeof capabilities },
          ) => {
            ({ capabilities } = change({ capabilities }));
          },
        },
        dialogs: {
          ask: async (_: string, { title }: { title: string }) => {
            asked.push(title);
            return 'no';
          },
        },
      },
    } as unknown as ActionContext);
    return { actions, answers, asked, userKernels, variants: () => capabilities.variants.map(({ id }) => id) };
  }

  describe('user kernels in the page', () => {
    it('come from the newest request, whichever answer arrives last, and earlier callers wait for it too', async () => {
      const { actions, answers, userKernels, variants } = createUserKernels();
      let told = false;
      const first = actions.refresh().then(() => {
        told = true;
      });
      const second = actions.refresh();
      answers[0]?.([]);
      await new Promise((resolve) => setTimeout(resolve));
      expect(told).toBe(false);
      answers[1]?.([info('new', true)]);
      await Promise.all([first, second]);
      expect(userKernels.getState().variants.map(({ sha256 }) => sha256)).toEqual(['new']);
      expect(variants()).toEqual(['gather', 'mine.cpp']);

      const older = actions.refresh();
      const newer = actions.refresh();
      answers[3]?.([info('newest', true)]);
      await newer;
      answers[2]?.([]);
      await older;
      expect(userKernels.getState().variants.map(({ sha256 }) => sha256)).toEqual(['newest']);
    });

    it('ask for trust according to the newest list, even if an older list arrives first', async () => {
      const { actions, answers, asked } = createUserKernels();
      const trusted = actions.trust('mine.cpp');
      const saved = actions.refresh();
      answers[0]?.([]);
      answers[1]?.([info('new', false)]);
      expect(await trusted).toBe(false);
      await saved;
      expect(asked).toEqual(['Do you trust mine.cpp?']);
    });
  });
});
