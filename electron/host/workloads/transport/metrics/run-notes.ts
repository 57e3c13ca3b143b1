/**
 * Notes that are shown with the numbers of a run: limits of their meaning, and settings of the scenario that have no
 * effect. Text, JSON, page and exports show the same list.
 */
import { z } from 'zod';
import type { RunNote, RunSummary } from '../../../../contract/run.ts';
import { materialNames, valueAt } from '../../../../contract/scenario/index.ts';
import type { NumberBalance } from '../../../../contract/scenario/transport/ledger-columns.ts';
import { formatNumber, shareInDecimals, shareText } from '../../../../domain/values/units.ts';

/** Share of lost protons below which readouts change by less than their error from the grid. */
const NOTICEABLE_SHARE = 0.005;
/**
 * Minimum number of cells in the falloff. With fewer, R80, W80–20 and the height of the peak change. Cell means alone
 * change them by up to 0.02 of a cell, 2 % and 1 %. Range bins as wide as the falloff change them even with finer
 * cells.
 */
const MIN_CELLS = { fineBins: 1.5, wideBins: 2.7 } as const;
const MIN_BINS = 3;

/** Borders through which protons that should stop inside can leave, and the settings that avoid this. */
const escapeBorders = [
  { column: 'escaped_theta', where: 'beyond the largest angle', remedy: 'a larger grid.theta_max_mrad' },
  { column: 'escaped_x', where: 'through the sides', remedy: 'a larger geometry.width_mm' },
  { column: 'escaped_z', where: 'through the front or the back', remedy: 'a larger geometry.depth_mm' },
] as const;

/** Dose of a run, and the grid's cells across the beam. */
interface Cells {
  /** Returns the dose in MeV per cell, in rows of z. */
  readonly dose: () => Float64Array;
  readonly nx: number;
  readonly dx_mm: number;
  /**
   * Variance in x by which the beam starts wider than specified, because the cells cannot represent a narrower one.
   */
  readonly x_variance_of_representation_mm2: number;
}

function lossNote(number: NumberBalance): readonly RunNote[] {
  const most = escapeBorders.reduce((a, b) => (number[b.column] > number[a.column] ? b : a));
  const share = number.in > 0 ? number[most.column] / number.in : 0;
  if (share < NOTICEABLE_SHARE) return [];
  const text = `${shareInDecimals(share, share < 0.1 ? 1 : 0)} of the protons left ${most.where}: range, peak and widths describe only the rest; ${most.remedy} avoids this.`;
  return [{ code: 'protons-lost', text }];
}

/** Relative error of the ledger up to which a run accounts for all protons and their energy. */
const CLOSURE_LIMIT = 1e-6;

/**
 * Explains ledgers that do not close. FP32 rounding errors accumulate over thousands of steps that are far shorter than
 * a bin of residual range.
 */
function openLedgerNote({ number, energy }: RunSummary['ledger']): readonly RunNote[] {
  const error = Math.max(number.rel_error, energy.rel_error);
  if (error <= CLOSURE_LIMIT) return [];
  const of = energy.rel_error >= number.rel_error ? 'energy' : 'protons';
  const text =
    `The ledger of ${of} does not close: its error is ${error.toExponential(1)} of the input, and at most ${CLOSURE_LIMIT.toExponential()} is allowed. Use longer steps ` +
    '(grid.dz_mm) or solver.precision: fp64.';
  return [{ code: 'ledger-open', text }];
}

type NoteInputs = Pick<RunSummary, 'metrics' | 'resolution_mm' | 'ledger' | 'extra_straggling_mm'> & {
  /** Number of energy bins from rest to the mean energy at the entrance. */
  readonly bins: number;
};

/** Energy in MeV in the columns of cells at both faces in x. */
function sideFaces_MeV(dose: Float64Array, nx: number): number {
  let sum = 0;
  for (let i = 0; i < dose.length; i += nx) sum += (dose[i] ?? 0) + (nx > 1 ? (dose[i + nx - 1] ?? 0) : 0);
  return sum;
}

/**
 * Possible error of the energy in the cells at a face, as a share of it, if a beam starts wider than specified.
 * Comparison with Monte Carlo gives up to 0.37, for beams of 70 and 150 MeV and a width of 0.4 mm. Cells were 1 mm
 * wide, and the beam was 0.1 to 2 mm from a face. Beams that their cells resolve agree within 1.3 % and need no note.
 */
const ERROR_NEXT_TO_FACE = 0.4;
/** Share of the deposited energy above which the note about this error is shown. */
const SHOWN_ENERGY = 0.01;

function edgeNote({ metrics: { energy_deposited_MeV } }: NoteInputs, cells: Cells): readonly RunNote[] {
  const { dose, nx, dx_mm, x_variance_of_representation_mm2: added_mm2 } = cells;
  if (!(added_mm2 > 0)) return [];
  const much = ERROR_NEXT_TO_FACE * sideFaces_MeV(dose(), nx);
  if (!(much > SHOWN_ENERGY * energy_deposited_MeV)) return [];
  const text =
    `The beam runs along a side of the box, and is too narrow for cells of ${dx_mm} mm across: of the ` +
    `${energy_deposited_MeV.toPrecision(3)} MeV deposited, up to ${much.toPrecision(2)} MeV may be too much or ` +
    'missing; use finer cells or a wider box.';
  return [{ code: 'beam-at-edge', text }];
}

function coarseNote({ metrics: { w80_20_mm, mean_range_mm }, resolution_mm, bins }: NoteInputs): readonly RunNote[] {
  if (w80_20_mm === null) return [];
  const binsInFalloff = mean_range_mm === null ? 0 : (bins * w80_20_mm) / mean_range_mm;
  const fine = binsInFalloff >= MIN_BINS;
  const least = fine ? MIN_CELLS.fineBins : MIN_CELLS.wideBins;
  if (w80_20_mm >= least * resolution_mm) return [];
  const parts = (w80_20_mm / resolution_mm).toFixed(1);
  const text =
    `Cells or steps of ${formatNumber(Number(resolution_mm.toPrecision(3)))} mm are too coarse: the falloff spans only ${parts} of them, so R80, W80–20, ` +
    `FWHM and peak to entrance are limited by the grid; with ${fine ? 'two' : 'three'} or more they describe the beam.`;
  return [{ code: 'coarse-grid', text }];
}

/** The parts of a complete scenario that notes need. */
const scenarioParts = {
  beam: scenarioPart('beam', z.object({ energy_MeV: z.number(), energy_sigma_MeV: z.number(), angle_deg: z.number() })),
  grid: scenarioPart('grid', z.object({ cutoff_MeV: z.number(), dz_mm: z.number(), dx_mm: z.number() })),
  geometry: scenarioPart(
    'geometry',
    z.object({ background: z.string(), regions: z.array(z.object({ material: z.string() })) }),
  ),
  physics: scenarioPart('physics', z.object({ stopping_power: z.union([z.string(), z.object({ file: z.string() })]) })),
  solver: scenarioPart('solver', z.object({ stepping: z.string(), step_mm: z.number() })),
  initial: scenarioPart('initial', z.object({ kind: z.string() })),
} as const;
type ScenarioParts = {
  readonly [Part in keyof typeof scenarioParts]: NonNullable<ReturnType<(typeof scenarioParts)[Part]>>;
};

/**
 * Reads a part of scenarios. Null if fields are missing. Cached by part, because beams of a batch share all parts but
 * one.
 */
function scenarioPart<T>(part: string, schema: z.ZodType<T>): (scenario: unknown) => T | null {
  const known = new WeakMap<object, T>();
  return (scenario) => {
    const value = valueAt(scenario, [part]);
    if (typeof value !== 'object' || value === null) return null;
    const before = known.get(value);
    if (before !== undefined) return before;
    const { data } = schema.safeParse(value);
    if (data === undefined) return null;
    known.set(value, data);
    return data;
  };
}

function partsOfScenario(scenario: unknown): ScenarioParts | null {
  const [beam, grid, geometry] = [
    scenarioParts.beam(scenario),
    scenarioParts.grid(scenario),
    scenarioParts.geometry(scenario),
  ];
  const [physics, solver, initial] = [
    scenarioParts.physics(scenario),
    scenarioParts.solver(scenario),
    scenarioParts.initial(scenario),
  ];
  if (beam === null || grid === null || geometry === null) return null;
  if (physics === null || solver === null || initial === null) return null;
  return { beam, grid, geometry, physics, solver, initial };
}

/** Id of the stopping-power table that contains every built-in material. */
const STANDARD = 'icru49';

function tableNote({ physics: { stopping_power }, geometry }: ScenarioParts, title: string): readonly RunNote[] {
  if (stopping_power === STANDARD) return [];
  const materials = [...new Set([geometry.background, ...geometry.regions.map(({ material }) => material)])];
  // Skip user materials and those of a CT, because their stopping power scales with the water table.
  const built: readonly string[] = materialNames;
  const others = materials.filter((material) => material !== 'water' && built.includes(material)).join(', ');
  if (others === '') return [];
  const covers = materials.includes('water') ? 'applies to water only' : 'has no effect, because there is no water';
  return [{ code: 'table-of-water', text: `${title} ${covers}; NIST PSTAR (ICRU 49) is used for ${others}.` }];
}

/** Share of the Gaussian that must be cut off before any displayed number changes. */
const CUT_SHARE = 1e-6;
const FAR_SIGMAS = 9;

/** Share of a Gaussian above `from` standard deviations, and its mean in standard deviations, by Simpson's rule. */
function gaussianTail(from: number): { readonly share: number; readonly mean: number } {
  const parts = 2000;
  const step = (FAR_SIGMAS - Math.max(from, -FAR_SIGMAS)) / parts;
  let [number, first] = [0, 0];
  for (let i = 0; i <= parts; i += 1) {
    const t = FAR_SIGMAS - i * step;
    const weight = Math.exp((-t * t) / 2) * (i === 0 || i === parts ? 1 : i % 2 === 1 ? 4 : 2);
    number += weight;
    first += weight * t;
  }
  return { share: (number * step) / 3 / Math.sqrt(2 * Math.PI), mean: first / number };
}

function tailNote({ beam, grid: { cutoff_MeV } }: ScenarioParts): readonly RunNote[] {
  const { energy_MeV, energy_sigma_MeV: sigma } = beam;
  if (sigma === 0) return [];
  const { share, mean } = gaussianTail((cutoff_MeV - energy_MeV) / sigma);
  if (1 - share < CUT_SHARE) return [];
  const lost = shareText(1 - share, 2);
  const entered = (energy_MeV + sigma * mean).toPrecision(6);
  const text = `${lost} of the protons would enter with less than the cutoff of ${cutoff_MeV} MeV and are omitted: the mean energy at entry is ${entered} MeV.`;
  return [{ code: 'energies-cut-off', text }];
}

/**
 * Share of W80–20 by which the tilt must widen the falloff for a note to be shown. Any grid widens it by about as much.
 */
const SHOWN_SHARE = 0.01;
/** W80–20 of a Gaussian distribution of ranges, in units of its standard deviation. */
const FALLOFF = 1.312;

/** Share by which a spread of ranges widens a falloff; infinite if the spread alone makes it at least as wide. */
function falloffShare(w80_20_mm: number, spread_mm: number): number {
  const without = w80_20_mm ** 2 - (FALLOFF * spread_mm) ** 2;
  return without > 0 ? w80_20_mm / Math.sqrt(without) - 1 : Number.POSITIVE_INFINITY;
}

function tiltNote(
  { beam, grid }: ScenarioParts,
  { metrics: { w80_20_mm }, extra_straggling_mm }: NoteInputs,
): readonly RunNote[] {
  if (w80_20_mm === null || beam.angle_deg === 0) return [];
  const share = falloffShare(w80_20_mm, extra_straggling_mm);
  if (share < SHOWN_SHARE) return [];
  const effect = Number.isFinite(share)
    ? `make W80–20 about ${(100 * share).toFixed(0)} % wider than the true value`
    : 'alone would make the falloff at least as wide as W80–20, which therefore does not describe the beam';
  const text =
    `The beam is tilted by ${beam.angle_deg}°. Cells of ${grid.dz_mm} mm in depth and ${grid.dx_mm} mm ` +
    `across and the range bins ${effect}; use finer cells and range bins.`;
  return [{ code: 'tilted-rows', text }];
}

/**
 * Share of the dose in the last cells that may be wrong if protons leave through the back of the box. Remapping in z
 * retains some of these protons. Measured at 70 MeV for steps of 0.1 to 0.9 cells in depth, and for steps longer than a
 * cell, whose dose is spread over several cells.
 */
const RETAINED_DOSE = { ofShort: 0.45, power: 1.5, ofLong: 0.5 } as const;

function rearFaceNote({ beam, grid, solver }: ScenarioParts, { ledger: { number } }: NoteInputs): readonly RunNote[] {
  const cells = (solver.step_mm * Math.cos((beam.angle_deg * Math.PI) / 180)) / grid.dz_mm;
  const isWhole = solver.stepping === 'depth' || Math.abs(cells - 1) < 1e-6;
  if (isWhole || !(number.escaped_z > NOTICEABLE_SHARE * number.in)) return [];
  const { ofShort, power, ofLong } = RETAINED_DOSE;
  const much = Math.ceil(100 * (cells < 1 ? 0.01 + ofShort * (1 - cells) ** power : ofLong));
  const held = cells < 1 ? 'last cell' : `last ${Math.ceil(cells) + 1} cells`;
  const text =
    `Protons leave through the back of the box in steps of ${formatNumber(Number(cells.toPrecision(3)))} cells in depth: ` +
    `the dose in the ${held} has an error of up to ${much} %; use steps of one cell, depth stepping or a deeper box.`;
  return [{ code: 'last-cells', text }];
}

/**
 * Returns the notes of a run. `table`: title of the stopping-power table. `scenario`: complete scenario; older files
 * may lack fields that some notes need.
 */
export function runNotes(read: NoteInputs, cells: Cells, table: string, scenario: unknown): readonly RunNote[] {
  const all = partsOfScenario(scenario);
  const beam = all?.initial.kind === 'beam' ? all : null;
  return [
    ...openLedgerNote(read.ledger),
    ...(beam === null ? [] : [...tableNote(beam, table), ...tailNote(beam)]),
    ...(read.metrics.r80_mm === null ? [] : [...lossNote(read.ledger.number), ...coarseNote(read)]),
    ...(beam === null ? [] : [...tiltNote(beam, read), ...edgeNote(read, cells), ...rearFaceNote(beam, read)]),
  ];
}
