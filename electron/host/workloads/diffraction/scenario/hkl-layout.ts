/**
 * Determines the columns of a list of reflections: from a header with names, from the header of XDS_ASCII, or by
 * SHELX's HKLF 4. Formats of other programs are recognized by their first lines.
 */
import {
  allowOnly,
  checkFields,
  type FieldRules,
  honoured,
  ignoredField,
  oneOf,
} from '../../../../domain/header-fields.ts';

export const indexNames = ['h', 'k', 'l'] as const;

/** Positions of the columns, and the quantity in the column after h, k, l. */
export interface Layout {
  readonly columns: readonly [h: number, k: number, l: number, value: number];
  readonly value: 'F' | 'I';
  /** Column of the value's standard deviation. Null if there is none. */
  readonly sigma: number | null;
  /** Whether a negative sigma marks an outlier, as documented by XDS. In other formats it is an error. */
  readonly misfits?: true;
  /**
   * Whether a header names the columns. Without a header and with a fifth column, the meaning of the fourth is
   * ambiguous.
   */
  readonly named: boolean;
  /** Maximum number of values on a line, or null for no limit. A longer line contains decimal commas. */
  readonly most: number | null;
  /** Conditions on additional columns that may change the meaning of a line. */
  readonly checks: readonly Check[];
}

interface Check {
  readonly column: number;
  readonly name: string;
  /** Whether the value is accepted. `indices`: h, k and l of the line. */
  readonly accepts: (value: number, indices: readonly number[]) => boolean;
  /** Allowed values, for the end of the message. */
  readonly allowed: string;
}

const equals = (wanted: number) => (value: number) => value === wanted;

/**
 * Columns that must have certain values, because otherwise the line is not a single reflection of one crystal with its
 * F or I.
 */
const CHECKS: readonly (readonly [RegExp, Pick<Check, 'accepts' | 'allowed'>])[] = [
  [
    /^(batch|twin|comp|component|domain|crystal)(_?(no|nr|num|number|id))?$/,
    { accepts: equals(1), allowed: '1: one crystal, no twin and one scale' },
  ],
  [
    /^(m|mult|multiplicity|mul|epsilon|eps)$/,
    { accepts: equals(1), allowed: '1: one reflection per line, since the list is used in P1' },
  ],
];
/** Modulated structures have a fourth index after h, k, l, and sometimes further ones. All must be 0. */
const SATELLITE: Pick<Check, 'accepts' | 'allowed'> = {
  accepts: equals(0),
  allowed: '0: only main reflections, with three indices',
};
const HEXAGONAL: Pick<Check, 'accepts' | 'allowed'> = {
  accepts: (i, [h = 0, k = 0]) => i === -(h + k),
  allowed: '-(h + k), the third of four indices of a hexagonal lattice',
};
/** Columns that do not affect a reflection: standard deviations, calculated values, positions and flags. */
const IGNORED_COLUMNS =
  /^(sig|sigma|sd|std|esd|err|error|unc|w|weight|f[co]?c|fcalc|f_?calc|f_?(sq|squared)_?calc|ic|icalc|phi[a-z]*|phase|phases|alpha|a|b|acalc|bcalc|fom|free|r?-?freer?[-_]?flags?|rfree|status|flag|obs|d|d_?hkl|d_?spacing|dspacing|res|resolution|s|stol|stol2|sin|sintheta.*|sin_?theta.*|theta|tth|2theta|twotheta|two_theta|q|lambda|wavelength|n|no|nr|nobs|count|redundancy|index|id|comment|x|y|z|xd|yd|zd|frame|image|psi|lp|corr|path|t|absorption|tbar)([^a-z].*)?$/;

/** Maximum number of columns in a header. Other programs name up to about twenty. */
const MAX_COLUMNS = 24;

export const bareLayout: Layout = {
  columns: [0, 1, 2, 3],
  value: 'F',
  sigma: null,
  named: false,
  most: null,
  checks: [],
};

/** SHELX's format HKLF 4 with fixed columns: F², sigma and an optional batch number. It has no header. */
export const HKLF4: Layout = {
  ...{ columns: [0, 1, 2, 3], value: 'I', sigma: 4, named: true, most: 6 },
  checks: [
    {
      ...{ column: 5, name: 'batch', allowed: '1: one crystal, no twin and one scale' },
      accepts: (batch) => Number.isNaN(batch) || batch === 0 || batch === 1,
    },
  ],
};
export const HKLF4_NOTE =
  'Its fixed columns are read as SHELX HKLF 4: the fourth value is F². For F, as in HKLF 3, put a line "h k l F sigma" first.';

/** Names of amplitudes and of intensities. The square of an amplitude counts as an intensity. */
const AMPLITUDE = /^(f|fp|amp|ampl|amplitude)$/;
const INTENSITY = /^(i|int|intensity)$/;
/** Suffixes that do not change the quantity: words for "measured", a mark for one of two Friedel mates, or a unit. */
const MEASURED_NAME = /^(o|obs|observed|meas|measured|exp|mean|[-+]|e|el|electrons?|a\.?u\.?|arb.*|counts)$/;
const SQUARED_SUFFIX = /^(\^2|\*\*2|²|2|sq|squared|\^2.*)$/;
const SIGMAS = /^(sig|sigma|sd|std|esd)[^/]*$|^[^/]*(sigma|_sig)$/i;

/** Quantity of a column with a name such as `F(obs)^2`, `|Fo|` or `F_squared_meas`. Null for other columns. */
function quantityOf(name: string): 'F' | 'I' | null {
  const parts = [...name.toLowerCase().matchAll(/[[(]([^\])]*)[\])]|(\^2|\*\*2|²)|([^[\](){}|^*²]+)/g)];
  const whole = parts.map(([part]) => part).join('') === name.toLowerCase().replaceAll('|', '');
  const [base = '', ...others] = parts.flatMap(([, inside, square, word]) => inside ?? square ?? nameParts(word ?? ''));
  const isKnown = others.every((other) => MEASURED_NAME.test(other) || SQUARED_SUFFIX.test(other));
  if (!whole || !isKnown || parts[0]?.[3] === undefined) return null;
  const squares = others.filter((other) => SQUARED_SUFFIX.test(other)).length;
  if (AMPLITUDE.test(base)) return squares === 0 ? 'F' : squares === 1 ? 'I' : null;
  return INTENSITY.test(base) && squares === 0 ? 'I' : null;
}

const isIgnored = (name: string): boolean => IGNORED_COLUMNS.test(name) || SIGMAS.test(name);

/** Splits a column name into the quantity and its suffixes, for example `f_squared_meas`, `fobs`, `fo2` or `imean`. */
function nameParts(word: string): readonly string[] {
  const [first = '', ...rest] = word.split(/[-_]/).filter((part) => part !== '');
  const [, base = first, measured = '', square = ''] =
    /^(fp?|i|int|intensity|ampl?|amplitude)(o|obs|meas|exp|mean)?(2|sq|squared)?$/.exec(first) ?? [];
  return [base, ...[measured, square].filter((part) => part !== ''), ...rest];
}

/**
 * Parses a header line such as `h k l F`, which may begin with #. Null for other lines. Returns a message if the value
 * is neither F nor I.
 */
export function parseHeader(line: string): Layout | string | null {
  const words = line
    .replace(/^\s*[#!]?\s*/, '')
    // A unit or exponent after a space belongs to the preceding name.
    .replace(/\s*[[(][^\])]*[\])]/g, (unit) => unit.replace(/[\s,;]+/g, ''))
    .replace(/\s*(\^|\*\*)\s*2|\s+²/g, '²')
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
  const plain = words.map((word) => word.replace(/[[(].*$/, ''));
  const at = ['h', 'k', 'l'].map((name) => plain.findIndex((word) => word.toLowerCase() === name));
  if (at.includes(-1) || words.length < 4) return null;
  // Prose after # may contain the words h, k and l too, but a header begins with them and has few columns.
  const prose = /^\s*[#!]/.test(line) && (at.some((column) => column > 2) || words.length > MAX_COLUMNS);
  if (prose) return null;
  const [h = 0, k = 1, l = 2] = at;
  // In a header `h k i l`, the third index must not be taken for an intensity.
  const third = l === k + 2 && plain[k + 1]?.toLowerCase() === 'i' ? k + 1 : -1;
  const values = words.map((word, column) => (column === third ? null : quantityOf(word)));
  const value = values.findIndex((quantity) => quantity !== null);
  const quantity = values[value] ?? null;
  if (quantity === null) return `its header "${words.join(' ')}" has neither F nor I; allowed: h k l F, h k l I`;
  const both = values.includes('F') && values.includes('I');
  if (both) return `its header "${words.join(' ')}" has both F and I; allowed: one of them`;
  const count = values.filter((one) => one !== null).length;
  if (count > 1) return `its header "${words.join(' ')}" has ${count} values; allowed: one of F or I`;
  const sigma = plain.findIndex((word) => SIGMAS.test(word));
  const others = plain.flatMap((name, column) =>
    [h, k, l, value, sigma, third].includes(column) ? [] : [{ column, name: name.toLowerCase() }],
  );
  const checks = others.flatMap(({ column, name }): readonly Check[] => {
    const isIndex = column > l && plain.slice(l + 1, column + 1).every((one) => /^(m[1-9]?|n)$/i.test(one));
    const check = isIndex ? SATELLITE : CHECKS.find(([known]) => known.test(name))?.[1];
    return check === undefined ? [] : [{ ...check, column, name }];
  });
  const strange = others.find(({ column, name }) => !checks.some((one) => one.column === column) && !isIgnored(name));
  if (strange !== undefined) {
    return `its header has the unknown column "${strange.name}"; allowed: h k l, F or I, sigma, batch, multiplicity and columns such as phase or d`;
  }
  return {
    columns: [h, k, l, value],
    value: quantity,
    sigma: sigma < 0 ? null : sigma,
    checks: third < 0 ? checks : [...checks, { ...HEXAGONAL, column: third, name: 'i' }],
    ...{ named: true, most: words.length },
  };
}

const geometry = ignoredField('the scenario sets the crystal, the beam and the detector');
const experiment = ignoredField('describes how intensities were measured, and they are corrected for it');

/** Rules for header fields of XDS_ASCII.HKL, from the documentation of XDS. Fields with ITEM_ number the columns. */
export const xdsFields: FieldRules = {
  format: oneOf('XDS_ASCII'),
  merge: honoured,
  "friedel's_law": honoured,
  number_of_items_in_each_data_record: honoured,
  space_group_number: honoured,
  item_h: honoured,
  item_k: honoured,
  item_l: honoured,
  item_iobs: honoured,
  'item_sigma(iobs)': honoured,
  // XSCALE writes a file name chosen by the user, so reject only the name that INTEGRATE writes.
  output_file: allowOnly('files of CORRECT or XSCALE', (name) => !/(^|\/)integrate\.hkl$/i.test(name)),
  unit_cell_constants: geometry,
  'unit_cell_a-axis': geometry,
  'unit_cell_b-axis': geometry,
  'unit_cell_c-axis': geometry,
  'x-ray_wavelength': geometry,
  rotation_axis: geometry,
  incident_beam_direction: geometry,
  detector_distance: geometry,
  orgx: geometry,
  orgy: geometry,
  nx: geometry,
  ny: geometry,
  qx: geometry,
  qy: geometry,
  'direction_of_detector_x-axis': geometry,
  'direction_of_detector_y-axis': geometry,
  oscillation_range: experiment,
  starting_angle: experiment,
  starting_frame: experiment,
  data_range: experiment,
  name_template_of_data_frames: experiment,
  detector: experiment,
  overload: experiment,
  air: experiment,
  silicon: experiment,
  sensor_thickness: experiment,
  fraction_of_polarization: experiment,
  polarization_plane_normal: experiment,
  profile_fitting: experiment,
  include_resolution_range: experiment,
  'reflecting_range_e.s.d.': experiment,
  'beam_divergence_e.s.d.': experiment,
  variance_model: experiment,
  date: experiment,
  item_xd: experiment,
  item_yd: experiment,
  item_zd: experiment,
  item_rlp: experiment,
  item_peak: experiment,
  item_corr: experiment,
  item_psi: experiment,
  item_iset: experiment,
};

export interface XdsHeader {
  readonly layout: Layout;
  /** Whether the list contains unique reflections, instead of single observations. */
  readonly merged: boolean;
  /** Whether a reflection and its Friedel mate are equivalent. */
  readonly friedel: boolean;
  /** Number of values on each line. Null if the header does not state it. */
  readonly items: number | null;
  readonly notes: readonly string[];
}

/**
 * Parses the header of XDS_ASCII.HKL, in which columns are numbered from 1. Returns a message if a field is invalid.
 * Throws BraggError `foreign-file`.
 */
export function xdsHeader(lines: Iterable<string>): XdsHeader | string {
  const all: { readonly name: string; readonly value: string }[] = [];
  for (const line of lines) {
    if (/^!END_OF_HEADER/.test(line)) break;
    // The first line contains several fields.
    for (const [, name = '', value = ''] of line.replace(/^\uFEFF?!/, '').matchAll(/([A-Z][^\s=]*)=\s*(\S*)/g)) {
      all.push({ name, value });
    }
  }
  // Scaled lists repeat fields for each of their input files.
  const known = new Map(all.map((field) => [field.name, field]));
  const fields = checkFields('', [...known.values()], xdsFields, 'ignored');
  const items = all.flatMap(({ name, value }) => {
    const item = /^ITEM_(.+)$/.exec(name)?.[1];
    return item === undefined ? [] : [[item, Number(value) - 1] as const];
  });
  const columns = new Map(items);
  const [h, k, l, intensity] = ['H', 'K', 'L', 'IOBS'].map((name) => columns.get(name));
  if (h === undefined || k === undefined || l === undefined || intensity === undefined) {
    return `its XDS_ASCII header has the items ${[...columns.keys()].join(', ') || 'none'}; allowed: H, K, L and IOBS among them`;
  }
  const wrong = items.find(([, column]) => !Number.isInteger(column) || column < 0 || column >= MAX_COLUMNS);
  if (wrong !== undefined)
    return `ITEM_${wrong[0]}=${wrong[1] + 1} is not a valid column; allowed: 1 to ${MAX_COLUMNS}`;
  const flagOf = (name: string): boolean | string => {
    const value = fields.get(name) ?? 'FALSE';
    return /^(true|false)$/i.test(value) ? /^true$/i.test(value) : `${name} = ${value}; allowed: TRUE, FALSE`;
  };
  const [merged, friedel] = [flagOf('merge'), flagOf("friedel's_law")];
  if (typeof merged === 'string') return merged;
  if (typeof friedel === 'string') return friedel;
  const group = Number(fields.get('space_group_number') ?? 1);
  if (!Number.isInteger(group) || group < 1 || group > 230) {
    return `SPACE_GROUP_NUMBER=${fields.get('space_group_number')}; allowed: 1 to 230`;
  }
  if (merged && group !== 1) {
    return `SPACE_GROUP_NUMBER=${group} with MERGE=TRUE lists one of several equivalent reflections; allowed: 1, a list expanded to P1`;
  }
  const count = fields.get('number_of_items_in_each_data_record');
  return {
    layout: {
      columns: [h, k, l, intensity],
      value: 'I',
      sigma: columns.get('SIGMA(IOBS)') ?? null,
      ...{ named: true, misfits: true, most: null, checks: [] },
    },
    ...{ merged, friedel },
    items: count === undefined ? null : Number(count),
    notes:
      group === 1 ? [] : [`Its space group is ${group}, but no symmetry is applied: missing reflections are zero.`],
  };
}

/** Patterns for the first lines of lists from other programs, after comments, with the name of the format. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^(data_|loop_|_refln|_shelx)/i, 'CIF or FCF: export h k l F or h k l I from its _refln loop'],
  [/^(\{[^}]*\}\s*|remark[^\n]*\n\s*)*(nrefl|anomalous\s*=|declare\s+nam|inde\s)/i, 'CNS: export h k l F from it'],
  [/^MTZ /, 'MTZ, which is binary: export h k l F from it'],
  // Merged Scalepack files begin with the number 1, a negative number, the cell and the space group.
  [
    /^1[ \t]*\r?\n[ \t]*-\d+[ \t]*\r?\n(?:[ \t]+\d+\.\d+){6}[ \t]+\S/,
    'Scalepack: export h k l I sigma from it, expanded to P1',
  ],
  // Unmerged Scalepack files begin with the number of symmetry operators and the space group, followed by the matrices.
  [
    /^\d+[ \t]+[A-Za-z]\S*[ \t]*\r?\n(?:[ \t]*(?:-?\d+[ \t]+){2,}-?\d+[ \t]*\r?\n){2}/,
    'Scalepack without merging: export h k l I sigma from it',
  ],
];

/** Returns the name of another program's format, from the beginning of a list. Undefined for a plain list. */
export function foreignListFormat(text: string): string | undefined {
  const begin = text
    .slice(0, 4096)
    .replace(/^(?:[ \t\r\uFEFF]*(?:#[^\n]*)?\n)*/, '')
    .trimStart();
  return OTHERS.find(([mark]) => mark.test(begin))?.[1];
}
