/** Complete data of an ended diffraction run: the contents of its run file, from which all readouts are computed. */
import type { DiffractionPlan, DiffractionResult } from '../../io/addon/task.ts';
import { peakMemory_bytes } from '../../io/peak-memory.ts';
import { noSpans, type Recording } from '../../model/recording/recording.ts';
import type { RunContext } from '../run-context.ts';

/** Parts of the engine's result that a run retains. */
type RetainedResult = Omit<DiffractionResult, 'clocks' | 'traceReason' | 'brightest' | keyof Recording>;

export interface ImageRunData extends RunContext, Recording, RetainedResult {
  readonly workload: 'diffraction';
  /** Always null, because an incomplete image is not stored as a run. */
  readonly error: null;
  readonly peak_rss_bytes: number;
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  readonly orientations: number;
  readonly layers: number;
  /** Photons in the brightest pixel; absent if not computed. */
  readonly brightest?: number;
}

/** Photons in the brightest pixel. By index, because it visits all pixels. */
export function brightestOf(image: Float32Array): number {
  let max = 0;
  for (let i = 0; i < image.length; i += 1) max = Math.max(max, image[i] ?? 0);
  return max;
}

/** Run as if it ended now, with the rows computed so far. */
export function partialImage(
  context: RunContext,
  plan: DiffractionPlan,
  { image, done }: Pick<DiffractionResult, 'image' | 'done'>,
): ImageRunData {
  const { variant, precision, threads, terms } = plan;
  return imageRunData(context, plan, {
    status: 'cancelled',
    done,
    variant,
    precision,
    threads,
    isa: '',
    setup_s: 0,
    solve_s: context.wall_s,
    device_s: 0,
    setup_parts: [],
    terms: done * terms,
    scratch_bytes: 0,
    image,
    spans: noSpans,
    trace: null,
  });
}

/** Parts of the engine's result that are stored in the run's file. */
type ImageOutcome = RetainedResult & Recording & Partial<Pick<DiffractionResult, 'brightest'>>;

export function imageRunData(context: RunContext, plan: DiffractionPlan, result: ImageOutcome): ImageRunData {
  const { width, height, oversample, sources, orientations, layers } = plan;
  return {
    workload: 'diffraction',
    ...context,
    ...result,
    error: null,
    peak_rss_bytes: peakMemory_bytes(),
    width,
    height,
    oversample,
    sources,
    orientations,
    layers,
  };
}

export function isImageRun(run: { readonly workload: string }): run is ImageRunData {
  return run.workload === 'diffraction';
}
