import { describe, expect, it } from 'vitest';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import type { OwnVariantInfo } from '../../../electron/contract/own.ts';
import type { ActionContext } from '../../../renderer/actions/context.ts';
import { createOwnActions } from '../../../renderer/actions/own.ts';
import { createOwnStore } from '../../../renderer/state/own.ts';
import { createScenarioStore } from '../../../renderer/state/scenario.ts';

const info = (sha256: string, trusted: boolean): OwnVariantInfo => ({
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
  },
  device: 'cpu',
  sha256,
  trusted,
});

/** Actions over a host whose answers are given by hand. */
function open() {
  const answers: ((variants: readonly OwnVariantInfo[]) => void)[] = [];
  const asked: string[] = [];
  const own = createOwnStore();
  const scenario = createScenarioStore();
  const gather = { workload: 'transport', bench: '', id: 'gather' } as Variant;
  let capabilities = { variants: [gather] };
  const actions = createOwnActions({
    client: {
      call: () => new Promise((resolve) => answers.push((variants) => resolve({ variants, troubles: [] }))),
    },
    stores: {
      own,
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
  return { actions, answers, asked, own, variants: () => capabilities.variants.map(({ id }) => id) };
}

describe('own variants in the page', () => {
  it('are those of the newest question, whichever answer comes last; who asked before waits for it too', async () => {
    const { actions, answers, own, variants } = open();
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
    expect(own.getState().variants.map(({ sha256 }) => sha256)).toEqual(['new']);
    expect(variants()).toEqual(['gather', 'mine.cpp']);

    const older = actions.refresh();
    const newer = actions.refresh();
    answers[3]?.([info('newest', true)]);
    await newer;
    answers[2]?.([]);
    await older;
    expect(own.getState().variants.map(({ sha256 }) => sha256)).toEqual(['newest']);
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
