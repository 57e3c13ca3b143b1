import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../../renderer/actions/context.ts';
import { createRunActions } from '../../../renderer/actions/runs.ts';
import type { UserKernelActions } from '../../../renderer/actions/user-kernels.ts';
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
  };
  const context = { client: host.client, stores } as unknown as ActionContext;
  const runs = createRunActions(context, { trusting: (work: () => unknown) => work() } as unknown as UserKernelActions);
  return { host, runs, shown: () => selection.getState().run };
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
