/**
 * Measures cold samples in every instance. `npm test` measures only one, because the caches are emptied before each.
 */
import { expect, test } from 'vitest';
import { sessionReportSchema } from '../../../../electron/contract/bench/session.ts';
import { loadAddon } from '../../../../electron/host/io/addon/addon.ts';
import { createLimits } from '../../../../electron/host/model/bench/stopping.ts';
import { benchInProcess, measuredEntry } from '../test-host.ts';

test('every variant has as many cold samples as rounds, from all of its instances', async () => {
  const problem = {
    ...{ workload: 'micro', bench: 'launch', variant: 'auto', threads: 1, memory_limit_bytes: 1e9, seed: 1 },
    ...{ numbers: { n: 2000, steps: 50 }, words: {}, switches: {} },
  } as const;
  const report = await benchInProcess(
    loadAddon(),
    { kind: 'micro', problem },
    {
      ...{ scenario: 's', seed: 1, limits: createLimits(9, 600), sample_s: 1e-4 },
      variants: ['cpu-passes', 'cpu-fused', 'cuda-fused'],
      modes: ['warm', 'cold', 'graph'],
    },
  );
  expect(sessionReportSchema.parse(report)).toEqual(report);
  expect(report.rounds).toBe(9);
  for (const label of ['cpu-passes', 'cpu-fused']) {
    const entry = measuredEntry(report, label);
    expect(entry.samples.map(({ instance }) => instance)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2]);
    const cold = entry.modes.find(({ mode }) => mode === 'cold');
    expect(cold).toMatchObject({ reason: null });
    expect(cold?.samples).toHaveLength(9);
  }
});
