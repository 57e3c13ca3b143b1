/**
 * Runs of small measured workloads through the host: program and machine in their sessions, and their timeline. Also
 * diffraction runs, which a page starts, follows, reads, saves and opens.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImageFrame } from '../../../electron/contract/image.ts';
import type { RunProgress } from '../../../electron/contract/run.ts';
import { benchOnThread } from '../../../electron/host/app/benches/thread.ts';
import { defaultGpu } from '../../../electron/host/io/addon/gpu.ts';
import { forkChild } from '../../../electron/host/io/processes/link.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';
import { parseTaskSession } from '../../../electron/host/workloads/task/index.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { eventually, openTestHost, type TestHost } from './test-host.ts';
import { smallImage } from './workloads/small-image.ts';

describe('runs of a small workload', () => {
  const launch = {
    kind: 'micro',
    version: 1,
    name: 'Launches',
    problem: { kind: 'launch', n: 2000, steps: 5 },
    solver: { variant: 'cpu-fused', threads: 2 },
  } as const;

  let test: TestHost;
  let page: Client;
  let run: string;
  /** Workloads sent to the benchmarks' thread. */
  const onThread: string[] = [];
  const perform = benchOnThread(forkChild, () => undefined);
  beforeAll(async () => {
    test = await openTestHost({
      performBench: (task, onProgress, signal) => {
        onThread.push(task.workload);
        return perform(task, onProgress, signal);
      },
    });
    page = await test.page();
    run = (await page.call('run.start', { scenario: { ...launch }, name: '', file: null })).id;
    expect(await test.host.runs.waitForEnd(run)).toMatchObject({ state: 'done', error: null });
  });
  afterAll(() => test.close());

  it('save the commit, the program, the machine, the driver and the clocks with every sample', async () => {
    const { addon, commit } = test.host;
    const key = 'launch.task.json';
    await page.call('run.save', { run, file: { kind: 'library', key }, ifExists: 'refuse' });
    const text = await readFile(path.join(test.folder, 'library', key), 'utf8');
    const [report] = parseTaskSession(text, key).reports;
    const { version, build, compiler } = addon.buildInfo();
    expect(report?.program).toEqual({ version, build, compiler, ...(commit === null ? {} : { commit }) });
    expect(report?.machine).toMatchObject({ cpu: addon.machine().cpu, os: addon.machine().os });
    const gpu = defaultGpu(addon.devices());
    if (gpu === null) expect(report?.machine.gpu).toBeNull();
    else expect(report?.machine.gpu).toMatchObject({ name: gpu.name, driver: addon.devices().cuda.driver });
    expect(report?.document).toEqual(launch);
    const measured = (report?.entries ?? []).flatMap((entry) => (entry.status === 'measured' ? [entry] : []));
    expect(measured.map(({ label }) => label)).toEqual(['cpu-passes', 'cpu-fused']);
    // Samples on a GPU have a clock rate, samples on the CPU have none.
    for (const { device, samples } of measured) {
      expect(samples.length).toBeGreaterThan(0);
      for (const { sm_MHz } of samples) expect(sm_MHz === null).toBe(device === 'cpu');
    }
  });

  it('need at least the estimated minimum time', async () => {
    const { addon, scenarios } = test.host;
    const reading = await scenarios.check({ ...launch }, { name: 'launch', folder: null });
    const { least_s } = await hostWorkloads.micro.needs(addon, reading);
    // At least six instances of three rounds, with two variants and a control, of a hundredth of a second each.
    expect(least_s).toBeGreaterThanOrEqual(0.5);
    const key = 'elapsed.task.json';
    await page.call('run.save', { run, file: { kind: 'library', key }, ifExists: 'refuse' });
    const [report] = parseTaskSession(await readFile(path.join(test.folder, 'library', key), 'utf8'), key).reports;
    expect(report?.elapsed_s).toBeGreaterThanOrEqual(least_s ?? Number.POSITIVE_INFINITY);
  });

  it('have a timeline with a lane for each variant and its work, sent separately from the results', async () => {
    const info = await page.call('timeline.open', { source: { kind: 'run', run } });
    expect(info.lanes.map(({ process, name }) => [process, name])).toEqual([
      ['cpu-passes', 'samples'],
      ['cpu-fused', 'samples'],
    ]);
    const found = async (text: string) =>
      (await page.call('timeline.search', { trace: info.id, text, limit: 10 })).count;
    // One preparation for each instance of two variants.
    const prepared = await found('prepare');
    expect(prepared % 2).toBe(0);
    expect(prepared).toBeGreaterThanOrEqual(2 * 3);
    expect(await found('check')).toBe(2);
    expect(await found('repetitions')).toBeGreaterThan(14);
    // Opened from its file, the timeline is the same.
    const source = { kind: 'file', file: { kind: 'library', key: 'launch.task.json' } } as const;
    expect((await page.call('timeline.open', { source })).spans).toBe(info.spans);
    const session = await page.call('task.session', { run });
    expect(session.reports[0]).not.toHaveProperty('recordings');
  });

  it('are measured on the benchmark thread, and end between two samples when they are stopped', {
    tags: 'slow',
  }, async () => {
    expect(onThread).toEqual(['micro']);
    // Forty rounds of a sixteenth of a second leave time to stop. Even on a machine ten times slower, the limit of 20 s
    // does not end them first.
    const scenario = { ...launch, problem: { kind: 'launch', n: 500_000, steps: 100 } };
    const { id } = await page.call('run.start', { scenario, name: '', file: null });
    const rounds = new Promise<void>((resolve) => {
      page.stream(
        'run.progress',
        { run: id },
        {
          frame: ({ detail }) => {
            if ('round' in detail && detail.phase === 'rounds' && detail.round >= 2) resolve();
          },
        },
      );
    });
    await rounds;
    await page.call('run.cancel', { run: id });
    expect(await test.host.runs.waitForEnd(id)).toMatchObject({ state: 'cancelled', error: null });
    const [report] = (await page.call('task.session', { run: id })).reports;
    expect(report?.stopped).toBe('cancelled');
    // Only complete rounds are in the session, so each variant has the same number of samples.
    for (const entry of report?.entries ?? []) {
      expect(entry.status === 'measured' ? entry.samples.length : 0).toBe(report?.rounds);
    }
  });

  it('include edits of the scenario in their name, unless they were renamed', async () => {
    const edited = { ...launch, problem: { ...launch.problem, n: 1000 }, solver: { ...launch.solver, threads: 1 } };
    const start = async (scenario: typeof edited | (Omit<typeof edited, 'name'> & { name: string })) => {
      const { id, name } = await page.call('run.start', { scenario, name: '', file: null, saved: { ...launch } });
      await test.host.runs.waitForEnd(id);
      return name;
    };
    // The number of threads is a setting of the solver, and not part of the name.
    expect(await start(edited)).toBe('Launches (problem.n = 1000)');
    expect(await start({ ...edited, name: 'Few launches' })).toBe('Few launches');
  });
});

describe('runs of an image', () => {
  const whole = { viewport: { horizontal: null, vertical: null, pixels: [64, 64] as [number, number] } };
  /** The run is stopped after the check, even on a loaded machine, because it would end many seconds later. */
  const long = {
    ...smallImage,
    name: 'Long',
    crystal: { ...smallImage.crystal, mosaic_spread_deg: 1, mosaic_domains: 4000 },
    detector: { width: 128, height: 128 },
    solver: { variant: 'diffraction-reference', threads: 1 },
  };

  let test: TestHost;
  let page: Client;
  beforeEach(async () => {
    test = await openTestHost();
    page = await test.page();
  });
  afterEach(() => test.close());

  async function runImage(document: object = smallImage): Promise<string> {
    const { id } = await page.call('run.start', { scenario: { ...document } as Record<string, unknown>, name: '' });
    await test.host.runs.waitForEnd(id);
    return id;
  }

  describe('a diffraction run', () => {
    it('is checked, resolved, run and listed like a transport run', async () => {
      const { issues, resolved } = await page.call('scenario.resolve', { scenario: { ...smallImage } });
      expect(issues).toEqual([]);
      expect(resolved).toMatchObject({ kind: 'diffraction', width: 32, height: 24, orientations: 1, reflections: 0 });
      const faulty = { ...smallImage, detector: { width: 0 } };
      expect((await page.call('scenario.resolve', { scenario: faulty })).issues).toMatchObject([
        { path: 'detector.width', severity: 'error' },
      ]);
      await expect(page.call('run.start', { scenario: faulty, name: '' })).rejects.toMatchObject({ code: 'invalid' });
      const id = await runImage();
      const { runs } = await page.call('run.list', {});
      expect(runs[0]).toMatchObject({
        id,
        workload: 'diffraction',
        state: 'done',
        size: '32 × 24 pixels',
        name: 'Small',
      });
      const summary = await page.call('image.summary', { run: id });
      expect(runs[0]?.headline).toEqual({ name: 'max', value: summary.image.max, unit: 'photons' });
      // A call that exists only for transport runs is rejected with a message.
      await expect(page.call('run.summary', { run: id })).rejects.toMatchObject({
        code: 'unsupported',
        message: 'Small is a run of diffraction, not of transport.',
      });
    });

    it('shows its image downsampled, its pixels and peaks, and its difference from another image', async () => {
      const id = await runImage();
      const { map, done } = await page.call('image.view', { run: id, view: whole });
      expect([done, map.horizontal.count, map.vertical.count]).toEqual([1, 32, 24]);
      const summary = await page.call('image.summary', { run: id });
      expect(map.max).toBe(summary.image.max);
      expect(map.values.reduce((a, b) => a + b, 0)).toBeCloseTo(summary.image.sum, 2);
      const quarter = { viewport: { ...whole.viewport, pixels: [16, 12] as [number, number] } };
      const mean = await page.call('image.view', { run: id, view: { ...quarter, statistic: 'mean' } });
      const most = await page.call('image.view', { run: id, view: { ...quarter, statistic: 'max' } });
      expect([mean.map.horizontal.count, mean.map.horizontal.cellsPerSample]).toEqual([16, 2]);
      // Each map names its statistic, so that maxima are never summed.
      expect([map.statistic, mean.map.statistic, most.map.statistic]).toEqual(['mean', 'mean', 'max']);
      expect(Math.max(...most.map.values)).toBe(summary.image.max);
      expect(mean.map.values.every((value, i) => value <= (most.map.values[i] ?? 0))).toBe(true);
      const { fast, slow } = summary.brightest;
      const pixel = await page.call('image.pixel', { run: id, fast, slow });
      expect(pixel.photons).toBe(summary.image.max);
      await expect(page.call('image.pixel', { run: id, fast: 32, slow: 0 })).rejects.toMatchObject({
        code: 'not-found',
      });
      const { peaks } = await page.call('image.peaks', { run: id, count: 3 });
      expect(peaks[0]).toMatchObject({ pixel: [fast, slow], photons: summary.image.max });
      expect(peaks.map(({ photons }) => photons)).toEqual(peaks.map(({ photons }) => photons).sort((a, b) => b - a));

      const naive = await runImage({ ...smallImage, solver: { variant: 'diffraction-naive-fp32', threads: 1 } });
      const error = await page.call('image.error', { run: naive, reference: id });
      expect(error.rel_l2).toBeGreaterThan(0);
      expect(error.bright ?? Number.NaN).toBeGreaterThan(error.sum ?? Number.NaN);
      const difference = await page.call('image.view', { run: naive, view: whole, against: id });
      expect(difference.map.quantity).toBe('photons difference');
      expect(difference.map.min).toBeLessThan(0);
      expect(await page.call('image.error', { run: id, reference: id })).toEqual({
        rel_l2: 0,
        mean: 0,
        correlation: 1,
        max: 0,
        bright: 0,
        sum: 0,
      });
      const larger = await runImage({ ...smallImage, detector: { width: 40, height: 24 } });
      await expect(page.call('image.error', { run: larger, reference: id })).rejects.toMatchObject({
        code: 'unsupported',
        message: 'The images differ in size: 40 × 24 pixels and 32 × 24 pixels.',
      });
    });

    it('shows its growing image to viewers, and ends when it is stopped', { tags: 'slow' }, async () => {
      const { id } = await page.call('run.start', { scenario: { ...long }, name: '' });
      const [frames, progress]: [ImageFrame[], RunProgress[]] = [[], []];
      page.stream('run.progress', { run: id }, { frame: (value) => void progress.push(value) });
      page.stream('image.live', { run: id, view: whole }, { frame: (value) => void frames.push(value) });
      await eventually(() => frames.filter(({ done }) => done > 0).length >= 3);
      await page.call('run.cancel', { run: id });
      const info = await test.host.runs.waitForEnd(id);
      expect(info).toMatchObject({ state: 'cancelled', error: null });
      const { done, image } = await page.call('image.summary', { run: id });
      expect(done).toBeGreaterThan(0);
      expect(done).toBeLessThan(1);
      expect(image.sum).toBeGreaterThan(0);
      expect(frames.map((frame) => frame.done)).toEqual(frames.map((frame) => frame.done).sort((a, b) => a - b));
      expect(progress.at(-1)?.detail).toMatchObject({ workload: 'diffraction' });
    });

    it('is saved, opened again with the same bits, found in the library, and exported as image files', async () => {
      const id = await runImage();
      await page.call('run.save', { run: id, file: { kind: 'library', key: 'small.h5' }, ifExists: 'refuse' });
      const opened = await page.call('run.open', {
        source: { kind: 'file', file: { kind: 'library', key: 'small.h5' } },
      });
      expect(opened).toMatchObject({ workload: 'diffraction', state: 'done', size: '32 × 24 pixels' });
      expect(await page.call('image.error', { run: opened.id, reference: id })).toMatchObject({ max: 0, sum: 0 });
      const found = await page.call('library.search', {
        place: 'yours',
        text: '32 × 24',
        kind: 'run',
        tag: null,
        order: 'name',
        limit: 10,
      });
      expect(found.items).toMatchObject([{ fileName: 'small.h5', facts: { workload: 'diffraction', about: '6.2 Å' } }]);
      const raw = await page.call('run.export', { run: id, what: 'raw' });
      expect([raw.name, raw.bytes.length]).toEqual(['Small.bin', 4 * 32 * 24]);
      const smv = await page.call('run.export', { run: id, what: 'smv' });
      expect([smv.name, smv.bytes.length]).toEqual(['Small.img', 512 + 2 * 32 * 24]);
      const peaks = await page.call('run.export', { run: id, what: 'peaks' });
      expect(new TextDecoder().decode(peaks.bytes)).toMatch(
        /^pixel_fast,pixel_slow,fast,slow,photons,h,k,l,resolution_A/,
      );
      await expect(page.call('run.export', { run: id, what: 'dose' })).rejects.toMatchObject({ code: 'unsupported' });
      // The work of its threads is a timeline, as for any run.
      const trace = await page.call('timeline.open', { source: { kind: 'run', run: id } });
      expect(trace.spans).toBeGreaterThan(0);
    });
  });
});
