/** SMV images (`.img`), as area detectors write them: a text header of 512 bytes, then 16-bit counts. */
import { type DiffractionScenario, imageGeometry } from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../contract/units.ts';
import { counts, littleEndian } from './pixels.ts';

const HEADER_BYTES = 512;

/** Six digits, as programs print them. */
const number = (value: number): string => formatNumber(Number(value.toPrecision(6)));

export function smvHeader(scenario: DiffractionScenario): string {
  const { detector, beam, rotation } = scenario;
  const { foot, close_mm } = imageGeometry(scenario);
  const entries: readonly (readonly [string, string | number])[] = [
    ['HEADER_BYTES', HEADER_BYTES],
    ['DIM', 2],
    ['BYTE_ORDER', 'little_endian'],
    ['TYPE', 'unsigned_short'],
    ['SIZE1', detector.width],
    ['SIZE2', detector.height],
    ['PIXEL_SIZE', detector.pixel_mm],
    ['DISTANCE', detector.distance_mm],
    ['WAVELENGTH', beam.wavelength_A],
    ['BEAM_CENTER_X', detector.beam_x_mm],
    ['BEAM_CENTER_Y', detector.beam_y_mm],
    ['XDS_ORGX', foot.fast + 0.5],
    ['XDS_ORGY', foot.slow + 0.5],
    ['CLOSE_DISTANCE', close_mm],
    ['PHI', rotation.phi_deg],
    ['OSC_START', rotation.phi_deg],
    ['OSC_RANGE', rotation.oscillation_deg],
    ['TWOTHETA', detector.twotheta_deg],
  ];
  const lines = entries.map(([key, value]) => `${key}=${typeof value === 'number' ? number(value) : value};\n`);
  return `{\n${lines.join('')}}\f`.padEnd(HEADER_BYTES, ' ');
}

export function smvImage(image: Float32Array, scenario: DiffractionScenario): Uint8Array {
  const header = new TextEncoder().encode(smvHeader(scenario));
  const pixels = littleEndian(counts(image).counts);
  const out = new Uint8Array(header.length + pixels.length);
  out.set(header);
  out.set(pixels, header.length);
  return out;
}
