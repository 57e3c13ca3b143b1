/** Answers about a run that has ended: summary, curves, tables. */
import { BraggError } from '../../contract/errors.ts';
import type { Curve } from '../../contract/fields.ts';
import {
  type EnergyBalance,
  energyColumns,
  type LedgerTable,
  type NumberBalance,
  numberColumns,
  type RunSummary,
} from '../../contract/run.ts';
import { metricsOf } from '../metrics/run-metrics.ts';
import { measured, type RunData } from './run-data.ts';

/** The last row of a ledger by column name; zeros for a run that took no step. */
function lastRow<K extends string>(ledger: Float64Array, columns: readonly K[]): Record<K, number> {
  const start = ledger.length - columns.length;
  return Object.fromEntries(columns.map((name, i) => [name, ledger[start + i] ?? 0])) as Record<K, number>;
}

export function summaryOf(run: RunData): RunSummary {
  const number: NumberBalance = lastRow(run.ledgerNumber, numberColumns);
  const energy: EnergyBalance = lastRow(run.ledgerEnergy, energyColumns);
  return {
    scenario: run.name,
    variant: run.variant,
    precision: run.precision,
    status: run.status,
    steps: run.steps,
    wall_s: run.wall_s,
    setup_s: run.setup_s,
    solve_s: run.solve_s,
    metrics: metricsOf(measured(run)),
    ledger: { number, energy },
    min_psi_over_max: run.min_psi_over_max,
    extra_straggling_mm: run.extra_straggling_mm,
    cell_steps: run.cell_steps,
    peak_rss_MB: run.peak_rss_bytes / 1e6,
    grid: { ne: run.axes.energies_MeV.length, ntheta: run.axes.ntheta, nz: run.axes.nz, nx: run.axes.nx },
    threads: run.threads,
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

function columnsOf(
  ledger: Float64Array,
  names: readonly string[],
  rows: readonly number[],
): Record<string, Float64Array> {
  return Object.fromEntries(
    names.map((name, column) => [name, Float64Array.from(rows, (row) => ledger[row * names.length + column] ?? 0)]),
  );
}

/** At most `rows` steps, evenly chosen, the first and the last among them. Steps count from 1. */
export function ledgerTable(run: RunData, rows: number): LedgerTable {
  const steps = run.ledgerNumber.length / numberColumns.length;
  const count = Math.min(rows, steps);
  const chosen = Array.from({ length: count }, (_, i) =>
    count === 1 ? steps - 1 : Math.round((i * (steps - 1)) / (count - 1)),
  );
  return {
    step: Uint32Array.from(chosen, (row) => row + 1),
    number: columnsOf(run.ledgerNumber, numberColumns, chosen),
    energy_MeV: columnsOf(run.ledgerEnergy, energyColumns, chosen),
  };
}
