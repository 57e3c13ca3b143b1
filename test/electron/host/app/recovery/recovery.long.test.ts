/**
 * Repeats the checks of `recovery.test.ts` for every other workload and signal. That file covers runs of transport and
 * Ctrl+C.
 */
import { describe, expect, it } from 'vitest';
import { runOf } from '../../../../../electron/host/workloads/run-data.ts';
import { EARLY_CHECKPOINTS, list, useKilledHosts } from './killed-hosts.ts';
import { slowImage, slowTask } from './slow.ts';

const killedHosts = useKilledHosts();
const { openNextHost: again, crashHost: crash, runStates: notes } = killedHosts;

describe('work on a host that was killed', () => {
  it('restores the finished rows of an image, equal to those of the complete image', async () => {
    await crash('running', async () => (await notes()).length > 0, 'diffraction');
    const opened = await again();
    const page = await opened.page();
    const [item, ...others] = await list(page);
    expect(others).toEqual([]);
    if (item?.kind !== 'run') throw new Error('no run was offered');
    expect(item).toMatchObject({ title: 'slow image', finished: false });
    const run = await page.call('recovery.run', { id: item.id });
    expect(run).toMatchObject({ state: 'cancelled', workload: 'diffraction', size: '512 × 512 pixels', file: null });
    const { done, image } = await page.call('image.summary', { run: run.id });
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(1);
    const data = runOf('diffraction', await opened.host.runs.data(run.id));
    const whole = (row: number): boolean => data.image.subarray(row * 512, (row + 1) * 512).every((value) => value > 0);
    const rows = Array.from({ length: 512 }, (_, row) => whole(row)).filter(Boolean).length;
    expect(rows / 512).toBeCloseTo(done, 2);
    expect(image.sum).toBeGreaterThan(0);
    expect(await page.call('run.scenario', { run: run.id })).toEqual({ scenario: slowImage });
    expect(await list(page)).toEqual([]);
  });

  it('restores the complete rounds of a measurement', async () => {
    await crash('running', async () => (await notes()).length > 0, 'linear-relu');
    const opened = await again();
    const page = await opened.page();
    const [item, ...others] = await list(page);
    expect(others).toEqual([]);
    if (item?.kind !== 'run') throw new Error('no run was offered');
    expect(item).toMatchObject({ title: 'slow measurement', finished: false });
    const rounds = Number(/^(\d+) rounds?$/.exec(item.upTo)?.[1]);
    expect(rounds).toBeGreaterThan(0);
    const run = await page.call('recovery.run', { id: item.id });
    expect(run).toMatchObject({ state: 'cancelled', workload: 'linear-relu', name: 'slow measurement', file: null });
    const data = runOf('linear-relu', await opened.host.runs.data(run.id));
    const [report] = data.session.reports;
    expect(report).toMatchObject({ rounds, stopped: 'cancelled', document: slowTask });
    for (const entry of report?.entries ?? []) {
      expect(entry.status === 'measured' ? entry.samples.length : rounds).toBe(rounds);
    }
    expect(await page.call('run.scenario', { run: run.id })).toEqual({ scenario: slowTask });
    expect(await list(page)).toEqual([]);
    // Once the result is saved, its checkpoint is deleted.
    const file = { kind: 'library', key: 'rest.task.json' } as const;
    await page.call('run.save', { run: run.id, file, ifExists: 'refuse' });
    await expect.poll(notes).toEqual([]);
  });

  it('restores a finished run that was not saved', async () => {
    await crash('ended', async () => (await notes()).some(({ finished }) => finished));
    const page = await (await again()).page();
    const [item] = await list(page);
    expect(item).toMatchObject({ kind: 'run', finished: true });
    const run = await page.call('recovery.run', { id: item?.id ?? '' });
    // A run that its user stopped counts as ended, and its last keyframe is at its last step.
    expect(run.state).toBe('cancelled');
    const { steps } = await page.call('run.summary', { run: run.id });
    const { frames } = await page.call('run.keyframes', { run: run.id });
    expect(frames.at(-1)?.step).toBe(steps);
  });
});

describe('a server that is stopped', () => {
  it.each([
    // This case uses the default time of the first checkpoint.
    { signal: 'SIGTERM', from: {} },
    { signal: 'SIGHUP', from: EARLY_CHECKPOINTS },
  ] as const)('saves its unsaved run on $signal', async ({ signal, from }) => {
    const said = await killedHosts.signalServer(signal, async () => (await notes()).length === 1, from);
    expect(said).toContain('1 run not saved: saved, and offered at the next start.');
    expect(await list(await (await again()).page())).toMatchObject([{ kind: 'run', title: 'slow run' }]);
  });
});
