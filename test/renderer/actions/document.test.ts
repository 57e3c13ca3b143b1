import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../../renderer/actions/context.ts';
import { createDocumentActions } from '../../../renderer/actions/document.ts';
import { createScenarioStore } from '../../../renderer/state/scenario.ts';
import { FakeHost } from '../data/fake-host.ts';

const named = (name: string) => ({ kind: 'transport', version: 1, name });

/** Actions over a host whose answers are given by hand; every question about unsaved changes is answered `answer`. */
function open(answer: 'cancel' | 'discard' = 'discard') {
  const host = new FakeHost();
  const scenario = createScenarioStore();
  const asked: string[] = [];
  const documents = createDocumentActions({
    client: host.client,
    pages: { page: 'p', previous: [] },
    stores: {
      scenario,
      library: { setState: () => undefined },
      notices: { fail: (title: string) => void asked.push(title) },
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

describe('opening documents', () => {
  it('leaves in the form what was asked for last, whichever is read sooner', async () => {
    const { documents, host, turn, name } = open();
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

  it('asks before it replaces what was typed while the file was read', async () => {
    const { documents, host, scenario, asked, turn } = open('cancel');
    const opening = documents.openText('slow.json', '{}');
    await turn();
    scenario.edit(['name'], 'Typed', 'Name');
    host.pending('scenario.parse').answer({ draft: named('Slow'), issues: [] });
    expect(await opening).toBe(false);
    expect(asked).toEqual(['Save changes to Typed?']);
    expect(scenario.getState().draft['name']).toBe('Typed');
  });

  it('asks once where what was edited before is given up', async () => {
    const { documents, host, scenario, asked, turn, name } = open('discard');
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

  it('says why a file was not opened, and leaves the form as it was', async () => {
    const { documents, host, asked, turn, name } = open();
    const opening = documents.openText('gone.json', '{}');
    await turn();
    host.pending('scenario.parse').fail(new Error('gone'));
    expect(await opening).toBe(false);
    expect(asked).toEqual(['gone.json was not opened']);
    expect(name()).toBeUndefined();
  });
});
