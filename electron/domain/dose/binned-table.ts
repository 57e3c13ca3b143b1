/**
 * Parses depth doses of Monte Carlo codes: values in bins along one axis, with the bins described in comments.
 * Supported are TOPAS (scorers as CSV), GATE (actors as text) and FLUKA (plot files of usxsuw, text of USRBIN and
 * usbrea). PHITS (tallies for ANGEL) and SHIELD-HIT12A (text of bdo2txt and of pymchelper) are supported too.
 */

import {
  allowOnly,
  type FieldRules,
  forbiddenField,
  honoured,
  ignoredField,
  mayBeAbsent,
  oneOf,
} from '../header-fields.ts';
import { parseDecimal } from '../values/csv.ts';
import { countText } from '../values/units.ts';

export interface BinnedTable {
  /** Centres of the bins, in `depthUnit`. */
  readonly depths: readonly number[];
  readonly doses: readonly number[];
  readonly lines: readonly number[];
  /** Unit of depth; null if the file does not state it. */
  readonly depthUnit: string | null;
  /** Unit of the values; null if the file does not state it. */
  readonly unit: string | null;
}

interface BinnedTableError {
  readonly line: number;
  readonly message: string;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

type TableReader = (lines: readonly Line[]) => BinnedTable | BinnedTableError;

/** Fortran writes D for double precision, and omits the E before a three-digit exponent. */
const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+|[-+]\d{3})?`;
const NUMBERS = new RegExp(String.raw`^\s*${NUMBER}(?:[\s,]+${NUMBER})*[\s,]*$`);

const isComment = ({ text }: Line): boolean => text.trimStart().startsWith('#');
const parseNumbers = (text: string): readonly number[] =>
  NUMBERS.test(text)
    ? text
        .trim()
        .split(/[\s,]+/)
        .filter((word) => word !== '')
        .map((word) => Number(word.replace(/(?<=[\d.])[eEdD]?(?=[-+]\d+$)|[dD]/, 'e')))
    : [];

/** Parses rows of numbers, or returns an error if a line contains anything else. */
function parseRows(lines: readonly Line[], columns: number) {
  const rows: { readonly line: number; readonly values: readonly number[] }[] = [];
  for (const line of lines) {
    if (line.text.trim() === '' || isComment(line)) continue;
    const values = parseNumbers(line.text);
    if (values.length !== columns || !values.every(Number.isFinite)) {
      const shown = JSON.stringify(line.text.trim().slice(0, 40));
      return { line: line.number, message: `${shown} is not ${columns} numbers, as its header specifies` };
    }
    rows.push({ line: line.number, values });
  }
  return rows;
}

interface Bins {
  readonly axis: string;
  readonly count: number;
  readonly size: number;
  readonly unit: string;
}

/** Whether an axis is a length. Bins in radius, angle, energy or time do not give a depth dose. */
const isLength = (axis: string): boolean => /^[xyz]$/i.test(axis);
const notAlongDepthError = (line: number, axis: string): BinnedTableError => ({
  line,
  message: `its bins are along ${axis}, so it is not a depth dose; allowed: bins along x, y or z`,
});

/** Selects the axis that has several bins; an error if there is not exactly one. */
function depthBins(
  bins: readonly Bins[],
  line: number,
): { readonly at: number; readonly bins: Bins } | BinnedTableError {
  const several = bins.flatMap((one, at) => (one.count > 1 ? [{ at, bins: one }] : []));
  const [first] = several;
  if (first !== undefined && several.length === 1)
    return isLength(first.bins.axis) ? first : notAlongDepthError(line, first.bins.axis);
  const counts = bins.map(({ axis, count }) => `${count} along ${axis}`).join(', ');
  return { line, message: `it has bins of ${counts}, so it is not a depth dose; allowed: several bins along one axis` };
}

const ignoredDescription = ignoredField('describes the simulation, without effect on bins or values');

/**
 * Rules for the header lines of each code, by their first words in lower case. Sources: TOPAS user guide, Scoring; GATE
 * user guide, Digitizer and readout, DoseActor; FLUKA manual, USRBIN and USRBDX, auxiliary programs; PHITS manual,
 * section 7, tallies; SHIELD-HIT12A manual, detect.dat; plain text of pymchelper.
 */
export const binnedFields = {
  topas: {
    'topas version': ignoredDescription,
    'parameter file': ignoredDescription,
    'results for scorer': ignoredDescription,
    'scored in component': ignoredDescription,
    'x in': honoured,
    'y in': honoured,
    'z in': honoured,
    quantity: honoured,
    'filtered by': forbiddenField('doses for all particles'),
    'binned by': forbiddenField('spatial bins only'),
  },
  gate: { 'matrix size': honoured, resol: honoured, voxelsize: honoured, nbval: honoured },
  fluka: {
    'detector n': honoured,
    'n. of': honoured,
  },
  usrbin: {
    'cartesian binning': honoured,
    'r - z': forbiddenField('Cartesian binning'),
    'r-phi-z': forbiddenField('Cartesian binning'),
    region: forbiddenField('Cartesian binning'),
    'reg/lat/u': forbiddenField('Cartesian binning'),
    'generalized particle': honoured,
    'x coordinate': honoured,
    'y coordinate': honoured,
    'z coordinate': honoured,
    'data follow in a matrix a(ix,iy,iz)': honoured,
    'percentage errors follow': honoured,
    'total number of particles followed': ignoredDescription,
    'total number of particles to be followed': forbiddenField('sums over all primaries'),
    'binning n:': forbiddenField('sums over all primaries'),
    'unnormalized data': forbiddenField('sums over all primaries'),
    '+/-': forbiddenField('bins of one side each'),
    'accurate deposition': ignoredField('describes how energy was distributed among bins'),
    'normalized (per unit volume)': ignoredField(
      'all bins have the same size, so ratios of energies are ratios of doses',
    ),
    'this is a track-length binning': forbiddenField('deposited energy or dose'),
    'only non-zero cells': forbiddenField('all cells'),
    'birk law': forbiddenField('energy without quenching'),
    'time cut off': forbiddenField('energy of all times'),
    'coordinate transformation': forbiddenField('bins along the axes of the simulation'),
    'single precision': ignoredField('seven digits are enough'),
  },
  phits: {
    title: ignoredDescription,
    mesh: oneOf('xyz', 'r-z'),
    axis: oneOf('x', 'y', 'z'),
    x: honoured,
    y: honoured,
    part: allowOnly('all, or several with all among them', (value) => value.split(/\s+/).includes('all')),
    material: oneOf('all'),
    // These options restrict the dose to one material or some tracks, or weight it by a function of the stopping power.
    dedxfnc: oneOf('0'),
    letmat: oneOf('0'),
    ...{ 'ctmin(1)': oneOf('-9999'), 'ctmin(2)': oneOf('-9999'), 'ctmin(3)': oneOf('-9999') },
    ...{ 'ctmax(1)': oneOf('9999'), 'ctmax(2)': oneOf('9999'), 'ctmax(3)': oneOf('9999') },
    multiplier: forbiddenField('values without a multiplier'),
    trcl: allowOnly('0: no transformation of the mesh', (value) => value === '0'),
    ...{ nx: honoured, ny: honoured, nz: honoured, nr: honoured, zmin: honoured, zmax: honoured },
    output: oneOf('dose', 'deposit', 'heat'),
    'e-type': ignoredField('energies of the axis eng, but these bins are spatial'),
    unit: ignoredField('y states the unit of the values'),
    factor: ignoredField('values already include it'),
    file: ignoredDescription,
    h: ignoredDescription,
  },
  'shield-hit': {
    'detector output': honoured,
    'x bin': honoured,
    start: honoured,
    end: honoured,
    primaries: ignoredDescription,
    'detector type': honoured,
    jpart: allowOnly('-1', (value) => /^-1\b/.test(value)),
  },
} as const satisfies Readonly<Record<string, FieldRules>>;

/**
 * Error for the first header line (`words: value` or `words = value`) with a value that the rules reject; null if there
 * is none.
 */
function findRejectedLine(lines: readonly Line[], rules: FieldRules): BinnedTableError | null {
  for (const { text, number } of lines) {
    const plain = text.replace(/^\s*#?\s*/, '');
    for (const [name, rule] of Object.entries(rules)) {
      if (rule.kind !== 'only' || !plain.toLowerCase().startsWith(name)) continue;
      const value = /^\s*[:=]?\s*([^#!]*?)\s*(?:[#!]|$)/.exec(plain.slice(name.length))?.[1] ?? '';
      const stated = /^\s*[:=]/.test(plain.slice(name.length));
      if (mayBeAbsent(rule) || (stated && !rule.accepts(value))) {
        return {
          line: number,
          message: `its header contains "${plain.trim().slice(0, 60)}"; allowed: ${rule.allowed}`,
        };
      }
    }
  }
  return null;
}

const TOPAS_BINS = /^\s*#\s*(\S+) in (\d+) bins?\s+of\s+(\S+)\s+(\S+)/;
const TOPAS_QUANTITY = /^\s*#\s*([\w^]+)\s*(?:\(\s*(.*?)\s*\))?\s*:\s*(.+)$/;
/** Names of scorers of deposited energy. Other scorers write fluence, LET or charge in the same bins. */
const TOPAS_DOSES = /^(dose(to\w+)?|energydeposit\w*)$/i;

const readTopas: TableReader = (lines) => {
  const heads = lines.filter(isComment);
  const refused = findRejectedLine(heads, binnedFields.topas);
  if (refused !== null) return refused;
  const bins = heads.flatMap(({ text }) => {
    const [, axis = '', count, size, unit = ''] = TOPAS_BINS.exec(text) ?? [];
    return count === undefined ? [] : [{ axis, count: Number(count), size: Number(size), unit }];
  });
  const binLine = heads.find(({ text }) => TOPAS_BINS.test(text))?.number ?? 1;
  const depth = depthBins(bins, binLine);
  if ('message' in depth) return depth;
  if (!(depth.bins.size > 0)) {
    return { line: binLine, message: 'its bin size is not valid; allowed: numbers above 0 with decimal points' };
  }
  const quantity = heads.findLast(({ text, number }) => number > binLine && TOPAS_QUANTITY.test(text));
  const [, scored = '', unit = '', names = ''] = TOPAS_QUANTITY.exec(quantity?.text ?? '') ?? [];
  if (scored !== '' && !TOPAS_DOSES.test(scored)) {
    const allowed = 'DoseToMedium, DoseToWater, DoseToMaterial, EnergyDeposit';
    return { line: quantity?.number ?? binLine, message: `its quantity is ${scored}; allowed: ${allowed}` };
  }
  const columns = names.trim().split(/\s+/);
  const value = ['Sum', 'Mean'].map((name) => columns.indexOf(name)).find((at) => at >= 0);
  if (value === undefined) {
    return {
      line: quantity?.number ?? binLine,
      message: `it reports ${names.trim() || 'nothing'}; allowed: Sum or Mean among its columns`,
    };
  }
  const rows = parseRows(lines, bins.length + columns.length);
  if ('message' in rows) return rows;
  const wrong = rows.find(({ values }, i) => values[depth.at] !== i);
  if (wrong !== undefined || rows.length !== depth.bins.count) {
    const line = wrong?.line ?? rows.at(-1)?.line ?? binLine;
    const message =
      wrong !== undefined && rows.length === depth.bins.count
        ? `its line is for bin ${wrong.values[depth.at]}, but bin ${rows.indexOf(wrong)} is expected; allowed: bins in order from 0 to ${depth.bins.count - 1}`
        : `it has ${countText(rows.length, 'line')} of bins; allowed: ${depth.bins.count}, starting at 0`;
    return { line, message };
  }
  return {
    depths: rows.map((_, i) => (i + 0.5) * depth.bins.size),
    doses: rows.map(({ values }) => values[bins.length + value] ?? Number.NaN),
    lines: rows.map(({ line }) => line),
    depthUnit: depth.bins.unit,
    unit: unit === '' ? null : unit,
  };
};

const GATE_BINS = /^\s*#\s*Resol\s*=\s*\(([^)]*)\)/;
const GATE_SIZE = /^\s*#\s*VoxelSize\s*=\s*\(([^)]*)\)/;
const GATE_MATRIX = /^\s*#\s*Matrix\s*Size\s*=\s*\(([^)]*)\)/;
const GATE_COUNT = /^\s*#\s*nbVal\s*=\s*(\S+)/;

/** Parses text written by GATE, in which Geant4 prints lengths in mm. */
const readGate: TableReader = (lines) => {
  const head = lines.find(({ text }) => GATE_BINS.test(text));
  const sizes = lines.find(({ text }) => GATE_SIZE.test(text));
  const line = head?.number ?? 1;
  const three = (of: RegExp, text = ''): readonly number[] =>
    (of.exec(text)?.[1] ?? '').split(',').map((part) => parseDecimal(part.trim()));
  const [counts, steps] = [three(GATE_BINS, head?.text), three(GATE_SIZE, sizes?.text)];
  for (const [name, of] of [
    ['Resol', counts],
    ['VoxelSize', steps],
  ] as const) {
    if (of.length !== 3 || of.some(Number.isNaN)) {
      return { line, message: `its ${name} has ${of.length} values; allowed: 3 numbers with decimal points` };
    }
  }
  const bins = ['X', 'Y', 'Z'].map((axis, i) => ({ axis, count: counts[i] ?? 0, size: steps[i] ?? 0, unit: 'mm' }));
  const depth = depthBins(bins, line);
  if ('message' in depth) return depth;
  if (!(depth.bins.size > 0)) return { line, message: 'its VoxelSize along the bins is not valid; allowed: above 0' };
  const matrix = lines.find(({ text }) => GATE_MATRIX.test(text));
  const whole = Number((GATE_MATRIX.exec(matrix?.text ?? '')?.[1] ?? '').split(',')[depth.at]);
  const ofBins = depth.bins.count * depth.bins.size;
  if (matrix !== undefined && !(Math.abs(whole - ofBins) <= 1e-3 * ofBins)) {
    return {
      line: matrix.number,
      message: `its Matrix Size is ${whole} mm; allowed: ${ofBins}, Resol times VoxelSize`,
    };
  }
  const announced = lines.find(({ text }) => GATE_COUNT.test(text));
  const number = Number(GATE_COUNT.exec(announced?.text ?? '')?.[1]);
  if (announced !== undefined && number !== depth.bins.count) {
    return {
      line: announced.number,
      message: `its nbVal is ${number}; allowed: ${depth.bins.count}, as given by Resol`,
    };
  }
  const rows: { readonly line: number; readonly value: number }[] = [];
  for (const one of lines) {
    if (isComment(one) || one.text.trim() === '') continue;
    if (parseNumbers(one.text).length === 0) {
      return { line: one.number, message: `${JSON.stringify(one.text.trim().slice(0, 40))} is not a number` };
    }
    rows.push(...parseNumbers(one.text).map((value) => ({ line: one.number, value })));
  }
  if (rows.length !== depth.bins.count) {
    return { line, message: `it has ${rows.length} values; allowed: ${depth.bins.count}, as given by Resol` };
  }
  return {
    depths: rows.map((_, i) => (i + 0.5) * depth.bins.size),
    doses: rows.map(({ value }) => value),
    lines: rows.map((one) => one.line),
    depthUnit: 'mm',
    unit: null,
  };
};

/** Largest gap between consecutive bins as a fraction of the bin width. Edges are printed with few digits. */
const MAX_EDGE_GAP = 1e-3;
/** Relative rounding error of START and END, which are printed with four digits. */
const PRINTED_PRECISION = 5e-4;

/** Converts rows with lower edge, upper edge and value to a table. */
function binsFromEdges(
  rows: readonly { readonly line: number; readonly values: readonly number[] }[],
  value: number,
  depthUnit: string | null,
): BinnedTable | BinnedTableError {
  const gap = rows.findIndex(({ values: [low = 0, high = 0] }, i) => {
    const before = rows[i - 1]?.values[1];
    return !(high > low) || (before !== undefined && Math.abs(low - before) > MAX_EDGE_GAP * (high - low));
  });
  if (gap >= 0) return { line: rows[gap]?.line ?? 1, message: 'its bin does not begin where the previous bin ends' };
  return {
    depths: rows.map(({ values: [low = 0, high = 0] }) => (low + high) / 2),
    doses: rows.map(({ values }) => values[value] ?? Number.NaN),
    lines: rows.map(({ line }) => line),
    depthUnit,
    unit: null,
  };
}

const FLUKA_DETECTOR = /^\s*#\s*Detector n:/;
const FLUKA_INTERVALS = /^\s*#\s*N\.?\s*of\s+(?:solid\s+)?(\w+)[\s-]+intervals\s*[:=]?\s*(\d+)?/i;

const readFluka: TableReader = (lines) => {
  const [, second] = lines.filter(({ text }) => FLUKA_DETECTOR.test(text));
  if (second !== undefined) return { line: second.number, message: 'it has several detectors; allowed: one per file' };
  // USRBDX and USRTRACK detectors have energy bins in the same columns, so the axis must be checked.
  const axes = lines.flatMap((line) => {
    const [, axis, count] = FLUKA_INTERVALS.exec(line.text) ?? [];
    return axis === undefined ? [] : [{ axis, line: line.number, count: count === undefined ? null : Number(count) }];
  });
  const other = axes.find(({ axis }) => !isLength(axis));
  if (other !== undefined) return notAlongDepthError(other.line, other.axis);
  const rows = parseRows(lines, 4);
  if ('message' in rows) return rows;
  const [stated] = axes.filter(({ count }) => count !== null && count !== 1);
  const announced = axes.reduce((product, { count }) => product * (count ?? 1), 1);
  if (stated !== undefined && announced !== rows.length) {
    return {
      line: stated.line,
      message: `it has ${countText(rows.length, 'line')} of bins; allowed: ${announced}, its N. of intervals`,
    };
  }
  return binsFromEdges(rows, 2, null);
};

const USRBIN = /^\s*(?:Cartesian|R - Z|R-Phi-Z|Region|Reg\/Lat\/U)\s+binning n\./i;
const USRBIN_PARTICLE = /generalized particle n\.\s*(\d+)/i;
const USRBIN_AXIS = /^\s*([XYZ]) coordinate: from\s+(\S+)\s+to\s+(\S+)\s+(\S+),\s+(\d+) bins\s+\(\s*(\S+)/i;
/** FLUKA's numbers for the generalised particles ENERGY and DOSE. */
const USRBIN_DEPOSITED: readonly string[] = ['208', '228'];

/**
 * Parses USRBIN text. After a format statement, it has the values A(ix,iy,iz), ten per line, followed by their errors
 * in per cent.
 */
const readUsrbin: TableReader = (lines) => {
  const heads = lines.filter(({ text }) => parseNumbers(text).length === 0);
  const refused = findRejectedLine(heads, binnedFields.usrbin);
  if (refused !== null) return refused;
  const [head, second] = heads.filter(({ text }) => USRBIN.test(text));
  if (second !== undefined) return { line: second.number, message: 'it has several binnings; allowed: one per file' };
  const line = head?.number ?? 1;
  const particle = USRBIN_PARTICLE.exec(head?.text ?? '')?.[1];
  if (particle === undefined || !USRBIN_DEPOSITED.includes(particle)) {
    return {
      line,
      message: `its generalized particle is ${particle ?? 'missing'}; allowed: 208 (ENERGY), 228 (DOSE)`,
    };
  }
  const bins: (Bins & { readonly from: number })[] = [];
  for (const { text, number } of heads) {
    const [, axis = '', from, to, unit = '', count, width] = USRBIN_AXIS.exec(text) ?? [];
    if (from === undefined) continue;
    const size = (Number(to) - Number(from)) / Number(count);
    if (!(size > 0) || Math.abs(Number(width) / size - 1) > MAX_EDGE_GAP) {
      return {
        line: number,
        message: `its bins along ${axis} are ${width} ${unit} wide; allowed: ${size}, computed from its ends and number of bins`,
      };
    }
    bins.push({ axis, count: Number(count), size, unit, from: Number(from) });
  }
  const depth = depthBins(bins, line);
  if ('message' in depth) return depth;
  const begin = lines.findIndex(({ text }) => /^\s*Data follow in a matrix A\(ix,iy,iz\)/i.test(text));
  const end = lines.findIndex(({ text }, i) => i > begin && /^\s*Percentage errors follow/i.test(text));
  if (begin < 0)
    return { line, message: 'it has no "Data follow in a matrix A(ix,iy,iz)"; allowed: values after this line' };
  const rows: { readonly line: number; readonly value: number }[] = [];
  for (const { text, number } of lines.slice(begin + 1, end < 0 ? undefined : end)) {
    const known = Object.keys(binnedFields.usrbin).some((name) => text.trim().toLowerCase().startsWith(name));
    const values = parseNumbers(text);
    if (text.trim() === '' || known) continue;
    if (values.length === 0) {
      return { line: number, message: `${JSON.stringify(text.trim().slice(0, 40))} is not a line of numbers` };
    }
    rows.push(...values.map((value) => ({ line: number, value })));
  }
  if (rows.length !== depth.bins.count) {
    return { line, message: `it has ${rows.length} values; allowed: ${depth.bins.count}, as given by its bins` };
  }
  const from = bins[depth.at]?.from ?? 0;
  return {
    depths: rows.map((_, i) => from + (i + 0.5) * depth.bins.size),
    doses: rows.map(({ value }) => value),
    lines: rows.map((one) => one.line),
    depthUnit: depth.bins.unit,
    unit: null,
  };
};

const PHITS_SCORED = /^\s*#?\s*y:\s*(.*\S)\s*$/;
/**
 * Accepted quantities and units of T-Deposit: energy, and energy per volume or mass. Equivalent dose, flux and LET are
 * rejected.
 */
const PHITS_DOSES =
  /^(absorbed dose|dose|heat|deposit|deposit(ed)? energy|energy deposit(ion)?)\s*(\[\s*(MeV|J|[kmunp]?Gy)(\s*\/\s*(cm\^?3|kg|g))?(\s*\/\s*(source|n))?\s*\])?$/i;
const PHITS_HEAD = /^\s*#\s*(\w+)-lower\s+\1-upper\s+(.+)$/;

/** First statement about the mesh that contradicts the rows, because rows or columns are missing. */
function phitsMesh(
  heads: readonly Line[],
  axis: string,
  edges: readonly (readonly number[])[],
): BinnedTableError | null {
  const [[low = 0, high = 0] = [], [, end = 0] = []] = [edges[0], edges.at(-1)];
  for (const { text, number } of heads) {
    const [, name = '', value = ''] = /^\s*#?\s*(n[xyzr]|[xyz](?:min|max))\s*=\s*([-+\d.eEdD]+)/.exec(text) ?? [];
    const stated = parseNumbers(value)[0];
    if (stated === undefined) continue;
    if (name.startsWith('n')) {
      if (name === `n${axis}` && stated !== edges.length) {
        return {
          line: number,
          message: `it has ${countText(edges.length, 'line')} of bins; allowed: ${stated}, its ${name}`,
        };
      }
      if (name !== `n${axis}` && stated !== 1) {
        return { line: number, message: `its ${name} is ${stated}, but it has one column of bins; allowed: 1` };
      }
    } else if (name.startsWith(axis)) {
      const found = name.endsWith('min') ? low : end;
      if (Math.abs(stated - found) > MAX_EDGE_GAP * (high - low) + PRINTED_PRECISION * Math.abs(found)) {
        return { line: number, message: `its bins reach ${found}; allowed: ${stated}, its ${name}` };
      }
    }
  }
  return null;
}

const readPhits: TableReader = (lines) => {
  const refused = findRejectedLine(lines, binnedFields.phits);
  if (refused !== null) return refused;
  const heads = lines.filter(({ text }) => PHITS_HEAD.test(text));
  const [head, second] = heads;
  if (second !== undefined) return { line: second.number, message: 'it has several pages; allowed: one per file' };
  const [, axis = '', names = ''] = PHITS_HEAD.exec(head?.text ?? '') ?? [];
  if (!isLength(axis)) return notAlongDepthError(head?.number ?? 1, axis);
  // Flux tallies have the same columns, so the scored quantity must be checked.
  const scored = lines.find(({ text }) => PHITS_SCORED.test(text));
  const quantity = PHITS_SCORED.exec(scored?.text ?? '')?.[1] ?? '';
  if (!PHITS_DOSES.test(quantity)) {
    return {
      line: scored?.number ?? 1,
      message: `its quantity is ${quantity || 'missing (no line y:)'}; allowed: dose, heat or deposited energy in Gy, J, MeV, or these per cm^3 or kg`,
    };
  }
  const columns = names.trim().split(/\s+/);
  const values = columns.filter((name) => !/^r\.err$/i.test(name));
  const value = columns.indexOf('all');
  if (value < 0) {
    const allowed = 'a column for all particles, because one particle contributes only a part of the dose';
    return { line: head?.number ?? 1, message: `it has columns of ${values.join(', ')}; allowed: ${allowed}` };
  }
  const begin = lines.indexOf(head ?? ({} as Line)) + 1;
  const end = lines.findIndex((line, i) => i >= begin && parseNumbers(line.text).length === 0);
  const rows = parseRows(lines.slice(begin, end < 0 ? undefined : end), 2 + columns.length);
  if ('message' in rows) return rows;
  const wrong = phitsMesh(
    lines.slice(0, begin),
    axis,
    rows.map(({ values }) => values),
  );
  if (wrong !== null) return wrong;
  const unit = lines.map(({ text }) => /^\s*#?\s*x:.*\[(\w+)\]/.exec(text)?.[1]).find((found) => found !== undefined);
  return binsFromEdges(rows, 2 + value, unit ?? null);
};

const SHIELD_HIT = /^\s*#\s*DETECTOR OUTPUT\b/;
const SHIELD_HIT_BINS = /(\w+)\s+BIN:\s*(\d+)/g;
const SHIELD_HIT_EDGES = /\w+\s+(?:START|END\s*):\s*([-+\d.eEdD]+)/g;
const SHIELD_HIT_TYPE = /DETECTOR TYPE:\s*(\S+)/;
/** Names of detector types that score dose or deposited energy. */
const DOSE_NAME = /^(dose|dose_?gy|energy|ddd)$/i;

/** Parses rows of x, y, z, value and optionally an error, with lengths in cm. */
const readShieldHit: TableReader = (lines) => {
  const heads = lines.filter(isComment);
  const refused = findRejectedLine(heads, binnedFields['shield-hit']);
  if (refused !== null) return refused;
  const [, second] = heads.filter(({ text }) => SHIELD_HIT.test(text));
  if (second !== undefined) return { line: second.number, message: 'it has several detectors; allowed: one per file' };
  const lineOf = (mark: RegExp): Line | undefined => heads.find(({ text }) => mark.test(text));
  const [binLine, typeLine] = [lineOf(/BIN:/), lineOf(SHIELD_HIT_TYPE)];
  const line = binLine?.number ?? heads[0]?.number ?? 1;
  const type = SHIELD_HIT_TYPE.exec(typeLine?.text ?? '')?.[1];
  if (type === undefined || !DOSE_NAME.test(type)) {
    const allowed = 'DOSE, DOSE_GY, ENERGY, DDD';
    return {
      line: typeLine?.number ?? line,
      message: `its detector type is ${type ?? 'missing'}; allowed: ${allowed}`,
    };
  }
  const comma = [lineOf(/START:/), lineOf(/END\s*:/)].find((one) => /\d,\d/.test(one?.text ?? ''));
  if (comma !== undefined) {
    return { line: comma.number, message: 'its START and END have decimal commas; allowed: decimal points' };
  }
  const edges = (mark: RegExp): readonly number[] =>
    [...(lineOf(mark)?.text ?? '').matchAll(SHIELD_HIT_EDGES)].map(([, text = '']) => Number(text.replace(/d/i, 'e')));
  const [starts, ends] = [edges(/START:/), edges(/END\s*:/)];
  const bins = [...(binLine?.text ?? '').matchAll(SHIELD_HIT_BINS)].map(([, axis = '', count], i) => {
    const size = ((ends[i] ?? Number.NaN) - (starts[i] ?? Number.NaN)) / Number(count);
    return { axis, count: Number(count), size, unit: 'cm' };
  });
  const depth = depthBins(bins, line);
  if ('message' in depth) return depth;
  if (!(depth.bins.size > 0)) return { line, message: 'its START and END give no valid bin size; allowed: above 0' };
  const first = lines.find((one) => !isComment(one) && one.text.trim() !== '');
  const columns = parseNumbers(first?.text ?? '').length;
  const rows = parseRows(lines, columns === 5 ? 5 : 4);
  if ('message' in rows) return rows;
  const start = starts[depth.at] ?? 0;
  const wrong = rows.find(({ values }, i) => {
    const centre = start + (i + 0.5) * depth.bins.size;
    return (
      Math.abs((values[depth.at] ?? 0) - centre) > MAX_EDGE_GAP * depth.bins.size + PRINTED_PRECISION * Math.abs(centre)
    );
  });
  if (wrong !== undefined || rows.length !== depth.bins.count) {
    const at = wrong?.line ?? rows.at(-1)?.line ?? line;
    const message =
      wrong !== undefined && rows.length === depth.bins.count
        ? `its bin at ${wrong.values[depth.at]} should be at ${start + (rows.indexOf(wrong) + 0.5) * depth.bins.size}; allowed: bins in order from START to END`
        : `it has ${countText(rows.length, 'line')} of bins; allowed: ${depth.bins.count}, one per bin from START to END`;
    return { line: at, message };
  }
  return {
    depths: rows.map((_, i) => start + (i + 0.5) * depth.bins.size),
    doses: rows.map(({ values }) => values[3] ?? Number.NaN),
    lines: rows.map((one) => one.line),
    depthUnit: 'cm',
    unit: /gy$/i.test(type) ? 'Gy' : null,
  };
};

const tableReaders: readonly (readonly [RegExp, TableReader])[] = [
  [TOPAS_BINS, readTopas],
  [GATE_BINS, readGate],
  [FLUKA_DETECTOR, readFluka],
  [USRBIN, readUsrbin],
  [PHITS_HEAD, readPhits],
  [SHIELD_HIT, readShieldHit],
];

/** Parses the table of any supported code; null if none of their formats matches. */
export function parseBinnedTable(lines: readonly string[]): BinnedTable | BinnedTableError | null {
  for (const [mark, read] of tableReaders) {
    if (lines.some((line) => mark.test(line))) return read(lines.map((text, i) => ({ number: i + 1, text })));
  }
  return null;
}
