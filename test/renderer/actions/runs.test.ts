import { describe, expect, it } from 'vitest';
import type { RunInfo } from '../../../electron/contract/run.ts';
import type { ActionContext } from '../../../renderer/actions/context.ts';
import { createRunActions } from '../../../renderer/actions/runs.ts';
import type { UserKernelActions } from '../../../renderer/actions/user-kernels.ts';
import { createDialogsStore } from '../../../renderer/state/dialogs.ts';
import { createScenarioStore } from '../../../renderer/state/scenario.ts';
import { createSelectionStore } from '../../../renderer/state/selection.ts';
import { FakeHost } from '../data/fake-host.ts';

/** Actions over a host whose answers are given by hand. */
function open() {
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
  const runs = createRunActions(context, { trusting: (work: () => unknown) => work() } as unknown as UserKernelActions);
  return { host, runs, dialogs: stores.dialogs, shown: () => selection.getState().run };
}

const bytes = new Uint8Array();

describe('what is shown', () => {
  it('is what was asked for last: a start that is answered late takes the place of nothing', async () => {
    const { host, runs, shown } = open();
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

  it('is what there was before only where nothing was asked for', async () => {
    const { host, runs, shown } = open();
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

describe('a run that is removed from the list', () => {
  const run = { id: 'a', name: 'Long', state: 'done', wall_s: 7200, file: null } as unknown as RunInfo;

  it('is asked about first where it took long and is in no file', async () => {
    const { host, runs, dialogs } = open();
    const removed = runs.forget(run);
    expect(dialogs.getState().open?.request).toMatchObject({ title: 'Remove Long unsaved?' });
    dialogs.getState().open?.answer('cancel' as never);
    await removed;
    expect(() => host.pending('run.forget')).toThrow();

    const again = runs.forget(run);
    dialogs.getState().open?.answer('remove' as never);
    await expect.poll(() => host.pending('run.forget')).toBeTruthy();
    host.pending('run.forget').answer({});
    await again;
  });

  it('goes at once where it is saved, took a moment, or has no result', async () => {
    const { host, runs, dialogs } = open();
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
