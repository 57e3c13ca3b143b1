import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { deviceReportSchema } from '../../../electron/contract/devices.ts';
import { tracingOf } from '../../../renderer/state/tracing.ts';

const golden = path.resolve(import.meta.dirname, '../../golden/devices-nvidia-h200.json');
const report = deviceReportSchema.parse(JSON.parse(readFileSync(golden, 'utf8')));

test('the GPU can be recorded where there is one, by CUPTI or by events; else it is said why not', () => {
  expect(tracingOf(report)).toEqual({ possible: true, says: expect.stringContaining('until the program ends.') });
  const cupti = { ...report.cupti, available: false, reason: 'libcupti was not found.' };
  const byEvents = tracingOf({ ...report, cupti });
  expect(byEvents.possible).toBe(true);
  expect(byEvents.says).toMatch(/by events around every launch, which slows it: libcupti was not found\.$/);
  const cuda = { ...report.cuda, available: false, reason: 'the driver was not found.', devices: [] };
  expect(tracingOf({ ...report, cuda })).toEqual({
    possible: false,
    says: 'There is no GPU to record: the driver was not found. What the CPU does is always recorded.',
  });
});
