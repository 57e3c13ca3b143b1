/** The addon's interface for diffraction images; native/binding/runs/diffraction_run.cpp implements it. SI units and radians. */
import type { Variant } from '../../../contract/capabilities.ts';
import type { Precision } from '../../../contract/run.ts';
import type { Clocks, DeviceTrace, Spans } from './recorded.ts';

/** x, y, z or a, b, c. */
export type Three = Float64Array;

export interface DiffractionProblem {
  readonly beam: {
    readonly wavelength_m: number;
    /** Full relative range. */
    readonly dispersion: number;
    readonly dispersion_steps: number;
    readonly divergence_h_rad: number;
    readonly divergence_h_steps: number;
    readonly divergence_v_rad: number;
    readonly divergence_v_steps: number;
    /** Photons per m². */
    readonly fluence_m2: number;
    readonly polarisation: number;
  };
  readonly crystal: (
    | {
        readonly cell: {
          readonly a_m: number;
          readonly b_m: number;
          readonly c_m: number;
          readonly alpha_rad: number;
          readonly beta_rad: number;
          readonly gamma_rad: number;
        };
      }
    | { readonly reciprocal: { readonly a_per_m: Three; readonly b_per_m: Three; readonly c_per_m: Three } }
  ) & {
    readonly misset_rad: Three;
    readonly cells: Three;
    readonly shape: 'square' | 'round' | 'gauss' | 'tophat';
    readonly mosaic_spread_rad: number;
    readonly mosaic_domains: number;
    readonly mosaic_seed: number;
  };
  readonly structure_factors: {
    readonly default: number;
    /** h, k, l, F of each. */
    readonly reflections: Float64Array;
    readonly lookup: 'nearest' | 'tricubic';
  };
  readonly detector: {
    readonly width: number;
    readonly height: number;
    readonly pixel_m: number;
    readonly distance_m: number;
    readonly beam_x_m: number;
    readonly beam_y_m: number;
    readonly rotation_rad: Three;
    readonly twotheta_rad: number;
    readonly thickness_m: number;
    readonly attenuation_depth_m: number;
    readonly layers: number;
    /** 0: as many as the crystal's fringes need. */
    readonly oversample: number;
    readonly corrections: 'pixel' | 'subpixel';
  };
  readonly rotation: { readonly phi0_rad: number; readonly oscillation_rad: number; readonly steps: number };
  /** Edge of a cube of water in the beam. */
  readonly water_m: number;
  readonly solver: {
    readonly variant: string;
    /** GPU by index or UUID; absent or empty: BRAGGBENCH_CUDA_DEVICE, else the first that can be used. */
    readonly device?: string;
    readonly threads: number;
    readonly memory_limit_bytes: number;
  };
}

export interface DiffractionVariant extends Omit<Variant, 'precisions'> {
  /** Precision of the lattice factors. */
  readonly precision: Precision;
  /** A fused multiply-add is two. */
  readonly flopsPerTerm: number;
  /** Number of these operations in FP64. */
  readonly fp64FlopsPerTerm: number;
  /** The rest of a pixel's work, once for each sub-pixel, layer and source; 0 where it is not stated. */
  readonly flopsPerBeam: number;
  readonly fp64FlopsPerBeam: number;
  /** Traffic of temporaries. */
  readonly bytesPerTerm: number;
  /** Largest relative error on pixels above 1e-3 of the maximum that its tests hold it to; 1: it is shown as wrong. */
  readonly brightError: number;
}

export interface DiffractionPlan {
  readonly variant: string;
  readonly precision: Precision;
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  /** Phi steps times mosaic blocks. */
  readonly orientations: number;
  readonly layers: number;
  /** Lattice factors in the image. */
  readonly terms: number;
  readonly estimate_bytes: number;
  readonly threads: number;
}

export interface DiffractionProgress {
  /** Share of the image, 0 to 1. */
  readonly done: number;
  readonly terms_per_s: number;
  readonly eta_s: number;
}

export interface DiffractionResult {
  readonly status: 'done' | 'cancelled';
  /** Share of the image; the rest is 0. */
  readonly done: number;
  readonly variant: string;
  readonly precision: Precision;
  readonly threads: number;
  readonly isa: string;
  readonly setup_s: number;
  readonly solve_s: number;
  /** Time of one image by the GPU's clock; 0 on the CPU. */
  readonly device_s: number;
  readonly setup_parts: readonly { readonly name: string; readonly seconds: number }[];
  /** Lattice factors computed. */
  readonly terms: number;
  readonly scratch_bytes: number;
  /** Photons per pixel, [slow][fast]. */
  readonly image: Float32Array;
  /** Photons of its brightest pixel. */
  readonly brightest: number;
  /** The step of a span is its first row. */
  readonly spans: Spans;
  readonly trace: DeviceTrace | null;
  /** Clocks of the GPU, if requested. */
  readonly clocks: Clocks;
  /** Reason why a requested device trace is missing; null otherwise. */
  readonly traceReason: string | null;
}

/**
 * `cold` empties the caches before every image, `graph` captures its launches and replays them; the image is made for
 * at least that long together, or without a mode once.
 */
export type ImageMeasuring = ({ readonly mode: 'warm' | 'cold' | 'graph'; readonly atLeast_s: number } | object) & {
  /** Read the device's clocks before set-up and after the image. */
  readonly clocks?: boolean;
  /** Record the device's work and the driver's calls; slows launches, in later runs of the process too. */
  readonly trace?: boolean;
};

export interface DiffractionRun {
  readonly plan: DiffractionPlan;
  /**
   * Renders on native threads; progress at most about 60 times a second. Once per run. With `measuring` a GPU makes
   * the image again and again afterwards, and device_s is the mean of those.
   */
  start(onProgress: (progress: DiffractionProgress) => void, measuring?: ImageMeasuring): Promise<DiffractionResult>;
  /**
   * Asks for the rows that are done. Those that are there, and their share; null where none came since the last call.
   * Others are 0, and come into the same array, which is the result's.
   */
  live(): { readonly image: Float32Array; readonly done: number } | null;
  /** Effective within a band of rows; the promise then resolves with status 'cancelled'. */
  cancel(): void;
}
