/** Measures of a transport run that studies store. */
import { type MeasuredTimes, measuresOf, savedCurve, unitBySuffix } from '../../workload.ts';
import { summaryOf } from '../readouts.ts';
import { measuredRunOf, type RunData } from '../run-data.ts';
import { depthProfile, profileCurve } from './run-metrics.ts';

const withPrefix = (prefix: string, values: Readonly<Record<string, number | undefined>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));

const energyUnit = (name: string): string => (name.endsWith('rel_error') ? '' : 'MeV');

export function transportMeasures(run: RunData): MeasuredTimes {
  const { metrics, ledger, notes, ...summary } = summaryOf(run);
  const { sigma_x, theta_rms, ...numbers } = metrics;
  const { resolution_mm, extra_straggling_mm, min_psi_over_max } = summary;
  return {
    variant: run.variant,
    precision: run.precision,
    threads: run.threads,
    measures: [
      ...measuresOf('readouts', unitBySuffix, {
        ...numbers,
        ...{ resolution_mm, extra_straggling_mm, min_psi_over_max },
        notes: notes.map(({ code }) => code).join(' '),
      }),
      ...measuresOf('ledger', () => '', withPrefix('protons', ledger.number)),
      ...measuresOf('ledger', energyUnit, withPrefix('energy', ledger.energy)),
      ...measuresOf('times', unitBySuffix, {
        wall_s: run.wall_s,
        setup_s: run.setup_s,
        solve_s: run.solve_s,
        // On the CPU there is no GPU clock, so store null.
        device_s: run.device_s > 0 ? run.device_s : null,
        steps: run.steps,
        cell_steps: run.cell_steps,
      }),
      ...measuresOf('memory', unitBySuffix, {
        state_bytes: run.peak_state_bytes,
        process_peak_bytes: run.peak_rss_bytes,
      }),
    ],
    curves: [
      savedCurve('depth_dose', profileCurve(depthProfile(measuredRunOf(run)))),
      savedCurve('sigma_x', {
        ...{ quantity: 'width of the beam', unit: 'mm', axis: 'depth', axisUnit: 'mm' },
        ...{ positions: sigma_x.depth_mm, values: sigma_x.sigma_x_mm },
      }),
      savedCurve('theta_rms', {
        ...{ quantity: 'spread of directions', unit: 'mrad', axis: 'depth', axisUnit: 'mm' },
        ...{ positions: theta_rms.depth_mm, values: theta_rms.theta_rms_mrad },
      }),
    ],
  };
}
