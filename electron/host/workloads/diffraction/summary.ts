/** Summary of a diffraction image: the readouts of `braggbench run`, for people and for scripts. */
import type { ImageSummary } from '../../../contract/image.ts';
import { type DiffractionScenario, imageGeometry } from '../../../contract/scenario/index.ts';
import type { ImageRunData } from './image-data.ts';

const BRIGHT = 1e-3;

/** Straight ahead there is none. */
function extreme(
  places: readonly { readonly resolution_A: number | null }[],
  of: (...values: number[]) => number,
): number | null {
  const known = places.map(({ resolution_A }) => resolution_A);
  const finite = known.filter((value) => value !== null);
  return finite.length < known.length && of === Math.max ? null : of(...finite);
}

function resolutions(scenario: DiffractionScenario, width: number, height: number): ImageSummary['resolution_A'] {
  const { at } = imageGeometry(scenario);
  const beam = {
    fast: scenario.detector.beam_y_mm / scenario.detector.pixel_mm + 0.5,
    slow: scenario.detector.beam_x_mm / scenario.detector.pixel_mm + 0.5,
  };
  const edges = [at(0, beam.slow), at(width, beam.slow), at(beam.fast, 0), at(beam.fast, height)];
  const corners = [at(0, 0), at(width, 0), at(0, height), at(width, height)];
  return {
    edge: extreme(edges, Math.max),
    corner: extreme(corners, Math.min),
  };
}

export function imageSummary(run: ImageRunData): ImageSummary {
  const { image, width, height } = run;
  const scenario = run.completeScenario as unknown as DiffractionScenario;
  let [max, place, sum] = [0, 0, 0];
  // By index: images have up to a hundred million pixels, and an iterator makes an object of each.
  for (let i = 0; i < image.length; i += 1) {
    const photons = image[i] ?? 0;
    sum += photons;
    if (photons > max) [max, place] = [photons, i];
  }
  let bright = 0;
  for (let i = 0; i < image.length; i += 1) if ((image[i] ?? 0) > BRIGHT * max) bright += 1;
  const { at } = imageGeometry(scenario);
  const [fast, slow] = [place % width, Math.floor(place / width)];
  return {
    workload: 'diffraction',
    scenario: run.name,
    variant: run.variant,
    precision: run.precision,
    status: run.status,
    done: run.done,
    threads: run.threads,
    isa: run.isa,
    wall_s: run.wall_s,
    setup_s: run.setup_s,
    solve_s: run.solve_s,
    device_s: run.device_s > 0 ? run.device_s : null,
    terms: run.terms,
    ns_per_term:
      run.terms > 0 ? ((run.device_s > 0 ? run.device_s : run.solve_s * run.threads) * 1e9) / run.terms : null,
    image: {
      width,
      height,
      oversample: run.oversample,
      sources: run.sources,
      orientations: run.orientations,
      layers: run.layers,
      max,
      sum,
      mean: sum / image.length,
      bright_pixels: bright,
    },
    brightest: { ...at(fast + 0.5, slow + 0.5), fast, slow },
    resolution_A: resolutions(scenario, width, height),
    peak_rss_MB: run.peak_rss_bytes / 2 ** 20,
    state_bytes: run.scratch_bytes + image.byteLength,
  };
}
