/** Own materials as the library's are: everything that a solver needs, from composition, density and I. */
import { atomsOf, type Composition, compositionOfAtoms, type OwnMaterial } from '../../../contract/scenario/index.ts';
import { type Material, type Materials, standardTable } from '../scenarios/materials.ts';
import type { RangeTable, StoppingTable } from '../scenarios/stopping-table.ts';
import { type RatioToWater, ratiosToWater } from './bethe.ts';
import type { Anchor, Anchors } from './corrections.ts';
import { lengthsOf } from './lengths.ts';
import { additiveExcitation, compoundExcitation, type MeanExcitation } from './mean-excitation.ts';

/** Fractions that sum to 1: those of publications are rounded. */
function normalised(composition: Composition): Composition {
  const sum = Object.values(composition).reduce((total, fraction) => total + fraction, 0);
  return Object.fromEntries(Object.entries(composition).map(([symbol, fraction]) => [symbol, fraction / sum]));
}

function compositionOf({ formula, composition }: Pick<OwnMaterial, 'formula' | 'composition'>): Composition {
  if (formula === undefined) return normalised(composition ?? {});
  return compositionOfAtoms(atomsOf(formula) ?? new Map());
}

export function meanExcitationOf(own: OwnMaterial): MeanExcitation {
  if (own.mean_excitation_eV !== undefined) return { eV: own.mean_excitation_eV, source: 'as given' };
  const atoms = own.formula === undefined ? null : atomsOf(own.formula);
  const listed = atoms === null ? null : compoundExcitation(atoms);
  if (listed !== null) return { eV: listed, source: 'ICRU Reports 37 and 49' };
  const eV = Number(additiveExcitation(compositionOf(own), own.density_g_cm3).toPrecision(4));
  return { eV, source: "Bragg's rule, elements by ICRU Report 37" };
}

function anchorOf(material: Material): Anchor {
  const { composition, mean_excitation_eV } = material;
  const { z_over_a } = lengthsOf(composition);
  return { composition, z_over_a, mean_excitation_eV, table: standardTable(material) };
}

/** The tables of the library that say what elements have beyond Bethe's formula. */
export function anchorsOf(library: Materials): Anchors {
  const { water, pmma, air, graphite, aluminium, copper, lead } = library;
  return {
    water: anchorOf(water),
    elements: [
      ['O', anchorOf(water)],
      ['C', anchorOf(pmma)],
      ['Al', anchorOf(aluminium)],
      ['Cu', anchorOf(copper)],
      ['Pb', anchorOf(lead)],
      ['N', anchorOf(air)],
      ['Ca', anchorOf(library['bone-compact-icru'])],
    ],
    alone: { C: anchorOf(graphite), Al: anchorOf(aluminium), Cu: anchorOf(copper), Pb: anchorOf(lead) },
  };
}

/** Scenarios are checked with every key that is pressed: corrections are found once for a table of water. */
const known = new WeakMap<StoppingTable, { readonly library: Materials; readonly ratio: RatioToWater }>();

function ratioFor(library: Materials, water: StoppingTable, rangeTable: RangeTable): RatioToWater {
  const kept = known.get(water);
  if (kept?.library === library) return kept.ratio;
  // The I of a table of the user's own is not known: the standard one's is taken.
  const listed = library.water.stopping_power.find(({ id }) => library.water.tables.get(id) === water);
  const water_eV = listed?.mean_excitation_eV ?? library.water.mean_excitation_eV;
  const ratio = ratiosToWater(anchorsOf(library), water_eV, water.energies_MeV, rangeTable);
  known.set(water, { library, ratio });
  return ratio;
}

/** `water` is the table of water that the scenario uses. */
export function ownMaterial(
  own: OwnMaterial,
  library: Materials,
  water: StoppingTable,
  rangeTable: RangeTable,
): Material {
  const composition = compositionOf(own);
  const lengths = lengthsOf(composition);
  const excitation = meanExcitationOf(own);
  const ratio = ratioFor(
    library,
    water,
    rangeTable,
  )({
    composition,
    z_over_a: lengths.z_over_a,
    mean_excitation_eV: excitation.eV,
  });
  const title = `Bethe, I = ${excitation.eV} eV, scaled to water (${water.title})`;
  const table: StoppingTable = {
    title,
    energies_MeV: water.energies_MeV,
    stopping_MeV_cm2_g: water.stopping_MeV_cm2_g.map((stopping, i) => stopping * (ratio[i] ?? 1)),
  };
  return {
    name: own.name,
    title: own.name,
    density_g_cm3: own.density_g_cm3,
    ...lengths,
    mean_excitation_eV: excitation.eV,
    composition,
    stopping_power: [{ id: 'bethe', title, mean_excitation_eV: excitation.eV, file: '' }],
    sources: {
      mean_excitation: excitation.source,
      radiation_length: 'Y. S. Tsai, Rev. Mod. Phys. 46 (1974) 815, mass-weighted over the elements',
      scattering_length: 'B. Gottschalk, arXiv:0908.1413, mass-weighted over the elements',
      stopping_power: title,
    },
    tables: new Map([['bethe', table]]),
  };
}
