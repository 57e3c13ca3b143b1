/** Answers about a run that has ended: summary, curves, tables. */
import { BraggError } from '../../../contract/errors.ts';
import type { Curve } from '../../../contract/fields.ts';
import type { LedgerTable, RunSummary } from '../../../contract/run.ts';
import { forSummary } from '../../../contract/scenario/transport/run-scalars.ts';
import { columnsOf, energyBalance, lastBalances, numberBalance } from './ledger.ts';
import type { AxisProfile } from './metrics/axis-profile.ts';
import { grayOnAxis } from './metrics/gray.ts';
import { letSummaryOf, qualityOf, rbeSummaryOf } from './metrics/quality.ts';
import { depthProfile, type MeasuredRun, readMetrics } from './metrics/run-metrics.ts';
import { runNotes } from './metrics/run-notes.ts';
import { measured, type RunData } from './run-data.ts';

function graySummary(run: RunData): RunSummary['gray'] {
  const dose = grayOnAxis(run);
  if ('reason' in dose) return dose;
  const { positions, values } = dose.curve;
  const highest_Gy = values.reduce((a, b) => Math.max(a, b), 0);
  return {
    entrance_Gy: values[positions.findIndex((depth) => depth >= 0)] ?? 0,
    highest_Gy,
    at_mm: positions[values.indexOf(highest_Gy)] ?? 0,
  };
}

/** Number of ascending values that are at most `limit`. */
function countUpTo(values: Float64Array, limit: number): number {
  let count = 0;
  while (count < values.length && (values[count] ?? 0) <= limit) count += 1;
  return count;
}

/** `profile`: that of `from`, which is the run as it is measured. */
export function summaryOf(
  run: RunData,
  from: MeasuredRun = measured(run),
  profile: AxisProfile = depthProfile(from),
): RunSummary {
  const { number, energy } = lastBalances(run);
  const { x_variance_of_representation_mm2 } = run;
  const { metrics, blur_mm } = readMetrics(from, profile);
  const read = {
    metrics,
    ledger: { number, energy },
    resolution_mm: Math.max(run.axes.dz_mm, run.step_mm),
    extra_straggling_mm: Math.hypot(run.extra_straggling_mm, blur_mm),
  };
  const bins = countUpTo(run.axes.energies_MeV, energy.in / number.in);
  const quality = qualityOf(run);
  return {
    ...read,
    gray: graySummary(run),
    ...(quality === null ? {} : { let: letSummaryOf(quality, read.metrics), rbe: rbeSummaryOf(quality, read.metrics) }),
    notes: [
      ...runNotes(
        { ...read, bins },
        { ...run.axes, dose: run.dose, x_variance_of_representation_mm2 },
        run.table,
        run.completeScenario,
      ),
    ],
    scenario: run.name,
    variant: run.variant,
    precision: run.precision,
    status: run.status,
    error: run.error?.message ?? null,
    ...forSummary(run),
    peak_rss_MB: run.peak_rss_bytes / 1e6,
    state_bytes: run.peak_state_bytes,
    ...(run.secondaries === null ? {} : { products_s: run.secondaries.seconds }),
    grid: { ne: run.axes.energies_MeV.length, ntheta: run.axes.ntheta, nz: run.axes.nz, nx: run.axes.nx },
    isa: run.isa,
  };
}

/** Dose across x in the cells that hold the depths. */
export function lateralCurves(run: RunData, depths_mm: readonly number[]): Curve[] {
  const { nz, nx, dz_mm, dx_mm } = run.axes;
  const positions = Float64Array.from({ length: nx }, (_, i) => (i + 0.5 - nx / 2) * dx_mm);
  return depths_mm.map((depth) => {
    const z = Math.floor(depth / dz_mm);
    if (!(z >= 0 && z < nz)) {
      throw new BraggError(
        'invalid',
        `There is no dose at ${depth} mm; the geometry reaches from 0 to ${nz * dz_mm} mm.`,
      );
    }
    return {
      quantity: `dose at ${((z + 0.5) * dz_mm).toPrecision(6)} mm`,
      unit: 'MeV/mm²',
      axis: 'x',
      axisUnit: 'mm',
      positions,
      values: Float64Array.from(run.dose.subarray(z * nx, (z + 1) * nx), (energy) => energy / (dz_mm * dx_mm)),
    };
  });
}

/** At most `rows` steps, evenly chosen, the first and the last among them. Steps count from 1. */
export function ledgerTable(run: RunData, rows: number): LedgerTable {
  const number = numberBalance(run);
  const { steps } = number;
  const count = Math.min(rows, steps);
  const chosen = Array.from({ length: count }, (_, i) =>
    count === 1 ? steps - 1 : Math.round((i * (steps - 1)) / (count - 1)),
  );
  return {
    step: Uint32Array.from(chosen, (row) => row + 1),
    number: columnsOf(number, chosen),
    energy_MeV: columnsOf(energyBalance(run), chosen),
  };
}
