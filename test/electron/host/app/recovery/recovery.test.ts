/** kill -9 during an edit and during a run: nothing that was saved is lost, and the rest is offered. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Recoverable } from '../../../../../electron/contract/recovery.ts';
import { runOf } from '../../../../../electron/host/workloads/run-data.ts';
import { testProgram } from '../../../../test-programs.ts';
import { smallScenario } from '../../small-run.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';
import { imageWork, slowImage, slowScenario, slowTask, taskWork, transportWork } from './slow.ts';

/** Runs are kept from their first moments on: what they compute until then is computed for nobody. */
const AT_ONCE = { BRAGGBENCH_KEPT_FROM_MS: '100' };

let folder: string;
let host: TestHost | null = null;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-recovery-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await host?.close();
  host = null;
  await rm(folder, { recursive: true, force: true });
});

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

/** Starts killed.ts, waits until it is ready and `until` holds, and kills it as a crash does. */
async function crash(
  what: 'edit' | 'running' | 'ended',
  until: () => Promise<boolean>,
  workload = 'transport',
): Promise<void> {
  const child = spawn(process.execPath, [testProgram('killed-host'), folder, what, workload], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...AT_ONCE },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`it ended by itself with ${code}`)));
    });
    const end = Date.now() + 60_000;
    while (!(await until())) {
      if (Date.now() > end) throw new Error('what was waited for did not come');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    child.kill('SIGKILL');
    await ended(child);
  }
}

async function notes(): Promise<{ finished: boolean; step: number }[]> {
  const root = path.join(folder, 'recovery');
  const found: { finished: boolean; step: number }[] = [];
  for (const owner of await readdir(root).catch(() => [])) {
    for (const name of await readdir(path.join(root, owner))) {
      if (/^run-.*\.json$/.test(name)) found.push(JSON.parse(await readFile(path.join(root, owner, name), 'utf8')));
    }
  }
  return found;
}

async function again(): Promise<TestHost> {
  host = await openTestHost({
    dataFolder: folder,
    shell: { kind: 'browser', dialogs: false, window: false, menus: false },
  });
  return host;
}

const list = async (page: Awaited<ReturnType<TestHost['page']>>): Promise<readonly Recoverable[]> =>
  (await page.call('recovery.list', { pages: [] })).items;

describe('a host that was killed', () => {
  it.each([
    { workload: 'transport', work: transportWork },
    { workload: 'diffraction', work: imageWork },
    { workload: 'linear-relu', work: taskWork },
  ])('while scenarios of $workload were edited: the files are as saved, the edits are offered', async (killed) => {
    await crash('edit', async () => true, killed.workload);
    const [saved, edit] = killed.work;
    const page = await (await again()).page();
    const opened = await page.call('scenario.open', { file: { kind: 'library', key: 'mine.json' } });
    expect(opened.draft).toEqual(saved);
    const items = await list(page);
    expect(items.map(({ kind, title }) => [kind, title]).sort()).toEqual([
      ['draft', 'Untitled'],
      ['draft', 'mine.json'],
    ]);
    const mine = items.find(({ title }) => title === 'mine.json');
    expect(mine).toMatchObject({ place: path.join(folder, 'library', 'mine.json') });
    const kept = await page.call('recovery.draft', { id: mine?.id ?? '' });
    expect(kept).toMatchObject({
      title: 'mine.json',
      file: { file: { kind: 'library', key: 'mine.json' } },
      draft: edit,
    });
    for (const { id } of items) await page.call('recovery.discard', { id });
    expect(await list(page)).toEqual([]);
    // Nothing is left of the dead process.
    expect(await readdir(path.join(folder, 'recovery'))).toEqual([]);
  });

  it('while a run computed: what it had computed is a run again, with a ledger that closes', async () => {
    await crash('running', async () => (await notes()).length > 0);
    const page = await (await again()).page();
    const [item, ...others] = await list(page);
    expect(others).toEqual([]);
    if (item?.kind !== 'run') throw new Error('no run was offered');
    expect(item).toMatchObject({ title: 'slow run', finished: false });
    const steps = Number(/^(\d+) steps?, [\d.]+ mm deep$/.exec(item.upTo)?.[1]);
    expect(steps).toBeGreaterThan(0);
    const run = await page.call('recovery.run', { id: item.id });
    expect(run).toMatchObject({ state: 'cancelled', name: 'slow run', file: null });
    const summary = await page.call('run.summary', { run: run.id });
    expect(summary.steps).toBe(steps);
    expect(summary.ledger.energy.rel_error).toBeLessThan(1e-12);
    expect(summary.metrics.energy_deposited_MeV).toBeGreaterThan(0);
    const { curve } = await page.call('run.depthDose', { run: run.id });
    const dz_mm = slowScenario.grid.dz_mm;
    const deposited = curve.values.reduce((sum, value) => sum + value, 0) * dz_mm;
    expect(deposited).toBeCloseTo(summary.metrics.energy_deposited_MeV, 6);
    expect((await page.call('run.keyframes', { run: run.id })).frames[0]?.step).toBe(0);
    expect(await page.call('run.scenario', { run: run.id })).toEqual({ scenario: slowScenario });
    // It is this program's now: not offered again, kept until it is saved.
    expect(await list(page)).toEqual([]);
    expect(await notes()).toHaveLength(1);
    const file = { kind: 'library', key: 'rest.h5' } as const;
    await page.call('run.save', { run: run.id, file, ifExists: 'refuse' });
    await expect.poll(notes).toEqual([]);
  });

  it('while an image was computed: the rows that were done are an image again, the same as those of a whole one', async () => {
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

  it('while variants were measured: the rounds that were whole are a measurement again', async () => {
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
    // Saved, it is no longer kept.
    const file = { kind: 'library', key: 'rest.task.json' } as const;
    await page.call('run.save', { run: run.id, file, ifExists: 'refuse' });
    await expect.poll(notes).toEqual([]);
  });

  it('with a run that had ended and was not saved: it is whole', async () => {
    await crash('ended', async () => (await notes()).some(({ finished }) => finished));
    const page = await (await again()).page();
    const [item] = await list(page);
    expect(item).toMatchObject({ kind: 'run', finished: true });
    const run = await page.call('recovery.run', { id: item?.id ?? '' });
    // Stopped by its user: that too is an end, with the last keyframe where it stopped.
    expect(run.state).toBe('cancelled');
    const { steps } = await page.call('run.summary', { run: run.id });
    const { frames } = await page.call('run.keyframes', { run: run.id });
    expect(frames.at(-1)?.step).toBe(steps);
  });
});

describe('a server that is told to end', () => {
  it('keeps runs that were not saved for the next start, as a crash does', async () => {
    vi.stubEnv('BRAGGBENCH_KEPT_FROM_MS', AT_ONCE.BRAGGBENCH_KEPT_FROM_MS);
    const first = await again();
    const page = await first.page();
    const { id } = await page.call('run.start', { scenario: { ...slowScenario }, name: '' });
    await expect.poll(notes).toHaveLength(1);
    await page.call('run.cancel', { run: id });
    await first.host.runs.ended(id);
    await expect.poll(async () => (await notes()).map(({ finished }) => finished)).toEqual([true]);
    expect(await first.host.close('keep')).toEqual({ kept: 1, lost: 0 });
    const second = await openTestHost({ dataFolder: folder });
    expect(await list(await second.page())).toMatchObject([{ kind: 'run', title: 'slow run', finished: true }]);
    await second.host.close();
    host = null;
  });

  it('says how many runs ended too soon to be kept', async () => {
    const first = await again();
    const page = await first.page();
    for (const name of ['a', 'b']) {
      const { id } = await page.call('run.start', { scenario: { ...smallScenario, name }, name: '' });
      await first.host.runs.ended(id);
    }
    const file = { kind: 'library', key: 'a.h5' } as const;
    const [{ id = '' } = {}] = (await page.call('run.list', {})).runs;
    await page.call('run.save', { run: id, file, ifExists: 'refuse' });
    expect(await first.host.close('keep')).toEqual({ kept: 0, lost: 1 });
    host = null;
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('by %s too', async (signal) => {
    // Once with the time that the program itself gives a run.
    const from = signal === 'SIGTERM' ? {} : AT_ONCE;
    const environment = { ...process.env, BRAGGBENCH_HOME: folder, ...from };
    const child = spawn(process.execPath, [testProgram('served-run')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    try {
      await expect.poll(notes).toHaveLength(1);
      child.kill(signal);
      await ended(child);
    } finally {
      child.kill('SIGKILL');
    }
    expect(said).toContain('1 run not saved: kept, and offered at the next start.');
    expect(await list(await (await again()).page())).toMatchObject([{ kind: 'run', title: 'slow run' }]);
  });
});

describe('a host that lives', () => {
  const page1 = { page: 'page-one' };
  const draft = { ...smallScenario };

  it('offers the edits of a page that was loaded anew to that page alone, and nothing after they were saved', async () => {
    const page = await (await again()).page();
    await page.call('recovery.keep', { ...page1, title: 'A', file: null, draft });
    expect(await list(page)).toEqual([]);
    expect((await page.call('recovery.list', { pages: ['page-one'] })).items).toMatchObject([{ title: 'A' }]);
    await page.call('recovery.drop', page1);
    expect((await page.call('recovery.list', { pages: ['page-one'] })).items).toEqual([]);
  });

  it('leaves nothing behind when it ends in order, except what no page has saved', async () => {
    const first = await again();
    await (await first.page()).call('recovery.keep', { ...page1, title: 'A', file: null, draft });
    await first.host.close();
    const second = await openTestHost({ dataFolder: folder });
    expect(await list(await second.page())).toMatchObject([{ title: 'A', kind: 'draft' }]);
    await second.host.close();
    host = null;
  });

  it('does not trip over what other programs put there', async () => {
    const page = await (await again()).page();
    await page.call('recovery.keep', { ...page1, title: 'A', file: null, draft });
    const [own = ''] = await readdir(path.join(folder, 'recovery'));
    await writeFile(path.join(folder, 'recovery', own, 'draft-broken00.json'), '{ "version": 1');
    expect((await page.call('recovery.list', { pages: ['broken00'] })).items).toEqual([]);
    for (const id of ['nowhere~draft-x.json', `${own}~../../settings.json`, `${own}~owner.json`, 'x']) {
      await expect(page.call('recovery.discard', { id })).rejects.toMatchObject({ code: 'not-found' });
    }
  });
});

describe('one file in two windows', () => {
  it('is told to both, also of two programs, until one of them lets it go', async () => {
    const first = await again();
    const second = await openTestHost({ dataFolder: folder });
    const [a, b] = [await first.page(), await second.page()];
    const file = { kind: 'library', key: 'mine.json' } as const;
    await a.call('scenario.save', { scenario: { ...smallScenario }, file, ifExists: 'refuse' });
    const tell = async (page: typeof a, id: string, open: boolean): Promise<number> =>
      (await page.call('document.presence', { page: id, file: open ? file : null })).others;
    expect(await tell(a, 'window-a', true)).toBe(0);
    expect(await tell(b, 'window-b', true)).toBe(1);
    expect(await tell(a, 'window-a', true)).toBe(1);
    expect(await tell(b, 'window-b', false)).toBe(0);
    expect(await tell(a, 'window-a', true)).toBe(0);
    const example = { kind: 'library', key: 'water-70MeV.json' } as const;
    for (const id of ['window-a', 'window-b']) {
      expect(await a.call('document.presence', { page: id, file: example })).toEqual({ others: 0 });
    }
    await second.host.close();
  });

  it('is not replaced when the other has changed it, unless that is wanted', async () => {
    const page = await (await again()).page();
    const file = { kind: 'library', key: 'mine.json' } as const;
    const scenario = { ...smallScenario };
    const { stamp } = await page.call('scenario.save', { scenario, file, ifExists: 'refuse' });
    const opened = await page.call('scenario.open', { file });
    expect(opened.stamp).toBe(stamp);
    const theirs = await page.call('scenario.save', {
      scenario: { ...scenario, name: 'theirs' },
      file,
      ifExists: 'replace',
      stamp,
    });
    expect(theirs.stamp).not.toBe(stamp);
    const mine = { scenario: { ...scenario, name: 'mine' }, file, ifExists: 'replace' } as const;
    await expect(page.call('scenario.save', { ...mine, stamp })).rejects.toMatchObject({
      code: 'exists',
      message: expect.stringContaining('mine.json was changed by another window or program'),
    });
    expect((await page.call('scenario.open', { file })).draft).toMatchObject({ name: 'theirs' });
    await page.call('scenario.save', mine);
    expect((await page.call('scenario.open', { file })).draft).toMatchObject({ name: 'mine' });
  });
});
