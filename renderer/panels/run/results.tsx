/** Readouts of a finished run. */
import type { ReactElement } from 'react';
import type { DepthDose, Moments, RunSummary } from '../../../electron/contract/run.ts';
import type { Resolved } from '../../../electron/contract/scenarios.ts';
import { compact, fixed, NO_VALUE, significant } from '../../base/numbers.ts';
import { duration } from '../../base/time.ts';
import { type ReadoutItem, Readouts } from '../../widgets/readout.tsx';

export interface ResultsProps {
  readonly summary: RunSummary;
  readonly depthDose: DepthDose | null;
  readonly moments: Moments | null;
  readonly resolved: Resolved | null;
}

/** The column's value at the plane nearest to `depth_mm`; null without a plane within one spacing. */
export function atDepth(depths: ArrayLike<number>, values: ArrayLike<number>, depth_mm: number): number | null {
  const spacing = Math.abs((depths[1] ?? Number.POSITIVE_INFINITY) - (depths[0] ?? 0));
  let best: number | null = null;
  let distance = spacing;
  for (let i = 0; i < depths.length; i += 1) {
    const away = Math.abs((depths[i] ?? 0) - depth_mm);
    if (away <= distance) {
      distance = away;
      best = values[i] ?? null;
    }
  }
  return best !== null && Number.isFinite(best) ? best : null;
}

export function rangeItems(
  metrics: DepthDose['metrics'] | RunSummary['metrics'],
  resolved: Resolved | null,
): readonly ReadoutItem[] {
  const difference = metrics.r80_mm === null || resolved === null ? null : metrics.r80_mm - resolved.range_mm;
  return [
    {
      name: 'R80',
      value: fixed(metrics.r80_mm, 2),
      unit: 'mm',
      swatch: 'r80',
      strong: true,
      title: 'Distal 80 % depth along the beam axis',
    },
    {
      name: 'CSDA range',
      value: fixed(resolved?.range_mm, 2),
      unit: 'mm',
      swatch: 'reference',
      title: resolved === null ? '' : `${resolved.table}, in the background material, regions ignored`,
    },
    {
      name: 'R80 − range',
      value: difference === null ? NO_VALUE : `${difference > 0 ? '+' : ''}${fixed(difference, 2)}`,
      unit: 'mm',
    },
    {
      name: 'W80–20',
      value: fixed(metrics.w80_20_mm, 3),
      unit: 'mm',
      title: 'Depth from 80 % to 20 % behind the peak',
    },
    { name: 'Peak', value: fixed(metrics.peak_mm, 2), unit: 'mm', title: 'Depth of the Bragg peak' },
    {
      name: 'FWHM',
      value: fixed(metrics.fwhm_mm, 2),
      unit: 'mm',
      title: 'Full width at half maximum of the peak along the beam',
    },
    { name: 'Peak / entrance', value: significant(metrics.peak_to_entrance, 3) },
  ];
}

function widthItems({ summary, moments }: ResultsProps): readonly ReadoutItem[] {
  const { r80_mm, mean_range_mm } = summary.metrics;
  const end = r80_mm ?? mean_range_mm;
  if (moments === null || end === null) return [];
  // The fluence is known plane by plane in z; for a tilted beam these are planes of z as well.
  return [0.5, 0.9].flatMap((share) => {
    const depth = share * end;
    const at = `${fixed(depth, 1)} mm`;
    return [
      {
        name: `σx at ${share} R80`,
        value: fixed(atDepth(moments.depth_mm, moments.sigma_x_mm, depth), 3),
        unit: 'mm',
        title: `Width of the protons’ fluence at z = ${at}`,
      },
      {
        name: `σθ at ${share} R80`,
        value: fixed(atDepth(moments.depth_mm, moments.theta_rms_mrad, depth), 1),
        unit: 'mrad',
        title: `Angular width at z = ${at}`,
      },
    ];
  });
}

export function Results(props: ResultsProps): ReactElement {
  const { summary, depthDose, resolved } = props;
  const rate = summary.solve_s > 0 ? summary.cell_steps / summary.solve_s : null;
  return (
    <div className="run-results">
      <Readouts items={rangeItems(depthDose?.metrics ?? summary.metrics, resolved)} />
      <Readouts items={widthItems(props)} />
      <Readouts
        items={[
          { name: 'Deposited', value: significant(summary.metrics.energy_deposited_MeV, 5), unit: 'MeV' },
          {
            name: 'Mean range',
            value: fixed(summary.metrics.mean_range_mm, 2),
            unit: 'mm',
            title: 'Mean path length of the protons that stopped',
          },
          { name: 'Steps', value: String(summary.steps) },
          {
            name: 'Solve',
            value: duration(summary.solve_s),
            title: `Set-up ${duration(summary.setup_s)}, everything ${duration(summary.wall_s)}`,
          },
          { name: 'Cell steps', value: rate === null ? NO_VALUE : compact(rate), unit: '/s' },
          { name: 'Peak memory', value: compact(summary.peak_rss_MB * 1e6), unit: 'B' },
        ]}
      />
    </div>
  );
}
