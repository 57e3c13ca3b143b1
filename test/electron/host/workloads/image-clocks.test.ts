/** Clocks of every sample of an image session: recorded, flagged if they dropped or were throttled, and reported. */

import { expect, test } from 'vitest';
import { environmentFacts } from '../../../../electron/contract/bench/environment.ts';
import { sessionReportSchema } from '../../../../electron/contract/bench/session.ts';
import type { ClockState } from '../../../../electron/contract/devices.ts';
import type { NativeAddon } from '../../../../electron/host/io/addon/addon.ts';
import { limitsOf } from '../../../../electron/host/model/bench/stopping.ts';
import { benchHere, measuredIn } from '../bench-here.ts';
import { addon } from '../model/scenarios/open.ts';
import { smallProblem } from './image.ts';

const state = (sm_MHz: number, reasons: string[] = []): ClockState => ({
  ...{ sm_MHz, reasons, throttled: reasons.length > 0 },
  ...{ memory_MHz: null, power_W: null, powerLimit_W: null, temperature_C: null },
});

/** The engine with simulated GPU clocks: each read returns the next of `readings`. */
function withClocks(readings: readonly ClockState[]): NativeAddon {
  let next = 0;
  return {
    ...addon,
    createDiffraction: (problem) => {
      const run = addon.createDiffraction(problem);
      return {
        ...run,
        start: async (onProgress, measuring = {}) => {
          const result = await run.start(onProgress, measuring);
          if (measuring.clocks !== true) return result;
          const after = readings[next] ?? null;
          next += 1;
          return { ...result, clocks: { before: after, after } };
        },
      };
    },
  };
}

test('a sample under a dropped or throttled clock is flagged, kept, and told in every form of the session', async () => {
  // Two series a round, the second the control; the clocks of the first runs are not read.
  const [best, dropped, hot] = [state(1980), state(1500), state(1980, ['hardware-thermal'])];
  const readings = [best, best, best, best, dropped, dropped, best, best, hot, hot, best, best];
  const problem = { kind: 'diffraction', problem: await smallProblem() } as const;
  const report = await benchHere(withClocks(readings), problem, {
    scenario: 'Small',
    variants: ['diffraction-fp64'],
    seed: 1,
    limits: limitsOf(6, 60),
  });
  const entry = measuredIn(report, 'diffraction-fp64');
  expect(entry.samples.map(({ sm_MHz, flag }) => ({ sm_MHz, flag }))).toEqual([
    { sm_MHz: 1980, flag: null },
    { sm_MHz: 1980, flag: null },
    { sm_MHz: 1500, flag: 'clock at 1500 MHz, 1980 MHz at best' },
    { sm_MHz: 1980, flag: null },
    { sm_MHz: 1980, flag: 'hardware-thermal' },
    { sm_MHz: 1980, flag: null },
  ]);
  expect(entry).toMatchObject({ flagged: 2 });
  expect(report.environment).toMatchObject({ gpu: { sm_MHz: { low: 1500, high: 1980 }, power_W: null } });
  expect(entry.ratio_unflagged?.value).toBe(1);
  expect(environmentFacts(report.environment, 1)).toContainEqual(['GPU while measured', '1500 to 1980 MHz']);
  expect(sessionReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
});
