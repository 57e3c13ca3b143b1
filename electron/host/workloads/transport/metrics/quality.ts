/** LET, spectra and RBE-weighted dose of a run that scored tracks. */
import { z } from 'zod';
import {
  type LetName,
  type LetSummary,
  letNames,
  type Quality,
  type RbeSummary,
  rbeModelNames,
} from '../../../../contract/quality.ts';
import type { Metrics } from '../../../../contract/run.ts';
import { rbe, rbeModels } from '../../../model/quality/rbe.ts';
import { measuredRunOf, type RunData } from '../run-data.ts';
import { type AxisProfile, axisProfile } from './depth-readouts.ts';
import { depthProfile, massCurve } from './run-metrics.ts';

type Tracks = NonNullable<RunData['tracks']>;

/** Sums over the tracks in each cell: of length, length × LET, and length × LET². */
export type LetMoments = Pick<Tracks, 'primary' | 'protons'>;

/**
 * Share of the largest track length below which a cell is outside the beam, so that an average there is meaningless.
 */
const MIN_SHARE = 1e-7;

/**
 * Tracks that each average includes, and the order of the moment in its numerator. The order in the denominator is one
 * less.
 */
const averages: Readonly<Record<LetName, readonly ['primary' | 'protons', 1 | 2]>> = {
  lett_primary: ['primary', 1],
  letd_primary: ['primary', 2],
  lett: ['protons', 1],
  letd: ['protons', 2],
};

function ratio(over: Float64Array, under: Float64Array, tracks: Float64Array): Float64Array {
  const least = MIN_SHARE * tracks.reduce((a, b) => Math.max(a, b), 0);
  return over.map((value, i) => {
    const below = under[i] ?? 0;
    return below > 0 && (tracks[i] ?? 0) > least ? value / below : Number.NaN;
  });
}

/** LET in keV/µm per cell, in rows of z. NaN in cells without protons. */
function letField(tracks: LetMoments, name: LetName): Float64Array {
  const [whose, over] = averages[name];
  const moments = tracks[whose];
  const cells = moments.length / 3;
  const moment = (k: number): Float64Array => moments.subarray(k * cells, (k + 1) * cells);
  return ratio(moment(over), moment(over - 1), moment(0));
}

/** LET in keV/µm per cell, in rows of z. 0 in cells without protons. */
export function letMap(tracks: LetMoments, name: LetName): Float64Array {
  return letField(tracks, name).map((value) => (Number.isNaN(value) ? 0 : value));
}

const settingsSchema = z.object({
  output: z.object({ alpha_beta_Gy: z.number().positive(), fraction_Gy: z.number().positive() }),
});

/**
 * Widths of bins. Inner edges are half-way between energies; the outer edges are at the same distance from the first
 * and last energy.
 */
function binWidthsOf(energies: Float64Array): Float64Array {
  const n = energies.length;
  const at = (i: number): number => energies[Math.min(Math.max(i, 0), n - 1)] ?? 0;
  return energies.map((_, i) => (i === 0 || i === n - 1 ? at(i + 1) - at(i - 1) : (at(i + 1) - at(i - 1)) / 2));
}

function spectraOf({ axes }: RunData, tracks: Tracks): Quality['spectra'] {
  const bins = tracks.spectrum_energies_MeV;
  // Skip bins of energy 0, whose protons stop within half of a step.
  const first = bins.findIndex((energy) => energy > 0);
  const energy_MeV = bins.slice(first);
  const width_MeV = binWidthsOf(energy_MeV);
  return tracks.spectrum_rows.map((row, i) => {
    const all = tracks.spectra.subarray(i * bins.length, (i + 1) * bins.length);
    const protons = all.slice(first).map((length) => length / axes.dz_mm);
    protons[0] = (protons[0] ?? 0) + all.slice(0, first).reduce((a, b) => a + b, 0) / axes.dz_mm;
    return {
      depth_mm: (row + 0.5) * axes.dz_mm,
      energy_MeV,
      width_MeV,
      protons,
      per_MeV: protons.map((number, bin) => number / (width_MeV[bin] ?? 1)),
    };
  });
}

/** Computes the LET quantities of a run. Null if the run scored no tracks. */
export function qualityOf(run: RunData): Quality | null {
  const { tracks } = run;
  if (tracks === null) return null;
  const { geometry } = measuredRunOf(run);
  const cells = tracks.primary.length / 3;
  const profiles = (whose: 'primary' | 'protons'): readonly AxisProfile[] =>
    [0, 1, 2].map((k) => axisProfile(tracks[whose].slice(k * cells, (k + 1) * cells), geometry));
  const all = { primary: profiles('primary'), protons: profiles('protons') };
  const column = (name: LetName): Float64Array => {
    const [whose, over] = averages[name];
    const of = (k: number): Float64Array => all[whose][k]?.values ?? new Float64Array(0);
    return ratio(of(over), of(over - 1), of(0));
  };
  const profile = depthProfile(measuredRunOf(run));
  const { alpha_beta_Gy, fraction_Gy } = settingsSchema.parse(run.completeScenario).output;
  const dose = (massCurve(measuredRunOf(run).dosePerMass(), geometry) ?? profile).values;
  const highest = dose.reduce((a, b) => Math.max(a, b), 0);
  const letd = column('letd');
  return {
    depth_mm: Float64Array.from(profile.values, (_, i) => profile.start_mm + (i + 0.5) * profile.step_mm),
    lett_primary: column('lett_primary'),
    letd_primary: column('letd_primary'),
    lett: column('lett'),
    letd,
    rbe: {
      alpha_beta_Gy,
      fraction_Gy,
      curves: rbeModelNames.map((model) => {
        const factor = letd.map((average, i) =>
          rbe(model, average, (fraction_Gy * (dose[i] ?? 0)) / highest, alpha_beta_Gy),
        );
        const { title, source } = rbeModels[model];
        return {
          model,
          title,
          source,
          rbe: factor,
          weighted_MeV_per_mm: factor.map((value, i) => value * (profile.values[i] ?? 0)),
        };
      }),
    },
    spectra: spectraOf(run, tracks),
  };
}

type ReportedDepths = Pick<Metrics, 'r80_mm' | 'peak_mm'>;

/** Column indices of the reported depths: entrance, half of R80, peak and R80. */
function reportedColumns({ depth_mm }: Quality, { r80_mm, peak_mm }: ReportedDepths) {
  const places = [
    { at: 'entrance', depth: depth_mm.find((depth) => depth >= 0) ?? 0 },
    { at: 'half', depth: r80_mm === null ? null : r80_mm / 2 },
    { at: 'peak', depth: peak_mm },
    { at: 'r80', depth: r80_mm },
  ] as const;
  return places.flatMap(({ at, depth }) => {
    if (depth === null) return [];
    const away = Array.from(depth_mm, (each) => Math.abs(each - depth));
    const nearest = away.indexOf(Math.min(...away));
    return [{ nearest, place: { at, depth_mm: depth_mm[nearest] ?? 0 } }];
  });
}

const finite = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : value;

export function letSummaryOf(quality: Quality, places: ReportedDepths): LetSummary {
  return reportedColumns(quality, places).map(({ nearest, place }) => {
    const values = letNames.map((name) => [name, finite(quality[name][nearest])]);
    return { ...place, ...Object.fromEntries(values) } as LetSummary[number];
  });
}

export function rbeSummaryOf(quality: Quality, places: ReportedDepths): RbeSummary {
  const { alpha_beta_Gy, fraction_Gy, curves } = quality.rbe;
  return {
    alpha_beta_Gy,
    fraction_Gy,
    places: reportedColumns(quality, places).map(({ nearest, place }) => {
      const values = curves.map(({ model, rbe: factor }) => [model, finite(factor[nearest])]);
      return { ...place, ...Object.fromEntries(values) } as RbeSummary['places'][number];
    }),
  };
}
