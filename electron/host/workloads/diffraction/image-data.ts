/** A diffraction run that has ended, whole: what its run file holds, and what every readout is made from. */
import type { Precision } from '../../../contract/run.ts';
import type { Spans } from '../../addon.ts';
import type { DiffractionPlan, DiffractionResult } from '../../addon-diffraction.ts';
import type { Machine, RunData } from '../../runs/run-data.ts';

export interface ImageRunData {
  readonly workload: 'diffraction';
  readonly program: RunData['program'];
  readonly machine: Machine;
  readonly name: string;
  /** ISO 8601. */
  readonly created: string;
  readonly finished: string;
  /** The document that the user wrote; the same with every default filled in. */
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly completeScenario: Readonly<Record<string, unknown>>;
  readonly status: 'done' | 'cancelled';
  /** Share of the image; the rest is 0. */
  readonly done: number;
  readonly variant: string;
  readonly precision: Precision;
  readonly isa: string;
  readonly threads: number;
  readonly wall_s: number;
  readonly setup_s: number;
  readonly solve_s: number;
  readonly device_s: number;
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  /** Lattice factors computed. */
  readonly terms: number;
  readonly scratch_bytes: number;
  readonly peak_rss_bytes: number;
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  readonly orientations: number;
  readonly layers: number;
  /** Photons per pixel, [slow][fast]. */
  readonly image: Float32Array;
  readonly spans: Spans;
}

export type ImageContext = Pick<
  ImageRunData,
  'program' | 'machine' | 'name' | 'created' | 'finished' | 'scenario' | 'completeScenario' | 'wall_s'
>;

export function imageRunData(context: ImageContext, plan: DiffractionPlan, result: DiffractionResult): ImageRunData {
  const { width, height, oversample, sources, orientations, layers } = plan;
  return {
    workload: 'diffraction',
    ...context,
    ...result,
    peak_rss_bytes: process.resourceUsage().maxRSS * 1024,
    width,
    height,
    oversample,
    sources,
    orientations,
    layers,
  };
}
