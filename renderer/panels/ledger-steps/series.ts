/**
 * Ledger over the steps: shares of the protons or energy that entered, and the error of their sum. The settings of
 * these curves are saved per user.
 */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import type { LedgerTable } from '../../../electron/contract/run.ts';
import {
  type EnergyBalance,
  ledgerColumns,
  type NumberBalance,
} from '../../../electron/contract/scenario/transport/ledger-columns.ts';
import { type Chart, type ChartAxis, type LineSeries, type Pane, paneArrays } from '../../drawing/charts/chart.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

type Balance = 'number' | 'energy';

type Column = Exclude<keyof NumberBalance | keyof EnergyBalance, 'in' | 'rel_error'>;

interface Series {
  readonly column: Column;
  readonly name: string;
  readonly curve: LineSeries;
  /** False if zero at every step: the series is listed but not drawn. */
  readonly present: boolean;
}

const curveStyles: readonly (readonly [Column, name: string, ink: LineSeries['ink'], dash: readonly number[]])[] = [
  ['in_flight', ledgerColumns.in_flight.title, 'series-1', []],
  ['deposited', ledgerColumns.deposited.title, 'series-7', [7, 2]],
  ['stopped', ledgerColumns.stopped.title, 'series-2', [9, 3]],
  ['escaped_x', ledgerColumns.escaped_x.title, 'series-3', [6, 3]],
  ['escaped_x_low', 'Escaped at low x', 'series-3', [6, 3]],
  ['escaped_x_high', 'Escaped at high x', 'series-3', [6, 3, 1, 3]],
  ['escaped_z', ledgerColumns.escaped_z.title, 'series-4', [2, 2]],
  ['escaped_z_low', 'Escaped at the front', 'series-4', [2, 4]],
  ['escaped_z_high', 'Escaped at the back', 'series-4', [2, 2]],
  ['escaped_theta', ledgerColumns.escaped_theta.title, 'series-5', [8, 3, 2, 3]],
  ['escaped_theta_low', 'Beyond the angle grid, low θ', 'series-5', [8, 3, 2, 3]],
  ['escaped_theta_high', 'Beyond the angle grid, high θ', 'series-5', [8, 3, 2, 3, 2, 3]],
  ['nuclear', ledgerColumns.nuclear.title, 'series-6', [4, 2]],
  ['skipped', ledgerColumns.skipped.title, 'series-8', [1, 2]],
];

/** Rounding error of FP64 sums near one; smaller shares count as zero. */
const NOISE = 1e-14;

export function ledgerSeries(table: LedgerTable, balance: Balance): readonly Series[] {
  const columns = balance === 'number' ? table.number : table.energy_MeV;
  const { in: incoming = new Float64Array() } = columns;
  return curveStyles.flatMap(([column, name, ink, dash]) => {
    // Use individual faces if recorded; older runs contain only their sums.
    if (columns[`${column}_low`] !== undefined) return [];
    const values = columns[column];
    // Energy of stopped protons counts as deposited, hence that column is zero by definition.
    if (values === undefined || (balance === 'energy' && column === 'stopped')) return [];
    const share = values.map((value, i) =>
      Math.abs(value) <= NOISE * (incoming[i] ?? 1) ? 0 : value / (incoming[i] || 1),
    );
    const curve: LineSeries = { kind: 'line', name, ink, dash, x: table.step, y: share };
    return [{ column, name, curve, present: share.some((v) => v !== 0) }];
  });
}

/** Lower limit of the sum's error, about one rounding, so that exact sums stay on a logarithmic axis. */
const SMALLEST_ERROR = 1e-17;

export function errorCurve(table: LedgerTable, balance: Balance): LineSeries {
  const { rel_error: errors = new Float64Array() } = balance === 'number' ? table.number : table.energy_MeV;
  return {
    kind: 'line',
    name: 'Relative error',
    ink: 'series-1',
    dash: [],
    x: table.step,
    y: errors.map((value) => Math.max(SMALLEST_ERROR, Math.abs(value))),
  };
}

/** Full decades around the positive values, but not below `lowest`. */
export function decadeRange(
  curves: readonly Pick<LineSeries, 'y'>[],
  lowest: number,
  highest: number,
): readonly [number, number] {
  let [low, high] = [highest, lowest];
  for (const { y } of curves) {
    for (let i = 0; i < y.length; i += 1) {
      const value = y[i] ?? 0;
      if (value <= 0) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const [from, to] = [
    Math.floor(Math.log10(Math.max(lowest, low)) + 1e-9),
    Math.ceil(Math.log10(Math.min(highest, high)) - 1e-9),
  ];
  return [10 ** from, 10 ** Math.max(to, from + 1)];
}

function stepAxis(table: LedgerTable): ChartAxis {
  const last = table.step[table.step.length - 1] ?? 1;
  return { title: 'Step', unit: '', kind: 'linear', from: 0, to: Math.max(1, last) };
}

const LOWEST_SHARE = 1e-12;
/** Relative heights of the stacked plots. */
const [SHARES, ERRORS] = [1.6, 1];

export function sharePane(table: LedgerTable, balance: Balance, kind: 'linear' | 'log'): Pane {
  const series = ledgerSeries(table, balance).flatMap(({ curve, present }) => (present ? [curve] : []));
  const [from, to] = kind === 'log' ? decadeRange(series, LOWEST_SHARE, 1) : [0, 1.02];
  const y: ChartAxis = { title: 'Share of the input', unit: '', kind, from, to: kind === 'log' ? to * 1.6 : to };
  return { x: stepAxis(table), y: { ...y, fixed: true }, series, tall: SHARES };
}

export function errorPane(table: LedgerTable, balance: Balance): Pane {
  const curve = errorCurve(table, balance);
  const [from, to] = decadeRange([curve], SMALLEST_ERROR, 1);
  const y: ChartAxis = { title: 'Relative error', unit: '', kind: 'log', from, to, fixed: true };
  return { x: stepAxis(table), y, series: [curve], tall: ERRORS };
}

/** The chart has no legend, because the panel shows one with values. */
export function ledgerChart(table: LedgerTable, balance: Balance, kind: 'linear' | 'log'): Chart {
  const panes = [sharePane(table, balance, kind), errorPane(table, balance)];
  const prefix = balance === 'number' ? 'protons' : 'energy';
  const arrays = panes.flatMap((pane, i) => paneArrays(pane, `${prefix}_${i === 0 ? 'share' : 'error'}_`));
  return { title: `Ledger by step: ${prefix}`, panes, linked: true, legend: 'none', arrays, notes: {} };
}

/** Row of the table whose step is nearest. */
export function rowOfStep(steps: ArrayLike<number>, step: number): number {
  let [low, high] = [0, steps.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) <= step) low = middle;
    else high = middle;
  }
  const between = ((steps[low] ?? 0) + (steps[high] ?? 0)) / 2;
  return Math.max(0, step > between ? high : low);
}

/** Stored moment whose step is nearest. */
export function frameOfStep(frames: readonly { readonly step: number }[], step: number): number {
  return rowOfStep(
    frames.map((frame) => frame.step),
    step,
  );
}

const schema = z.strictObject({ balance: z.enum(['number', 'energy']), scale: z.enum(['linear', 'log']) });
type LedgerStepsState = Readonly<z.infer<typeof schema>>;
export type LedgerStepsStore = StoreApi<LedgerStepsState>;

export function createLedgerStepsStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LedgerStepsStore {
  // Logarithmic, because escapes are often a millionth of what stops.
  const initial: LedgerStepsState = { balance: 'number', scale: 'log' };
  return createPersisted<LedgerStepsState>({ storage, name: 'ledger-steps', version: 1, schema, initial, onReset });
}
