/** What a benchmark is likely to take, over the real protocol and the real engine. */
import { expect, test } from 'vitest';
import type { ExpectedTime } from '../../../../../electron/contract/bench/benches.ts';
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
