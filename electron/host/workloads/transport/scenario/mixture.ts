/** Contents of a cell as a material of the solver: one medium, or several mixed. */

import type { Pausing } from '../../../../contract/pausing.ts';
import type { TransportProblem } from '../../../io/addon/addon.ts';
import type { StoppingTable } from '../../../model/scenarios/stopping-table.ts';
import type { Contents, Medium } from './contents.ts';
import { materialOf, type TransportContext, tableOf } from './context.ts';

type ProblemMaterial = TransportProblem['materials'][number];

function nameOf({ material, density_scale }: Medium): string {
  return density_scale === 1 ? material : `${material}, density × ${Number(density_scale.toPrecision(6))}`;
}

function pure(context: TransportContext, medium: Medium): ProblemMaterial {
  const material = materialOf(context, medium.material);
  const table = tableOf(context, medium.material);
  return {
    name: nameOf(medium),
    density_g_cm3: material.density_g_cm3 * medium.density_scale,
    z_over_a: material.z_over_a,
    x0_g_cm2: material.radiation_length_g_cm2,
    xs_g_cm2: material.scattering_length_g_cm2,
    energies_MeV: table.energies_MeV,
    stopping_MeV_cm2_g: table.stopping_MeV_cm2_g,
    elements: Object.entries(material.composition).map(([symbol, mass_fraction]) => ({ symbol, mass_fraction })),
  };
}

/** A table of the mass stopping power of parts with these mass shares (Bragg's rule), at every energy of their tables. */
function mixedTable(
  context: TransportContext,
  parts: readonly { readonly table: StoppingTable; readonly mass: number }[],
): Pick<ProblemMaterial, 'energies_MeV' | 'stopping_MeV_cm2_g'> {
  const energies = Float64Array.from(new Set(parts.flatMap(({ table }) => [...table.energies_MeV]))).sort();
  const mixed = new Float64Array(energies.length);
  for (const { table, mass } of parts) {
    const own = context.rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, energies).stopping_MeV_cm2_g;
    own.forEach((stopping, i) => {
      mixed[i] = (mixed[i] ?? 0) + mass * stopping;
    });
  }
  return { energies_MeV: energies, stopping_MeV_cm2_g: mixed };
}

/** Mass fractions of the elements in parts with these mass shares. */
function mixedElements(
  parts: readonly { readonly material: ProblemMaterial; readonly mass: number }[],
): ProblemMaterial['elements'] {
  const fractions = new Map<string, number>();
  for (const { material, mass } of parts) {
    for (const { symbol, mass_fraction } of material.elements) {
      fractions.set(symbol, (fractions.get(symbol) ?? 0) + mass * mass_fraction);
    }
  }
  return [...fractions].map(([symbol, mass_fraction]) => ({ symbol, mass_fraction }));
}

/**
 * Lengths and stopping powers by mass add as the masses do: of a cell with areas f of densities ρ the density is Σfρ,
 * the mass shares are w = fρ / Σfρ; and S, Z/A, 1/X₀ and 1/X_S are the sums of w times the parts' own.
 */
function mixed(context: TransportContext, contents: Contents): ProblemMaterial {
  const found = contents.map(({ medium, share }) => ({ share, material: pure(context, medium), medium }));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first.material;
  const density = found.reduce((sum, { share, material }) => sum + share * material.density_g_cm3, 0);
  const parts = found.map((one) => ({ ...one, mass: (one.share * one.material.density_g_cm3) / density }));
  const sum = (value: (material: ProblemMaterial) => number): number =>
    parts.reduce((total, { material, mass }) => total + mass * value(material), 0);
  return {
    name: parts.map(({ medium, share }) => `${Number((100 * share).toPrecision(3))} % ${nameOf(medium)}`).join(' + '),
    density_g_cm3: density,
    z_over_a: sum((one) => one.z_over_a),
    x0_g_cm2: 1 / sum((one) => 1 / one.x0_g_cm2),
    xs_g_cm2: 1 / sum((one) => 1 / one.xs_g_cm2),
    elements: mixedElements(parts),
    ...mixedTable(
      context,
      parts.map(({ medium, mass }) => ({ table: tableOf(context, medium.material), mass })),
    ),
  };
}

/** Checks, estimates and every run ask for the same: a mixture takes a third of a millisecond, and there may be 255. */
const known = new WeakMap<Contents, { readonly context: TransportContext; readonly material: ProblemMaterial }>();

export function problemMaterial(context: TransportContext, contents: Contents): ProblemMaterial {
  const kept = known.get(contents);
  if (kept?.context === context) return kept.material;
  const material = mixed(context, contents);
  known.set(contents, { context, material });
  return material;
}

/** Makes the materials of a list, which `problemMaterial` then has at once. */
export function* mixAll(context: TransportContext, list: readonly Contents[]): Pausing<void> {
  for (const contents of list) {
    problemMaterial(context, contents);
    yield;
  }
}
