/** A readout is declared once: its entry in the table, and its formula. */
import { describe, expect, it } from 'vitest';
import type { Metrics } from '../../../../electron/contract/run.ts';
import { depthDoseSchema, runSummarySchema } from '../../../../electron/contract/run.ts';
import {
  noReadouts,
  readoutEntries,
  summaryReadouts,
} from '../../../../electron/contract/scenario/transport/readouts.ts';
import {
  finalReadoutTexts,
  liveReadoutTexts,
  summaryReadoutTexts,
  valueWithUnit,
} from '../../../../electron/domain/dose/readouts.ts';
import { read, sourceFiles, withoutComments } from '../../../architecture/imports.ts';

const TABLE = 'electron/contract/scenario/transport/readouts.ts';
const CURVE = 'electron/host/workloads/transport/metrics/depth-readouts.ts';
const RUN = 'electron/host/workloads/transport/metrics/run-metrics.ts';

/** Readouts that are only displayed: no other code computes with them. */
const displayOnlyReadouts = [
  ...(['fwhm_mm', 'practical_range_mm', 'plateau_MeV_per_mm'] as const).map((name) => [name, CURVE] as const),
  ...(['penumbra_half_mm', 'penumbra_peak_mm'] as const).map((name) => [name, RUN] as const),
];

/** Order of the array that the addon returns for many beams: a selection of the readouts. */
const ORDER_OF_ADDON = 'electron/host/io/addon/beam-block.ts';

const sources = sourceFiles(['electron/{contract,domain,host,cli}/**/*.ts', 'renderer/**/*.{ts,tsx}']).filter(
  (file) => file !== ORDER_OF_ADDON,
);

describe('a readout', () => {
  it.each(displayOnlyReadouts)('%s is declared in two files', (name, formula) => {
    expect(sources.filter((file) => withoutComments(read(file)).includes(name)).sort()).toEqual(
      [TABLE, formula].sort(),
    );
  });

  it('appears in the schemas, and in the texts of the command line and the page', () => {
    const inSummary = readoutEntries.filter(([, { summary }]) => summary === true).map(([name]) => name);
    expect(inSummary).toEqual(expect.arrayContaining(displayOnlyReadouts.map(([name]) => name)));
    expect(Object.keys(runSummarySchema.shape.metrics.shape)).toEqual(expect.arrayContaining(inSummary));
    const live = readoutEntries.filter(([, one]) => one.live === true).map(([name]) => name);
    expect(Object.keys(depthDoseSchema.shape.metrics.shape)).toEqual(live);
    const curve = { ...noReadouts, r80_mm: 40.756, plateau_MeV_per_mm: 1.23456, peak_to_entrance: 4.081 };
    const metrics = summaryReadouts(curve, { penumbra_half_mm: 2.5, penumbra_peak_mm: null }) as unknown as Metrics;
    const lines = summaryReadoutTexts(metrics).map((one) => `${one.title}: ${valueWithUnit(one)}`);
    expect(lines).toHaveLength(inSummary.length);
    expect(lines).toEqual(
      expect.arrayContaining([
        'R80: 40.76 mm',
        'Peak: –',
        'Plateau: 1.235 MeV/mm',
        'Peak to entrance: 4.08',
        'Penumbra at half of R80: 2.50 mm',
      ]),
    );
    // The page shows the same texts in two groups.
    expect([...liveReadoutTexts(metrics), ...finalReadoutTexts(metrics)]).toEqual(summaryReadoutTexts(metrics));
  });
});
