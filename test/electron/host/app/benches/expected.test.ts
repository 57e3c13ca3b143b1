/** The expected time of a benchmark, over the real protocol and the real engine. */
import { expect, test } from 'vitest';
import type { ExpectedTime } from '../../../../../electron/contract/bench/benches.ts';
import { expectedTimes } from '../../../../../electron/host/app/benches/expected.ts';
import { hostOfFile } from '../../host-of-file.ts';
import { smallScenario, tinyScenario } from '../../small-run.ts';

const { test_, page } = await hostOfFile();

const expected = async (scenario: object): Promise<(variant: string) => ExpectedTime | undefined> => {
  const { times } = await page.call('bench.expected', { scenario: { ...scenario } });
  return (variant) => times.find((one) => one.variant === variant);
};

test('before anything was measured here, a processor’s times are by what its threads usually do', async () => {
  const [small, larger] = [await expected(tinyScenario), await expected(smallScenario)];
  expect(small('gather')?.run_s).toBeGreaterThan(0);
  expect(larger('gather')?.run_s ?? 0).toBeGreaterThan(small('gather')?.run_s ?? Number.NaN);
  expect(small('gather')?.like).toBeNull();
  // It is what others are held against, and nobody's choice.
  expect(small('reference')?.run_s).toBeNull();
});

test('variants that follow the beam have the forecast of the form, also after a run here', async () => {
  const scenario = { ...tinyScenario, solver: { ...tinyScenario.solver, variant: 'window' } };
  const ofForm = async (): Promise<number | undefined> => {
    const { resolved } = await page.call('scenario.resolve', { scenario, file: null });
    return resolved?.kind === 'transport' ? resolved.expected?.seconds : undefined;
  };
  const before = await ofForm();
  expect(before).toBeGreaterThan(0);
  expect((await expected(scenario))('window')?.run_s).toBeCloseTo(before ?? Number.NaN, 12);
  const { id } = await page.call('run.start', { scenario, name: '' });
  const { wall_s } = await test_.host.runs.ended(id);
  const after = await ofForm();
  expect((await expected(scenario))('window')?.run_s).toBeCloseTo(after ?? Number.NaN, 12);
  // Learned from the run: the time of its steps, without its set-up.
  expect(after).not.toBe(before);
  expect(after).toBeGreaterThan(0);
  expect(after).toBeLessThan(wall_s ?? 0);
});

test('a session of another host with a processor of this name says nothing of this machine', async () => {
  const here = { id: 'a', cpu: 'A processor', logical_cores: 2, memory_bytes: 8e9, gpu: null };
  const entry = { label: 'window', status: 'measured', device: 'cpu', threads: 2, setup_s: 0, wall_s: 1, time_s: 1 };
  const session = (machine: object) =>
    ({ created: '2026-11-01', reports: [{ entries: [entry], machine: { ...machine, gpus: [] } }] }) as never;
  const amount = async () => ({ amount: 100, of: 'cells', threads: 2, usualRate: 10, right: true });
  const addon = { devices: () => ({ cuda: { devices: [] } }) } as never;
  const problem = { problem: {}, reading: {} } as never;
  const times = (machine: object) =>
    expectedTimes(
      addon,
      { amount } as never,
      problem,
      ['window'],
      [{ session: session(machine), problem: async () => problem }],
      here,
    );
  // 100 cells by two threads of ten a second.
  expect(await times({ ...here, id: 'b', logical_cores: 16 })).toMatchObject([{ run_s: 5 }]);
  expect(await times({ ...here, id: 'b' })).toMatchObject([{ run_s: 5 }]);
  // Its own session took a second.
  expect(await times(here)).toMatchObject([{ run_s: 1 }]);
});

test('a scenario with errors has none', async () => {
  expect((await page.call('bench.expected', { scenario: { beam: { energy_MeV: -1 } } })).times).toEqual([]);
});

test('a session of this machine says what its variants take, also on a larger problem', async () => {
  const asked = { scenario: { ...tinyScenario }, name: 's', variants: ['gather'], rounds: 5, processes: 0 };
  const { id } = await page.call('bench.start', asked);
  await test_.host.benches.ended(id);
  const { session } = await page.call('bench.session', { bench: id });
  const entry = session.reports[0]?.entries[0];
  if (entry?.status !== 'measured') throw new Error('gather was not measured');
  const [same, larger] = [await expected(tinyScenario), await expected(smallScenario)];
  expect(same('gather')?.run_s).toBeCloseTo(entry.wall_s ?? Number.NaN, 10);
  expect(larger('gather')?.run_s ?? 0).toBeGreaterThan(entry.wall_s ?? Number.NaN);
  expect(same('gather')?.right).toBe(true);
});
