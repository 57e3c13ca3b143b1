/** Reads headers of NRRD volumes, by the format definition of the Teem project (versions 1 to 5). */

import {
  absent,
  allowOnly,
  checkFields,
  type FieldRules,
  foreignFileError,
  honoured,
  ignoredField,
  parseHeaderField,
} from '../../../domain/header-fields.ts';
import { dataFilesOf } from './data-files.ts';
import {
  bytesPer,
  millimetresIn,
  type NumberType,
  parseIntegers,
  parseNumbers,
  requirePositive,
  type VolumeHeader,
  valueCount,
} from './volume.ts';

const typeNames: Readonly<Record<NumberType, string>> = {
  int8: 'signed char, int8, int8_t',
  uint8: 'uchar, unsigned char, uint8, uint8_t',
  int16: 'short, short int, signed short, signed short int, int16, int16_t',
  uint16: 'ushort, unsigned short, unsigned short int, uint16, uint16_t',
  int32: 'int, signed int, int32, int32_t',
  uint32: 'uint, unsigned int, uint32, uint32_t',
  float32: 'float',
  float64: 'double',
};
const types = new Map<string, NumberType>(
  Object.entries(typeNames).flatMap(([type, all]) => all.split(', ').map((name) => [name, type as NumberType])),
);

const descriptiveField = ignoredField('describes the file, without effect on values or positions');
const allowEachWord = (allowed: string, pattern: RegExp) =>
  allowOnly(allowed, (value) => value.split(/\s+/).every((word) => pattern.test(word)));

/**
 * Rules for the fields of the format definition, with the allowed spellings. Unknown fields are errors, as the
 * definition demands.
 */
export const nrrdFields: FieldRules = {
  dimension: honoured,
  type: honoured,
  sizes: honoured,
  encoding: honoured,
  endian: honoured,
  'data file': honoured,
  datafile: honoured,
  'line skip': honoured,
  lineskip: honoured,
  'byte skip': honoured,
  byteskip: honoured,
  spacings: honoured,
  'axis mins': honoured,
  axismins: honoured,
  'axis maxs': honoured,
  axismaxs: honoured,
  centers: honoured,
  centerings: honoured,
  units: honoured,
  space: honoured,
  'space dimension': honoured,
  'space units': honoured,
  'space origin': honoured,
  'space directions': honoured,
  'sample units': honoured,
  sampleunits: honoured,
  number: honoured,
  kinds: allowEachWord('domain, space, ???, none', /^(domain|space|\?\?\?|none)$/i),
  'block size': absent,
  blocksize: absent,
  'old min': absent,
  oldmin: absent,
  'old max': absent,
  oldmax: absent,
  'measurement frame': ignoredField('rotates vectors and tensors, but the values are scalars'),
  thicknesses: ignoredField('slices may overlap, so their thickness does not determine positions; spacings do'),
  min: ignoredField('repeats the smallest value of the data'),
  max: ignoredField('repeats the largest value of the data'),
  content: descriptiveField,
  labels: honoured,
};

const MAX_HEADER = 65_536;
const MARK = 'NRRD000';

export const isNrrd = (bytes: Uint8Array): boolean =>
  new TextDecoder('latin1').decode(bytes.subarray(0, MARK.length)) === MARK;

/** Signs of a space's axes relative to the patient's axes left, back and head. */
const spaceSigns: Readonly<Record<string, readonly [number, number, number]>> = {
  'left-posterior-superior': [1, 1, 1],
  lps: [1, 1, 1],
  'right-anterior-superior': [-1, -1, 1],
  ras: [-1, -1, 1],
  'left-anterior-superior': [1, -1, 1],
  las: [1, -1, 1],
};

/** Entries of a list, with or without quotation marks. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => (quoted ?? bare ?? '').trim());

type HeaderFields = ReadonlyMap<string, string>;
const eitherField = (fields: HeaderFields, a: string, b: string): string | undefined => fields.get(a) ?? fields.get(b);

/** Factor to millimetres for the unit of each axis. Without a stated unit, millimetres are assumed. */
function unitsOf(file: string, name: string, text: string | undefined, axes: number): readonly number[] {
  if (text === undefined) return Array.from({ length: axes }, () => 1);
  const words = wordsOf(text);
  if (words.length !== axes) throw foreignFileError(file, `${name} is ${text}; allowed: ${axes} units`);
  return words.map((word) => (/^(|\?\?\?|none)$/.test(word) ? 1 : millimetresIn(file, name, word)));
}

/** Step of each axis: from its spacing, or from its first and last position. */
function axisSteps(
  file: string,
  fields: HeaderFields,
  sizes: readonly number[],
  cells: readonly boolean[],
): readonly number[] {
  const axes = sizes.length;
  const [mins, maxs] = [eitherField(fields, 'axis mins', 'axismins'), eitherField(fields, 'axis maxs', 'axismaxs')];
  const spacings = fields.get('spacings');
  const between =
    mins === undefined || maxs === undefined
      ? null
      : parseNumbers(file, 'axis maxs', maxs, axes).map((max, i) => {
          const steps = (sizes[i] ?? 1) - (cells[i] === true ? 0 : 1);
          return (max - (parseNumbers(file, 'axis mins', mins, axes)[i] ?? 0)) / Math.max(1, steps);
        });
  if (maxs !== undefined && mins === undefined)
    throw foreignFileError(file, 'axis maxs without axis mins is not supported');
  if (spacings === undefined && between === null) {
    throw foreignFileError(file, 'it has neither spacings, space directions, nor axis mins and axis maxs');
  }
  const own = spacings === undefined ? (between ?? []) : parseNumbers(file, 'spacings', spacings, axes);
  requirePositive(file, spacings === undefined ? 'axis mins and axis maxs' : 'spacings', own);
  const differs = between?.find((step, i) => Math.abs(step - (own[i] ?? 0)) > 1e-3 * (own[i] ?? 0));
  if (differs !== undefined)
    throw foreignFileError(file, `axis mins and axis maxs give a step of ${differs}, but spacings give another`);
  return own;
}

type GridPlacement = Pick<VolumeHeader, 'steps_mm' | 'origin_mm' | 'notes'>;

/** Patterns for labels of the axes x, y and z. */
const AXIS_LABELS = [/^(x|i|columns?|)(?![a-z])/i, /^(y|j|rows?|)(?![a-z])/i, /^(z|k|slices?|)(?![a-z])/i] as const;

/** Pattern for labels of axes that are not spatial. */
const NON_SPATIAL_LABEL = /\b(time|t|phase|energy|angle|channels?|components?)\b/i;

/** Throws if axis labels are not x, y, z in this order: positions would be assigned to the wrong axes. */
function checkLabels(file: string, text: string | undefined, axes: number): void {
  const words = wordsOf(text ?? '');
  const named = words.some((word, i) => !/^(\?\?\?|none)$/i.test(word) && AXIS_LABELS[i]?.test(word) !== true);
  if (text === undefined || (words.length === axes && !named)) return;
  throw foreignFileError(
    file,
    `labels = ${text.slice(0, 60)} without space directions is not supported; allowed: x, y, z in this order, or absent`,
  );
}

/**
 * Steps and origin, for files in which each axis has its own spacing and no space is stated. Mins and maxs are edges of
 * cells unless `centers` says nodes, because cells are Teem's default (nrrdDefaultCenter).
 */
function placementByAxes(file: string, fields: HeaderFields, sizes: readonly number[]): GridPlacement {
  const axes = sizes.length;
  const centers = eitherField(fields, 'centers', 'centerings')?.split(/\s+/) ?? [];
  const cells = sizes.map((_, i) => !/^node$/i.test(centers[i] ?? ''));
  const strange = centers.find((word) => !/^(cell|node|\?\?\?|none)$/i.test(word));
  if (strange !== undefined) throw foreignFileError(file, `centers has ${strange}; allowed: cell, node, ???, none`);
  checkLabels(file, fields.get('labels'), axes);
  const mm = unitsOf(file, 'units', fields.get('units'), axes);
  const steps = axisSteps(file, fields, sizes, cells);
  const mins = eitherField(fields, 'axis mins', 'axismins');
  const origin = fields.get('space origin');
  if (mins !== undefined && origin !== undefined)
    throw foreignFileError(file, 'axis mins with space origin is not supported');
  const firsts =
    mins === undefined
      ? origin === undefined
        ? sizes.map(() => 0)
        : parseNumbers(file, 'space origin', origin, axes)
      : parseNumbers(file, 'axis mins', mins, axes).map(
          (min, i) => min + (cells[i] === true ? (steps[i] ?? 0) / 2 : 0),
        );
  const stated = (i: number): boolean => /^(cell|node)$/i.test(centers[i] ?? '');
  return {
    steps_mm: steps.map((step, axis) => sizes.map((_, other) => (other === axis ? step * (mm[axis] ?? 1) : 0))),
    origin_mm: firsts.map((first, axis) => first * (mm[axis] ?? 1)),
    notes:
      mins === undefined || sizes.every((_, i) => stated(i))
        ? []
        : ['Without centers, its axis mins are read as the edges of the first cells, as in Teem'],
  };
}

/** Steps and origin, for files that state them as vectors in a space. */
function placementBySpace(
  file: string,
  fields: HeaderFields,
  sizes: readonly number[],
  directions: string,
): GridPlacement {
  const axes = sizes.length;
  for (const name of ['spacings', 'axis mins', 'axismins', 'axis maxs', 'axismaxs'] as const) {
    const numbers = fields.get(name)?.split(/\s+/) ?? [];
    if (numbers.some((word) => !/^nan$/i.test(word))) {
      throw foreignFileError(
        file,
        `${name} = ${numbers.join(' ')} with space directions is not supported; allowed: nan or absent`,
      );
    }
  }
  if (/none/i.test(directions)) {
    throw foreignFileError(
      file,
      `space directions is ${directions}; allowed: a vector for each axis, because axes of colour or time are not supported`,
    );
  }
  if (unitsOf(file, 'units', fields.get('units'), axes).some((unit) => unit !== 1)) {
    throw foreignFileError(
      file,
      `units = ${fields.get('units')} with space directions is not supported; allowed: space units`,
    );
  }
  const label = wordsOf(fields.get('labels') ?? '').find((word) => NON_SPATIAL_LABEL.test(word));
  if (label !== undefined) throw foreignFileError(file, `labels has "${label}"; allowed: spatial axes`);
  const mm = unitsOf(file, 'space units', fields.get('space units'), axes);
  const all = parseNumbers(file, 'space directions', directions, axes * axes);
  const origin = fields.get('space origin');
  return {
    steps_mm: sizes.map((_, axis) =>
      all.slice(axis * axes, (axis + 1) * axes).map((part, along) => part * (mm[along] ?? 1)),
    ),
    origin_mm: (origin === undefined ? sizes.map(() => 0) : parseNumbers(file, 'space origin', origin, axes)).map(
      (part, along) => part * (mm[along] ?? 1),
    ),
    notes: [],
  };
}

/** Steps and origin in patient coordinates. A file that states no space is assumed to use them. */
function readPlacement(file: string, fields: HeaderFields, sizes: readonly number[]): GridPlacement {
  const directions = fields.get('space directions');
  const own =
    directions === undefined ? placementByAxes(file, fields, sizes) : placementBySpace(file, fields, sizes, directions);
  const space = fields.get('space');
  const dimension = fields.get('space dimension');
  if (dimension !== undefined && parseIntegers(file, 'space dimension', dimension, 1) !== sizes.length) {
    throw foreignFileError(file, `space dimension is ${dimension}; allowed: ${sizes.length}, the number of axes`);
  }
  const ways = space === undefined ? [1, 1, 1] : spaceSigns[space.toLowerCase()];
  if (ways === undefined)
    throw foreignFileError(file, `its space is ${space}; allowed: ${Object.keys(spaceSigns).join(', ')}`);
  const turned = (vector: readonly number[]): number[] =>
    vector.map((part, i) => (ways[i] === -1 && part !== 0 ? -part : part));
  return { steps_mm: own.steps_mm.map(turned), origin_mm: turned(own.origin_mm), notes: own.notes };
}

const encodings: Readonly<Record<string, VolumeHeader['encoding']>> = {
  ...{ raw: 'raw', gzip: 'gzip', gz: 'gzip' },
  ...{ ascii: 'text', text: 'text', txt: 'text' },
};

/** Parses a header. Throws BraggError `foreign-file`. */
export function nrrdHeader(file: string, bytes: Uint8Array): VolumeHeader {
  const text = Buffer.from(bytes.subarray(0, MAX_HEADER)).toString('latin1');
  if (!/^NRRD000[1-5]\r?\n/.test(text)) throw foreignFileError(file, 'it does not begin with NRRD0001 to NRRD0005');
  const blank = /\r?\n\r?\n/.exec(text);
  const detached = /^data ?file:/im.test(text.slice(0, blank?.index));
  // LIST must be the last field, because the file names follow it.
  const list = /^data ?file:[ \t]*list\b[^\n]*(?:\n|$)/im.exec(text);
  const listed = list === null ? '' : text.slice(list.index + list[0].length);
  if (blank === null && !detached) throw foreignFileError(file, 'its header does not end with an empty line');
  // Lines with `:=` are user-defined key/value pairs.
  const lines = text
    .slice(0, list === null ? (blank?.index ?? text.length) : list.index + list[0].length)
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line.trim() !== '' && !/^#|^[^:]+:=/.test(line))
    .map((line) => parseHeaderField(file, line, /^([^#:][^:]*): (.*)$/, '"field: value", with a space, on each line'));
  const fields = checkFields(file, lines, nrrdFields, 'refused');
  const need = (name: string): string => {
    const value = fields.get(name);
    if (value === undefined || value === '') throw foreignFileError(file, `its header has no ${name}`);
    return value;
  };
  const type = types.get(need('type').toLowerCase());
  if (type === undefined) {
    throw foreignFileError(file, `its type is ${need('type')}; allowed: ${Object.values(typeNames).join(', ')}`);
  }
  const axes = parseIntegers(file, 'dimension', need('dimension'), 1);
  if (axes !== 2 && axes !== 3) throw foreignFileError(file, `it has ${axes} axes; allowed: 2 or 3`);
  const sizes = parseNumbers(file, 'sizes', need('sizes'), axes);
  const count = valueCount(file, sizes);
  const number = fields.get('number');
  if (number !== undefined && Number(number) !== count) {
    throw foreignFileError(file, `number is ${number}; allowed: ${count}, the product of its sizes`);
  }
  const encoding = encodings[need('encoding').toLowerCase()];
  if (encoding === undefined) {
    throw foreignFileError(file, `its encoding is ${need('encoding')}; allowed: ${Object.keys(encodings).join(', ')}`);
  }
  const endian = fields.get('endian')?.toLowerCase() ?? null;
  if (encoding !== 'text' && bytesPer(type) > 1 && endian === null)
    throw foreignFileError(file, 'its header has no endian');
  if (endian !== null && endian !== 'little' && endian !== 'big') {
    throw foreignFileError(file, `endian is ${fields.get('endian')}; allowed: little, big`);
  }
  const skipBytes = parseIntegers(file, 'byte skip', eitherField(fields, 'byte skip', 'byteskip') ?? '0', -1);
  if (encoding === 'text' && skipBytes !== 0) {
    throw foreignFileError(file, `byte skip is ${skipBytes}; allowed: 0 for text data`);
  }
  const dataFile = eitherField(fields, 'data file', 'datafile');
  const unit = eitherField(fields, 'sample units', 'sampleunits')?.replace(/^"(.*)"$/, '$1');
  return {
    ...{ sizes, type, encoding, little: endian !== 'big', skipBytes, packedBytes: null },
    dataFiles: dataFile === undefined ? null : dataFilesOf(file, 'data file', dataFile, listed, sizes),
    end: blank === null ? text.length : blank.index + blank[0].length,
    skipLines: parseIntegers(file, 'line skip', eitherField(fields, 'line skip', 'lineskip') ?? '0', 0),
    ...readPlacement(file, fields, sizes),
    unit: unit === undefined || /^(|\?\?\?)$/.test(unit) ? null : unit,
  };
}
