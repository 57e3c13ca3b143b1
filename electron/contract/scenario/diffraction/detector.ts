/** Detector, and rotation of the crystal during the exposure. */
import { z } from 'zod';
import { count, quantity } from '../common-fields.ts';

const pixels = (title: string) => count({ title, description: 'Pixels.', min: 1, max: 32_768 }).default(1024);
const turn = (title: string, description: string) =>
  quantity({ title, description, unit: 'deg', min: -180, max: 180 }).default(0);
const centre = (title: string, along: string) =>
  quantity({
    title,
    description: `Where the beam meets the detector, along its ${along} axis, as MOSFLM counts. Left out: the middle.`,
    unit: 'mm',
    min: -10_000,
    max: 10_000,
  }).optional();

export const detectorSchema = z.strictObject({
  width: pixels('Width (fast axis)'),
  height: pixels('Height (slow axis)'),
  pixel_mm: quantity({ title: 'Pixel', description: 'Edge of a pixel.', unit: 'mm', min: 1e-4, max: 10 }).default(0.1),
  distance_mm: quantity({
    title: 'Distance',
    description: 'From the crystal along the beam.',
    unit: 'mm',
    min: 0.1,
    max: 100_000,
  }).default(100),
  beam_x_mm: centre('Beam centre X', 'slow'),
  beam_y_mm: centre('Beam centre Y', 'fast'),
  rotx_deg: turn('Turned about x', 'About the beam.'),
  roty_deg: turn('Turned about y', 'About the vertical.'),
  rotz_deg: turn('Turned about z', 'About the spindle.'),
  twotheta_deg: turn('Two-theta', 'Swing about the crystal, after the turns.'),
  oversample: count({
    title: 'Sub-pixels',
    description: 'Along each side of a pixel. Left out: three in the width of a fringe.',
    min: 1,
    max: 1000,
  }).optional(),
  corrections: z
    .enum(['pixel', 'subpixel'])
    .meta({
      title: 'Corrections',
      description: 'Take solid angle and polarisation once per pixel, or for every sub-pixel and source.',
    })
    .default('pixel'),
  thickness_um: quantity({
    title: 'Sensor thickness',
    description: '0 absorbs every photon at the surface.',
    unit: 'um',
    min: 0,
    max: 100_000,
  }).default(0),
  attenuation_depth_um: quantity({
    title: 'Attenuation depth',
    description: 'Depth at which 1/e of the photons are left. 0 absorbs every photon at the surface.',
    unit: 'um',
    min: 0,
    max: 1e6,
  }).default(0),
  layers: count({
    title: 'Sensor layers',
    description: 'Into how many the thickness is cut: photons at an angle spread over pixels.',
    min: 1,
    max: 1000,
  }).default(1),
});

export const rotationSchema = z.strictObject({
  phi_deg: quantity({
    title: 'Phi',
    description: 'Angle of the spindle at the first step.',
    unit: 'deg',
    min: -3600,
    max: 3600,
  }).default(0),
  oscillation_deg: quantity({
    title: 'Oscillation',
    description: 'How far the spindle turns during the image. 0 is a still.',
    unit: 'deg',
    min: 0,
    max: 360,
  }).default(0),
  steps: count({
    title: 'Phi steps',
    description: 'Orientations that are averaged over the oscillation.',
    min: 1,
    max: 100_000,
  }).default(1),
});

export const backgroundSchema = z.strictObject({
  water_um: quantity({
    title: 'Water',
    description: 'Edge of a cube of amorphous water in the beam; 0 is none.',
    unit: 'um',
    min: 0,
    max: 100_000,
  }).default(0),
});
