/**
 * The density effect below 300 MeV. Insulators and gases have none at such speeds; in conductors it is
 * δ = δ₀ (βγ / 10^x₀)², with the constants of R. M. Sternheimer, M. J. Berger and S. M. Seltzer,
 * At. Data Nucl. Data Tables 30 (1984) 261.
 */
import { type Composition, elementOf } from '../../../contract/scenario/index.ts';
import { speed } from './formula.ts';

/** Those elements whose tables the model has; metals between have it from between, by Z. */
const conductors = [
  { z: 13, x0: 0.1708, delta0: 0.12 },
  { z: 29, x0: -0.0254, delta0: 0.08 },
  { z: 82, x0: 0.3776, delta0: 0.14 },
] as const;

/** Elements that do not conduct as metals do, by themselves or as the greater part of a compound. */
const nonMetals = new Set(
  'H He B C N O F Ne Si P S Cl Ar Ge As Se Br Kr Te I Xe At Rn'.split(' ').map((symbol) => elementOf(symbol).z),
);
/** An alloy has no more of others, such as carbon in steel, by mass. */
const MOST_OTHERS = 0.05;

/** Whether the matter is a metal or an alloy. */
export function isMetal(composition: Composition): boolean {
  let others = 0;
  for (const [symbol, fraction] of Object.entries(composition)) {
    if (nonMetals.has(elementOf(symbol).z)) others += fraction;
  }
  return others <= MOST_OTHERS;
}

/** What a metal's electrons lose of the stopping number, δ/2. */
export function halfDensityEffect(z: number, energy_MeV: number): number {
  const { betaGamma2 } = speed(energy_MeV);
  const halves = conductors.map(({ x0, delta0 }) => (delta0 * betaGamma2) / 10 ** (2 * x0) / 2);
  const after = conductors.findIndex((each) => each.z >= z);
  const upper = after < 0 ? conductors.length - 1 : after;
  const lower = Math.max(0, after < 0 ? upper : after - 1);
  const [from, to] = [conductors[lower]?.z ?? z, conductors[upper]?.z ?? z];
  const share = from === to ? 0 : (z - from) / (to - from);
  return (1 - share) * (halves[lower] ?? 0) + share * (halves[upper] ?? 0);
}
