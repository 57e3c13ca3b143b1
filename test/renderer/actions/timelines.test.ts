import { expect, it } from 'vitest';
import type { ActionContext } from '../../../renderer/actions/context.ts';
import { createTimelineActions } from '../../../renderer/actions/timelines.ts';
import { createTimelinesStore } from '../../../renderer/state/timelines.ts';
import { FakeHost } from '../data/fake-host.ts';

const file = { kind: 'library', key: 'recorded/a.h5' } as const;
const trace = (id: string) => ({ state: 'open', info: { id } }) as never;

function open() {
  const host = new FakeHost();
  const timelines = createTimelinesStore();
  const notices = { fail: (title: string) => expect.unreachable(title) };
  const stores = { timelines, notices, layout: { reveal: () => undefined } };
  const actions = createTimelineActions({ client: host.client, stores } as unknown as ActionContext);
  const closed = () =>
    host.calls.filter(({ method }) => method === 'timeline.close').map(({ params }) => params['trace']);
  return { host, timelines, actions, closed };
}

it('a recorded run is offered once, and makes room for what somebody asked for', async () => {
  const { host, timelines, actions, closed } = open();
  const offering = actions.offer(file, 'A');
  await Promise.resolve();
  host.pending('timeline.open').answer({ id: 'recorded' });
  await offering;
  timelines.listed([trace('recorded')]);
  await actions.makeRoom();
  expect(closed()).toEqual([]);

  timelines.listed([trace('recorded'), trace('mine')]);
  const room = actions.makeRoom();
  host.pending('timeline.close').answer({});
  await room;
  await actions.makeRoom();
  expect(closed()).toEqual(['recorded']);

  timelines.listed([]);
  await actions.offer(file, 'A');
  expect(host.calls.filter(({ method }) => method === 'timeline.open')).toHaveLength(1);
});

it('one that the user has closed is not closed again', async () => {
  const { host, timelines, actions, closed } = open();
  const offering = actions.offer(file, 'A');
  await Promise.resolve();
  host.pending('timeline.open').answer({ id: 'recorded' });
  await offering;
  timelines.listed([trace('mine')]);
  await actions.makeRoom();
  expect(closed()).toEqual([]);
  expect(timelines.getState().offered).toBeNull();
});
