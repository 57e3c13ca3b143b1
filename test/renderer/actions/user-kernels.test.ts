import { describe, expect, it } from 'vitest';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import type { UserKernelInfo } from '../../../electron/contract/user-kernels.ts';
import type { ActionContext } from '../../../renderer/actions/context.ts';
import { createUserKernelActions } from '../../../renderer/actions/user-kernels.ts';
import { createScenarioStore } from '../../../renderer/state/scenario.ts';
import { createUserKernelStore } from '../../../renderer/state/user-kernels.ts';

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
    answer: '',
    tunables: [],
    conditions: [],
  },
  device: 'cpu',
  sha256,
  trusted,
});

/** Actions over a host whose answers are given by hand. */
function open() {
  const answers: ((variants: readonly UserKernelInfo[]) => void)[] = [];
  const asked: string[] = [];
  const userKernels = createUserKernelStore();
  const scenario = createScenarioStore();
  const gather = { workload: 'transport', bench: '', id: 'gather' } as Variant;
  let capabilities = { variants: [gather] };
  const actions = createUserKernelActions({
    client: {
      call: () => new Promise((resolve) => answers.push((variants) => resolve({ variants, troubles: [] }))),
    },
    stores: {
      userKernels,
      scenario,
      connection: {
        setState: (change: (state: { capabilities: typeof capabilities }) => { capabilities: typeof capabilities }) => {
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
  it('are those of the newest question, whichever answer comes last; who asked before waits for it too', async () => {
    const { actions, answers, userKernels, variants } = open();
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

  it('are asked for trust by what the newest list says, though an older one comes first', async () => {
    const { actions, answers, asked } = open();
    const trusted = actions.trust('mine.cpp');
    const saved = actions.refresh();
    answers[0]?.([]);
    answers[1]?.([info('new', false)]);
    expect(await trusted).toBe(false);
    await saved;
    expect(asked).toEqual(['Do you trust mine.cpp?']);
  });
});
