import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ceilingsSchema, deviceReportSchema } from '../../../electron/contract/devices.ts';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';

const recorded: unknown = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../golden/devices-nvidia-h200.json'), 'utf8'),
);

describe('the device report', () => {
  it('is what the addon made on an H200', () => {
    const report = deviceReportSchema.parse(recorded);
    const [device] = report.cuda.devices;
    expect(report.cuda.available).toBe(true);
    expect(device?.computeCapability).toBe('9.0');
    expect(device?.sharedPerBlockOptIn_bytes).toBe(227 * 1024);
    expect(device?.ceilings?.copy_bytes_per_s).toBeGreaterThan(4e12);
  });

  it('is what the addon makes here, with a sentence for each thing that is missing', () => {
    const report = deviceReportSchema.parse(loadAddon().devices());
    for (const part of [report.cuda, report.nvrtc, report.nvml, report.cupti, report.cublas, report.cublasLt]) {
      expect(part.available).toBe(part.reason === null);
      if (part.reason !== null) expect(part.reason).toMatch(/^\w.* .*\.$/s);
    }
  });

  it('refuses ceilings that are not positive, and fields that it does not know', () => {
    const ceilings = deviceReportSchema.parse(recorded).cuda.devices[0]?.ceilings;
    expect(ceilingsSchema.safeParse(ceilings).success).toBe(true);
    expect(ceilingsSchema.safeParse({ ...ceilings, fp32_flops_per_s: 0 }).success).toBe(false);
    expect(ceilingsSchema.safeParse({ ...ceilings, more: 1 }).success).toBe(false);
  });
});

describe('measured ceilings', () => {
  it('are refused with a code and a sentence where there is no such device', async () => {
    const nowhere = { images: '/nowhere', sources: '/nowhere', cache: '' };
    await expect(loadAddon().measureCeilings({ ...nowhere, device: '4096' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(unsupported|invalid)$/),
      message: expect.stringMatching(/\.$/),
    });
  });
});
