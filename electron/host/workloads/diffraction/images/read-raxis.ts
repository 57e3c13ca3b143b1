/**
 * Reads images of Rigaku's R-AXIS imaging plates (`.osc`, also `.img`). They contain a header of fixed fields, followed
 * by one record of 16-bit counts per line. Field offsets are those of Rigaku's program ReadRAXISImage.
 */
import { allowOnly, type FieldRule, honoured, ignoredField } from '../../../../domain/header-fields.ts';
import { checkSize, foreignImageError, type Pixels, plateCount, requireExactLength } from './read-cbf.ts';

const onlyNumbers = (...wanted: readonly number[]) =>
  allowOnly(wanted.join(', '), (value) => wanted.includes(Number(value)));
const about = ignoredField('describes the measurement, without effect on counts');
const goniometer = ignoredField('describes the goniometer of the crystal, which the scenario sets');
const detectorAngleField = ignoredField('the scenario sets the angle and position of the detector');

/** Type of a header field: text with a number of bytes, or one or more numbers of 4 bytes. */
type FieldType = number | 'long' | 'float' | readonly ['long' | 'float', number];

const layout: readonly (readonly [name: string, form: FieldType, rule: FieldRule])[] = [
  ['name', 10, allowOnly('R-AXIS or RAXIS, not the curved R-AXIS-CS', (name) => /^R-?AXIS(?!-CS)/.test(name))],
  ...(['vers', 'crnm', 'crsy'] as const).map((name, i) => [name, [10, 20, 12][i] ?? 0, about] as const),
  ...['alng', 'blng', 'clng', 'alfa', 'beta', 'gamm'].map((name) => [name, 'float', about] as const),
  ['spgr', 12, about],
  ['mosc', 'float', about],
  ['memo', 80, about],
  ['res1', 84, about],
  ['date', 12, about],
  ['opnm', 20, about],
  ['trgt', 4, about],
  ['wlng', 'float', honoured],
  ['mcro', 20, about],
  ['m2ta', 'float', about],
  ['colm', 20, about],
  ['filt', 4, about],
  ['camr', 'float', honoured],
  ['vltg', 'float', about],
  ['crnt', 'float', about],
  ['focs', 12, about],
  ['optc', 80, about],
  ['cyld', 'long', onlyNumbers(0)],
  ['weis', 'float', onlyNumbers(0)],
  ['res2', 56, about],
  ['mnax', 4, about],
  ['bmax', 4, about],
  ...['phi0', 'phis', 'phie'].map((name) => [name, 'float', goniometer] as const),
  ['oscn', 'long', about],
  ['fext', 'float', about],
  ...['drtx', 'drtz'].map((name) => [name, 'float', detectorAngleField] as const),
  ...['omga', 'fkai'].map((name) => [name, 'float', goniometer] as const),
  ['thta', 'float', detectorAngleField],
  ['mu', 'float', goniometer],
  ['scan', 204, about],
  ['xpxl', 'long', honoured],
  ['zpxl', 'long', honoured],
  ['xsiz', 'float', honoured],
  ['zsiz', 'float', honoured],
  ['rlng', 'long', honoured],
  ['rnum', 'long', honoured],
  ['ipst', 'long', ignoredField('rnum already gives the number of lines in the file')],
  ['ipnm', 'long', about],
  ['rato', 'float', honoured],
  ['ft_1', 'float', about],
  ['ft_2', 'float', about],
  ['host', 10, ignoredField('the sizes are valid in only one byte order, which is used')],
  ['ip', 10, about],
  ...['dr_x', 'dr_z', 'drxz'].map((name) => [name, 'long', honoured] as const),
  ['shft', 'float', onlyNumbers(0)],
  ['ineo', 'float', onlyNumbers(0, 1)],
  ['majc', 'long', goniometer],
  ['naxs', 'long', goniometer],
  ['gvec', ['float', 15], goniometer],
  ...['gst', 'gend', 'goff'].map((name) => [name, ['float', 5], goniometer] as const),
  ['saxs', 'long', goniometer],
  ['gnom', 40, goniometer],
];

interface HeaderField {
  readonly at: number;
  readonly form: FieldType;
  readonly rule: FieldRule;
}

const bytesOfType = (form: FieldType): number =>
  typeof form === 'number' ? form : typeof form === 'string' ? 4 : 4 * form[1];

/** Fields by name with their byte offsets. Bytes after the last field are private data of programs. */
export const raxisFields: Readonly<Record<string, HeaderField>> = (() => {
  let at = 0;
  return Object.fromEntries(
    layout.map(([name, form, rule]) => {
      const placed: HeaderField = { at, form, rule };
      at += bytesOfType(form);
      return [name, placed];
    }),
  );
})();

/** Length in bytes of the shortest header that Rigaku's programs write. */
const MIN_HEADER_BYTES = 1400;

const latin1 = new TextDecoder('latin1');

/** Whether the file begins with an R-AXIS header. */
export const isRaxis = (bytes: Uint8Array): boolean => /^R-?AXIS/.test(latin1.decode(bytes.subarray(0, 10)));

type Field = (name: string) => number;

function fieldsIn(view: DataView, little: boolean): Field {
  return (name) => {
    const { at = 0, form = 'long' } = raxisFields[name] ?? {};
    return form === 'long' ? view.getInt32(at, little) : view.getFloat32(at, little);
  };
}

function throwIfUnsupportedField(bytes: Uint8Array, field: Field): void {
  for (const [name, { at, form, rule }] of Object.entries(raxisFields)) {
    if (rule.kind !== 'only') continue;
    const value =
      typeof form === 'number'
        ? (latin1.decode(bytes.subarray(at, at + form)).split('\0')[0] ?? '').trim()
        : `${field(name)}`;
    if (!rule.accepts(value)) throw foreignImageError(`${name} (byte ${at}) is ${value}; allowed: ${rule.allowed}`);
  }
}

export function readRaxis(bytes: Uint8Array): Pixels {
  if (!isRaxis(bytes)) throw foreignImageError('it is not an R-AXIS image: it does not begin with R-AXIS or RAXIS');
  if (bytes.length < MIN_HEADER_BYTES) throw foreignImageError(`it ends at byte ${bytes.length}, within its header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // With the correct byte order the width is small; with the other one it is huge or negative.
  const [big, small] = [fieldsIn(view, false), fieldsIn(view, true)];
  const little = !(big('xpxl') > 0 && big('xpxl') < 2 ** 16);
  const field = little ? small : big;
  throwIfUnsupportedField(bytes, field);
  const [width, height, record, lines] = [field('xpxl'), field('zpxl'), field('rlng'), field('rnum')];
  checkSize(width, height);
  if (record !== 2 * width || record < MIN_HEADER_BYTES) {
    throw foreignImageError(
      `rlng is ${record} bytes; allowed: ${2 * width}, a line of xpxl = ${width} counts of 16 bits, and ${MIN_HEADER_BYTES} or more`,
    );
  }
  if (lines !== height) throw foreignImageError(`rnum is ${lines} lines; allowed: ${height}, all of zpxl`);
  const ratio = field('rato');
  if (!(ratio >= 1 && ratio <= 1e4)) throw foreignImageError(`rato is ${ratio}; allowed: 1 to 10000`);
  const [pixel, other] = [field('xsiz'), field('zsiz')];
  if (Math.abs(other / pixel - 1) > 1e-3)
    throw foreignImageError(`zsiz is ${other} mm and xsiz ${pixel} mm; allowed: square pixels`);
  requireExactLength(bytes, record, record * lines);
  const counts = Float32Array.from({ length: width * height }, (_, i) =>
    plateCount(view.getUint16(record + 2 * i, little), ratio),
  );
  const scanned = ['dr_x', 'dr_z', 'drxz'].map(field);
  const known = { distance_mm: field('camr'), pixel_mm: pixel, wavelength_A: field('wlng') };
  const rounded = Object.entries(known).map(([name, value]) => [name, Number(value.toPrecision(7))] as const);
  return {
    ...{ width, height, counts, full: 0x7fff * ratio },
    header: Object.fromEntries(rounded.filter(([, value]) => value > 0 && Number.isFinite(value))),
    ...(scanned.every((code) => code === 0)
      ? {}
      : {
          notes: [
            `It was scanned in another direction (dr_x, dr_z, drxz are ${scanned.join(', ')}, not 0): the scenario must describe this rotation of the detector.`,
          ],
        }),
  };
}
