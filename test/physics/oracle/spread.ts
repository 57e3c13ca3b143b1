/**
 * Depth dose of a beam in water without angles, by quadrature: the distribution of the residual range is taken along
 * depth on bins so fine that nothing depends on them. An energy spread is a Gaussian in energy.
 *
 * Energy has drift -S and variance B per length, so residual range r has drift -1 - S' B / (2 S²) and variance B / S².
 */
import { matter } from './matter.ts';
import { type Reading, read } from './read-curve.ts';

interface SpreadResult extends Reading {
  readonly peak_to_entrance: number;
  /** Mean of the depth at which protons stop, mm. */
  readonly mean_range_mm: number;
}

const SIGMAS = 6;
/** Variance of one bin's step, in bins²: the weights to both sides then stay positive. */
const VARIANCE_PER_BIN = 0.7;
const GAUSS = [
  [0.1127016653792583, 5 / 18],
  [0.5, 8 / 18],
  [0.8872983346207417, 5 / 18],
] as const;

/** `coarse`: bins are as many times wider than the narrowest that keep every weight positive. */
export function spread(material: string, energy_MeV: number, sigma_MeV: number, coarse = 1): SpreadResult {
  const medium = matter(material);
  const S = medium.stopping;
  const variance = (energy: number): number => medium.straggling(energy) / S(energy) ** 2;
  const top = energy_MeV + SIGMAS * sigma_MeV;
  const start = medium.range(energy_MeV);
  // Whole bins up to the mean energy's range: without a spread the beam then starts on the centre of one.
  const wanted = (variance(top) / VARIANCE_PER_BIN) * coarse;
  const bins = Math.ceil(start / wanted - 0.5);
  const h = start / (bins + 0.5);
  const size = Math.ceil(medium.range(top) / h) + 20;
  const centre = (i: number): number => (i + 0.5) * h;
  /** Mean over a bin: energy ends as a root of the range. */
  const held = Float64Array.from({ length: size }, (_, i) =>
    GAUSS.reduce((sum, [node, weight]) => sum + weight * medium.energyAt((i + node) * h), 0),
  );
  const [up, down] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < size; i += 1) {
    const energy = medium.energyAt(centre(i));
    if (energy <= medium.lowest_MeV) continue;
    const slope = (S(energy * 1.001) - S(energy * 0.999)) / (0.002 * energy);
    // In bins and bins², for a step of one bin.
    const mean = (-slope * medium.straggling(energy)) / (2 * S(energy) ** 2);
    const second = variance(energy) / h + mean * mean;
    up[i] = Math.max(0, (second + mean) / 2);
    down[i] = Math.max(0, (second - mean) / 2);
  }
  let now = new Float64Array(size);
  if (sigma_MeV > 0) {
    let sum = 0;
    for (let i = 0; i < size; i += 1) {
      const energy = medium.energyAt(centre(i));
      const off = (energy - energy_MeV) / sigma_MeV;
      if (Math.abs(off) < SIGMAS) now[i] = Math.exp((-off * off) / 2) * S(energy);
      sum += now[i] ?? 0;
    }
    now = now.map((one) => one / sum);
  } else {
    now[bins] = 1;
  }
  let entrance = 0;
  for (let i = 0; i < size; i += 1) entrance += (now[i] ?? 0) * S(medium.energyAt(centre(i)));
  const dose: number[] = [];
  let [stopDepth, stopDepth2] = [0, 0];
  for (let step = 0; step < size + 200; step += 1) {
    // A whole bin down, then to both sides: from bin 0 everything stops within the step.
    const next = new Float64Array(size);
    let [lost, stopped] = [0, now[0] ?? 0];
    for (let i = 0; i < size; i += 1) lost += (now[i] ?? 0) * (held[i] ?? 0);
    for (let i = 1; i < size; i += 1) {
      const number = now[i] ?? 0;
      if (number === 0) continue;
      const to = i - 1;
      const [u, d] = [number * (up[to] ?? 0), number * (down[to] ?? 0)];
      next[to] = (next[to] ?? 0) + number - u - d;
      next[to + 1] = (next[to + 1] ?? 0) + u;
      if (to > 0) next[to - 1] = (next[to - 1] ?? 0) + d;
      else stopped += d;
    }
    for (let i = 0; i < size; i += 1) lost -= (next[i] ?? 0) * (held[i] ?? 0);
    dose.push(lost / h);
    const depth = (step + 0.5) * h;
    stopDepth += stopped * depth;
    stopDepth2 += stopped * depth * depth;
    now = next;
  }
  const reading = read(dose, h, Math.sqrt(stopDepth2 - stopDepth * stopDepth));
  return { ...reading, peak_to_entrance: reading.peak / entrance, mean_range_mm: stopDepth };
}
