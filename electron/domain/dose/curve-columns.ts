/**
 * Recognises the columns of a depth-dose table: depth and dose with their units, and columns or comments that would
 * change their meaning. Recognised words are English, German and French, as ionization chambers and Monte Carlo codes
 * write them.
 */
import { parseDepthDoseUnit } from '../../contract/dose/units.ts';
import { parseDecimal } from '../values/csv.ts';

/** Unit of depth for files that do not state one. `asked`: reject such files. */
export type DefaultDepthUnit = LengthName | 'asked';

export interface CurveColumns {
  readonly depth: number;
  readonly dose: number;
  /** Number of millimetres in a unit of depth. */
  readonly perUnit_mm: number;
  readonly depthUnit: string | null;
  readonly unit: string | null;
  /**
   * Number of columns. A line with more columns probably mixes decimal commas and separating commas, and would be
   * misread.
   */
  readonly count: number;
  readonly matter: string | null;
  /**
   * Columns with a second position, such as x. Their values must be constant, because a depth dose is measured along
   * one line.
   */
  readonly across: readonly { readonly column: number; readonly name: string }[];
  readonly notes: readonly string[];
}

/**
 * Beginning of a comment in files of Numpy, MATLAB and C. A percent sign without a space may begin a column's name.
 */
export const COMMENT = /^\s*(?:#+|%+(?=\s)|\/\/+)\s*/;
export const isComment = (line: string): boolean => COMMENT.test(line);

/** Supported units of depth: number of millimetres in each. */
const millimetres = { mm: 1, cm: 10, m: 1000 } as const;
export type LengthName = keyof typeof millimetres;
export const lengthUnits: ReadonlyMap<string, number> = new Map(Object.entries(millimetres));

/**
 * Unit in the name of a column: in brackets at the end, after a comma, or a length after `_`, `/` or a space. More
 * words may follow a length in brackets.
 */
export function parseUnit(name: string): string | null {
  const bracketed = (/[[(]([^\])]*)[\])]\s*$/.exec(name) ?? /[[(]\s*([nuµm]m|[cdk]?m|inch)\s*[\])]/i.exec(name))?.[1];
  const named = /(?:[_/\s]|,\s*)([nuµm]m|[cdk]?m|in|inch|g[_/]cm\^?[2²])$/i.exec(name)?.[1];
  return (bracketed ?? named)?.trim() ?? null;
}

/** Splits a column's name and unit into words: `DoseToWater [Gy]` and `dose_to_water_Gy` give dose, to, water, gy. */
function splitWords(name: string): readonly string[] {
  const words = name
    .replace(/\ba\.\s?u\.?/gi, 'au')
    .replace(/(?<![A-Za-z])([MkG]?eV|[npu]C|[kmcnu]Gy|[npum]A|mV)(?![A-Za-z])/g, (unit) => unit.toLowerCase())
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    // Replace signs, powers and divisions by an unknown word, because they make the column a different quantity.
    .replace(/^\s*\d+\s*\/|(?<!(?:\/|\bper)\s*)\b10\s*(?:\^|\*\*)\s*[-−+]?\d+/i, ' operator ')
    .replace(/^\s*\d*\s*[-−]|(?<=dose|signal|charge|current|reading|[pid]dd)\s*(?:\^|\*\*|²)/i, ' operator ')
    .replaceAll('/', ' per ')
    .toLowerCase()
    .split(/[^a-z0-9%]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word));
  // After `per`, `incident proton` only scales the dose. Elsewhere, `primary` restricts the dose to some particles.
  const scales = words.map((word) => SCALE_WORDS.has(word));
  return words.filter((word, i) => word !== 'per' && !(scales[i] === true && isAfterPer(words, scales, i)));
}

function isAfterPer(words: readonly string[], scales: readonly boolean[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && scales[before] === true) before -= 1;
  return words[before] === 'per' || words[before] === '1e9' || words[before] === 'e9';
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));
/** Words that may follow `per` and only scale a dose. */
const SCALE_WORDS = wordSet(
  'incident source primary primaries proton protons particle particles ion ions history histories event events reference ref monitor mu unit units',
);

/** Words in names of columns that are not a dose: its uncertainty or rate, LET, or a biologically weighted dose. */
const NON_DOSE_WORD = new RegExp(
  `^(${[
    'sigma|sd|std|stdev|stddev|dev|deviation|err|error|errors|unc|uncertainty|spread|var|variance|sem|rms|min|max|limit',
    'squared|count|entries|hits|rate|let|letd|lett|log|log10|ln|cumulative|difference|diff|residual|ratio|gamma',
    'rbe|biological|bio|biol|equivalent|effective|weighted|cge|gye|cobalt',
  ].join('|')})$`,
);

/** Words that mean a spread or an uncertainty. */
const SPREAD_WORD =
  /^(sigma|sd|std|stdev|stddev|dev|deviation|err|error|errors|unc|uncertainty|spread|var|variance|sem|rms)$/;

/** Words that mean depth, and words that may appear together with them. */
const DEPTH_WORDS = wordSet('depth tiefe profondeur z');
const DEPTH_CONTEXT_WORDS = wordSet(
  'in of the from at along water h2o pmma tissue medium material phantom tank surface beam central axis cax bin center centre mm cm m um nm inch g cm2',
);
const DOSE_WORDS = wordSet('dose doses dosis');
/** Words that mean a relative dose, if no column is named dose. */
const RELATIVE_DOSE_WORDS = wordSet(
  'pdd idd ddd d edep deposit deposited deposition ionization ionisation charge current reading readings signal percent gy cgy %',
);
/** Words that mean a detector reading, which may have to be divided by the reading of a reference detector. */
const READING_WORDS = wordSet('ionization ionisation charge current reading readings signal');
const REFERENCE_WORDS = wordSet('reference ref monitor mu');
/** Words that may appear in the name of a dose: scale, location, source and units. */
const DOSE_CONTEXT_WORDS = wordSet(
  `depth relative relativ rel normalized normalised normiert norm percentage absolute abs integral integrated absorbed physical
total mean average averaged energy to in of the at on along water h2o medium material phantom tank central axis cax bragg peak
curve value sum corrected corr raw measured meas measurement simulated calculated computed mc tps topas gate fluka phits geant4
film chamber detector reading mgy ugy ngy kgy mev kev ev j kg g um mm cm m mm2 cm2 mm3 cm3 nc pc na pa ma ua mv v
counts au arb arbitrary unit units 1e9 e9`,
);
const LENGTH_WORDS = wordSet('mm cm m um nm inch in');
/** Units in names of depths and of doses. `in` and `g` are excluded, because they have other meanings in names. */
const DEPTH_UNITS = wordSet('mm cm m um nm inch cm2');
const DOSE_UNITS = wordSet('gy cgy mgy ugy ngy kgy %');
/** Words for matter other than water, or for unspecified matter. */
const MATTER_WORDS = wordSet('pmma tissue medium material');
const WATER_WORDS = wordSet('water h2o');
export const COMMENTED_MATTER =
  /(?:\bdepths?\s+in|\b(?:material|medium|phantom)\s*[:=])\s*(pmma|acrylic|perspex|lucite|plexiglas|tissue|bone|lung|muscle|fat|alumini?um|copper|graphite|polyethylene|polystyrene)\b/i;
/** Matches a unit of depth in a comment: `depth unit: cm`, `depths in cm`. */
export const COMMENTED_UNIT = /\bdepths?(?:\s+units?)?\s*(?:[:=]|\bin\b)\s*\[?(mm|cm|m)\b/i;
/** Words for corrections, scales and shifts of a depth or dose. */
const CORRECTION_WORDS = wordSet(
  `background bg bkg bkgd dark leakage offset offsets shift correction corrections corr factor factors coefficient
gain gains amplification range attenuation quenching calibration cal scale scaling baseline pedestal`,
);
/** Names of correction factors of ionization chambers, as in IAEA TRS-398. */
const CHAMBER_FACTOR = /^k_?(tp|t|p|pol|ion|s|sat|q|elec)$/;
const CORRECTION_CONTEXT_WORDS = wordSet(
  `depth z k tp t p pol ion s recombination polarity temperature pressure wet equivalent window effective point
measurement normalization normalisation conversion multiplication`,
);
/** Words for additive corrections; all other corrections are factors. */
const SHIFT_WORDS = wordSet('background bg bkg bkgd dark leakage offset offsets shift baseline pedestal');
/** Words for positions across the beam. */
const LATERAL_WORDS = wordSet('x y r crossline inline lateral radius');
const LATERAL_CONTEXT_WORDS = wordSet('position pos in off axis distance');
const TIME_WORDS = wordSet('time duration exposure');
/** Words that mark an energy as deposited. Without them, a mean energy is that of the particles. */
const DEPOSITED_WORDS = wordSet('deposit deposited deposition absorbed');
const DOSE_UNIT_WORDS = wordSet('% percent gy cgy');
export const ALLOWED_ROWS = 'a line for each depth, with the depth and its dose';
const ALLOWED_DEPTHS = 'depth or z in mm, cm or m, such as depth_mm';
const ALLOWED_DOSES =
  'dose (such as dose, dose_Gy, relative dose), PDD, IDD, DDD, D, %, energy deposit, edep, ionization, charge, reading, signal';

const hasAnyWord = (words: readonly string[], names: ReadonlySet<string>): boolean =>
  words.some((word) => names.has(word));
const hasOnlyWords = (words: readonly string[], ...sets: readonly ReadonlySet<string>[]): boolean =>
  words.every((word) => sets.some((names) => names.has(word)));

/** Whether the words may name a dose. `d_mm` is a length. With several columns, `%` alone is ambiguous. */
function isDose(words: readonly string[], columns: number): boolean {
  const isLength = hasOnlyWords(words, LENGTH_WORDS, new Set('d')) && hasAnyWord(words, LENGTH_WORDS);
  const isUnit = hasOnlyWords(words, DOSE_UNIT_WORDS) && columns > 2;
  const isMeanEnergy =
    (words.includes('mean') || words.includes('average')) &&
    words.some(
      (word, i) => word === 'energy' && ![words[i - 1], words[i + 1]].some((other) => DEPOSITED_WORDS.has(other ?? '')),
    );
  return (
    hasOnlyWords(words, DOSE_WORDS, RELATIVE_DOSE_WORDS, DOSE_CONTEXT_WORDS) && !isLength && !isUnit && !isMeanEnergy
  );
}

/** Parses the name of a dose column and returns its unit, if it contains one. Null if the name does not mean a dose. */
export function parseDoseName(name: string): { readonly unit: string | null } | null {
  const words = splitWords(name);
  const isOne = hasAnyWord(words, DOSE_WORDS) || hasAnyWord(words, RELATIVE_DOSE_WORDS);
  if (!isOne || words.some((word) => NON_DOSE_WORD.test(word)) || !isDose(words, 2)) return null;
  const unit = (/dose[_ ([/]+([^)\]]*?)[)\]]?$/i.exec(name)?.[1] ?? '').replace(/^in\s+/i, '');
  return { unit: unit === '' ? null : unit.replace(/_per_/g, '/') };
}

/** Whether a name is the word `dose`, optionally with a unit. */
function isPlainDose(name: string): boolean {
  const [, unit] = /^dose(?:[_ ([/]+(.*?)[)\]]?)?$/i.exec(name.trim()) ?? [null, null];
  return (
    unit === undefined ||
    unit === '' ||
    (unit !== null && (/^([cmun]?gy|%|a\.?u\.?)$/i.test(unit) || parseDepthDoseUnit(unit) !== null))
  );
}

/** Finds the columns of depth and dose by the words in their names. A name with an unknown word matches neither. */
function findNamedColumns(fields: readonly string[]): { readonly depth: number; readonly dose: number } | string {
  const words = fields.map(splitWords);
  const columns = fields.filter((field) => field !== '').length;
  const plain = (i: number): boolean => !(words[i] ?? []).some((word) => NON_DOSE_WORD.test(word));
  const all = (accept: (of: readonly string[]) => boolean): readonly number[] =>
    [...words.keys()].filter((i) => plain(i) && accept(words[i] ?? []));
  const only = (found: readonly number[], exact: string, isExact: (name: string) => boolean): number | string => {
    const [first, second] = found;
    if (first === undefined || second === undefined) return first ?? -1;
    const named = found.filter((i) => isExact(fields[i] ?? ''));
    return named.length === 1
      ? (named[0] ?? -1)
      : `the header has ${found.map((i) => `"${fields[i]}"`).join(' and ')}; allowed: one ${exact}`;
  };
  const named = all((of) => hasAnyWord(of, DOSE_WORDS));
  const others = () => all((of) => hasAnyWord(of, RELATIVE_DOSE_WORDS) && isDose(of, columns));
  const dose = only(named.length > 0 ? named : others(), 'dose', isPlainDose);
  if (typeof dose === 'string') return dose;
  const own = words[dose] ?? [];
  if (dose >= 0 && !isDose(own, columns)) {
    return `the column "${fields[dose]}" contains a word that does not belong to a dose; allowed: ${ALLOWED_DOSES}`;
  }
  const reference = words.findIndex((of, i) => i !== dose && hasAnyWord(of, REFERENCE_WORDS));
  if (hasAnyWord(own, READING_WORDS) && reference >= 0) {
    return `"${fields[dose]}" is next to "${fields[reference]}", by which it may have to be divided; allowed: only a column with their ratio`;
  }
  if (
    ['charge', 'nc', 'pc'].some((unit) => own.includes(unit)) &&
    words.some((of, i) => i !== dose && hasAnyWord(of, TIME_WORDS))
  ) {
    const time = fields[words.findIndex((of, i) => i !== dose && hasAnyWord(of, TIME_WORDS))];
    return `"${fields[dose]}" is next to "${time}", by which it may have to be divided; allowed: only a column with their ratio`;
  }
  const depth = only(
    all((of) => hasAnyWord(of, DEPTH_WORDS) && hasOnlyWords(of, DEPTH_WORDS, DEPTH_CONTEXT_WORDS)),
    'depth',
    (name) => splitWords(name)[0] === 'depth' && parseUnit(name) !== null,
  );
  if (typeof depth === 'string') return depth;
  return { depth, dose };
}

/** Millimetres per unit of depth, or an error text. `stated` is the unit that the file states. */
export function resolveDepthUnit(name: string, stated: string | null, otherwise: DefaultDepthUnit): number | string {
  if (stated === null && otherwise === 'asked')
    return 'the unit of depth is missing; allowed: a column such as depth_mm or depth_cm, or --unit';
  const length = (stated ?? otherwise).toLowerCase();
  const perUnit_mm = lengthUnits.get(length);
  return perUnit_mm ?? `the depth "${name}" is in ${stated}; allowed: ${[...lengthUnits.keys()].join(', ')}`;
}

/** Error text for a name with two units, such as `depth_mm [cm]`; otherwise null. */
function ambiguousUnitError(name: string, units: ReadonlySet<string>): string | null {
  const found = [...new Set(splitWords(name).filter((word) => units.has(word)))];
  return found.length > 1 ? `"${name}" has the units ${found.join(' and ')}; allowed: one unit` : null;
}

/** Word for matter other than water in the name of a depth; null if there is none. */
function matterWord(name: string): string | null {
  const words = splitWords(name);
  return hasAnyWord(words, WATER_WORDS) ? null : (words.find((word) => MATTER_WORDS.has(word)) ?? null);
}

/**
 * Classifies the remaining columns. Columns that would change the depth or the dose are errors. Columns with a spread
 * or an uncertainty are ignored without a note.
 */
function classifyOtherColumns(
  fields: readonly string[],
  used: readonly number[],
): Pick<CurveColumns, 'across' | 'notes'> | string {
  const others = fields.flatMap((name, column) => {
    const words = splitWords(name);
    const silent = used.includes(column) || words.length === 0 || words.some((word) => SPREAD_WORD.test(word));
    return silent ? [] : [{ name, column, words }];
  });
  const change = others.find(
    ({ words }) =>
      CHAMBER_FACTOR.test(words.join('')) ||
      (hasAnyWord(words, CORRECTION_WORDS) &&
        hasOnlyWords(
          words,
          CORRECTION_WORDS,
          CORRECTION_CONTEXT_WORDS,
          DOSE_WORDS,
          RELATIVE_DOSE_WORDS,
          DOSE_CONTEXT_WORDS,
          LENGTH_WORDS,
        )),
  );
  if (change !== undefined) {
    return `the column "${change.name}" would change the depth or the dose; allowed: values with the change applied, without this column`;
  }
  const across = others.filter(
    ({ words }) =>
      hasAnyWord(words, LATERAL_WORDS) && hasOnlyWords(words, LATERAL_WORDS, LATERAL_CONTEXT_WORDS, LENGTH_WORDS),
  );
  const names = others.map(({ name }) => `"${name}"`).join(', ');
  const notes =
    others.length === 0
      ? []
      : [`Its ${others.length === 1 ? 'column' : 'columns'} ${names} ${others.length === 1 ? 'is' : 'are'} ignored`];
  return { across, notes };
}

export function headerColumns(fields: readonly string[], otherwise: DefaultDepthUnit): CurveColumns | string {
  const numbers = fields.slice(1).filter((field) => Number.isFinite(parseDecimal(field))).length;
  if (numbers > 1 && numbers === fields.length - 1) {
    return `"${fields[0]}" is followed by ${numbers} values; allowed: names in the first line, then ${ALLOWED_ROWS}`;
  }
  const named = findNamedColumns(fields);
  if (typeof named === 'string') return named;
  const { depth, dose } = named;
  if (depth < 0 || dose < 0) {
    const [missing, allowed] = depth < 0 ? ['depth', ALLOWED_DEPTHS] : ['dose', ALLOWED_DOSES];
    return `the header "${fields.join(',')}" has no ${missing}; allowed: ${allowed}`;
  }
  const name = fields[depth] ?? '';
  const units = ambiguousUnitError(name, DEPTH_UNITS) ?? ambiguousUnitError(fields[dose] ?? '', DOSE_UNITS);
  if (units !== null) return units;
  const others = classifyOtherColumns(fields, [depth, dose]);
  if (typeof others === 'string') return others;
  const depthUnit = parseUnit(name);
  const perUnit_mm = resolveDepthUnit(name, depthUnit, otherwise);
  if (typeof perUnit_mm === 'string') return perUnit_mm;
  return {
    ...{ depth, dose, perUnit_mm, depthUnit, count: fields.length },
    unit: parseDoseName(fields[dose] ?? '')?.unit ?? null,
    ...{ matter: matterWord(name), ...others },
  };
}

interface StatedCorrection {
  readonly line: number;
  readonly text: string;
  /** False for a factor of the dose, which does not change a relative dose. */
  readonly always: boolean;
}

/** Matches a name with a value, such as `scale factor: 2.5` or `depth offset 1.3 mm`. */
const STATED_VALUE = /^([^:=]+?)(?:\s*[:=]\s*|\s+)([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*[[(]?[a-z%µ]*[\])]?$/i;
const MULTIPLY = /^(multiply|divide)\b.*\bby\s+([-+.\de]+)/i;
const APPLIED_CORRECTION = /(?<!\bnot\s)\b(applied|included|corrected|subtracted)\b/i;

/** Finds corrections of dose or depth that a comment mentions without stating that they were applied. */
function statedCorrections(line: string, number: number): readonly StatedCorrection[] {
  if (APPLIED_CORRECTION.test(line)) return [];
  return line
    .replace(COMMENT, '')
    .split(/[;,]\s+/)
    .flatMap((part) => {
      const text = part.replace(/\(?\bnot applied\)?/i, '').trim();
      const [, order, factor] = MULTIPLY.exec(text) ?? [];
      const [, name = '', value = ''] = STATED_VALUE.exec(text) ?? [];
      const words = order === undefined ? splitWords(name) : ['factor'];
      const isChange =
        CHAMBER_FACTOR.test(words.join('')) ||
        (hasAnyWord(words, CORRECTION_WORDS) &&
          !words.includes('range') &&
          hasOnlyWords(
            words,
            CORRECTION_WORDS,
            CORRECTION_CONTEXT_WORDS,
            DOSE_WORDS,
            RELATIVE_DOSE_WORDS,
            DOSE_CONTEXT_WORDS,
            LENGTH_WORDS,
            DEPTH_WORDS,
            DEPTH_CONTEXT_WORDS,
          ));
      const isShift = hasAnyWord(words, SHIFT_WORDS);
      if (!isChange || parseDecimal((factor ?? value).replace(',', '.')) === (isShift ? 0 : 1)) return [];
      return [{ line: number, text: part.trim().slice(0, 60), always: isShift || hasAnyWord(words, DEPTH_WORDS) }];
    });
}

/** Errors and notes about corrections in the comments of a table. `unit` is the unit of the dose. */
export function correctionIssues(lines: readonly string[], unit: string | null) {
  const changes = lines.flatMap((line, index) => (isComment(line) ? statedCorrections(line, index + 1) : []));
  const isRelative = unit === null || unit === '%';
  const faults = changes
    .filter(({ always }) => always || !isRelative)
    .map(({ line, text, always }) => ({
      line,
      message: `its comment "${text}" would change ${always ? 'the depth or ' : ''}the dose; allowed: values with it applied, without the line`,
    }));
  const notes = changes.map(({ text }) => `Its comment "${text}" is not applied: it changes no relative dose`);
  return { faults, notes };
}

/**
 * Columns of a table without a header, or an error text. With more than two columns, the dose column is ambiguous.
 * `rows` is the number of lines in the table.
 */
export function columnsWithoutHeader(
  fields: readonly string[],
  otherwise: DefaultDepthUnit,
  rows: number,
): CurveColumns | string {
  const values = fields.filter((field) => field !== '').length;
  if (values < 2) return `a column of values without depths; allowed: ${ALLOWED_ROWS}`;
  if (values > 2 && (rows === 1 || (values > 3 && rows === 2)))
    return `${rows === 1 ? 'a row' : 'two rows'} of ${values} values; allowed: ${ALLOWED_ROWS}`;
  if (values > 2) {
    return `${fields.length} columns without names; allowed: two, or a header such as depth_mm,dose,dose_error`;
  }
  const perUnit_mm = resolveDepthUnit('', null, otherwise);
  if (typeof perUnit_mm === 'string') return perUnit_mm;
  const none = { depthUnit: null, unit: null, matter: null, across: [], notes: [] };
  return { depth: 0, dose: 1, perUnit_mm, count: fields.length, ...none };
}
