import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { ceilingsSchema, deviceReportSchema } from '../../../electron/contract/capabilities.ts';
import { csvText } from '../../../electron/domain/values/csv.ts';
import { shareInDecimals, shareText } from '../../../electron/domain/values/units.ts';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { figureCsv } from '../../../renderer/drawing/export/figure.ts';

describe('CSV tables', () => {
  test('text that a spreadsheet would evaluate is escaped, and lines end only at the end of a row', () => {
    const rows = [
      ['=HYPERLINK("x")', '+1+2', '-2+3', '@SUM(A1)', '\t=1'],
      ['a\rb', 'a\nb', 'a,b', 'a"b', 'plain'],
    ];
    expect(csvText(['a', 'b', 'c', 'd', 'e'], rows)).toBe(
      `a,b,c,d,e\n"'=HYPERLINK(""x"")",'+1+2,'-2+3,'@SUM(A1),'\t=1\n"a\rb","a\nb","a,b","a""b",plain\n`,
    );
  });

  test('numbers keep their digits and their sign, as numbers and as text', () => {
    expect(csvText(['n'], [[-1.5e-9], ['-2.5'], ['+1e5'], [null], [true]])).toBe('n\n-1.5e-9\n-2.5\n+1e5\n\ntrue\n');
  });

  test('curve names in exported figures are escaped too', () => {
    const depth = { name: 'z', unit: 'mm', shape: [2], values: [0, 1] };
    const curve = { name: '=cmd|"/c calc",x', unit: '', shape: [2], values: [1, 2], axes: ['z'] };
    const [head] = figureCsv([depth, curve] as unknown as Parameters<typeof figureCsv>[0]).split('\n');
    expect(head).toBe(`z_mm,"'=cmd|""/c calc"",x"`);
  });
});

const recordedDocument: unknown = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../golden/devices-nvidia-h200.json'), 'utf8'),
);

describe('the device report', () => {
  it('accepts what the addon reported on an H200', () => {
    const report = deviceReportSchema.parse(recordedDocument);
    const [device] = report.cuda.devices;
    expect(report.cuda.available).toBe(true);
    expect(device?.computeCapability).toBe('9.0');
    expect(device?.sharedPerBlockOptIn_bytes).toBe(227 * 1024);
    expect(device?.ceilings?.copy_bytes_per_s).toBeGreaterThan(4e12);
  });

  it('accepts what the addon reports here, with a sentence for each missing component', () => {
    const report = deviceReportSchema.parse(loadAddon().devices());
    for (const part of [report.cuda, report.nvrtc, report.nvml, report.cupti, report.cublas, report.cublasLt]) {
      expect(part.available).toBe(part.reason === null);
      if (part.reason !== null) expect(part.reason).toMatch(/^\w.* .*\.$/s);
    }
  });

  it('rejects ceilings that are not positive, and unknown fields', () => {
    const ceilings = deviceReportSchema.parse(recordedDocument).cuda.devices[0]?.ceilings;
    expect(ceilingsSchema.safeParse(ceilings).success).toBe(true);
    expect(ceilingsSchema.safeParse({ ...ceilings, fp32_flops_per_s: 0 }).success).toBe(false);
    expect(ceilingsSchema.safeParse({ ...ceilings, more: 1 }).success).toBe(false);
  });
});

describe('measured ceilings', () => {
  it('are rejected with a code and a sentence if there is no such device', async () => {
    const nowhere = { images: '/nowhere', sources: '/nowhere', cache: '' };
    await expect(loadAddon().measureCeilings({ ...nowhere, device: '4096' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(unsupported|invalid)$/),
      message: expect.stringMatching(/\.$/),
    });
  });
});

describe('shares and units', () => {
  test('a share below 100 % is never printed as 100 %, nor a positive one as 0 %', () => {
    expect([1, 0.9996, 0.999_96, 0.5, 0.0123, 0].map((share) => shareText(share, 3))).toEqual([
      '100 %',
      '99.96 %',
      '99.996 %',
      '50 %',
      '1.23 %',
      '0 %',
    ]);
    expect([1, 0.9996, 0.999_96, 0.5, 2e-6, 0].map((share) => shareInDecimals(share, 1))).toEqual([
      '100.0 %',
      '99.96 %',
      '99.996 %',
      '50.0 %',
      '0.0002 %',
      '0.0 %',
    ]);
    expect([shareText(1 - 1e-12, 3), shareInDecimals(1.25, 0)]).toEqual(['100 %', '125 %']);
  });
});
