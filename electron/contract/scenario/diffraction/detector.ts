/** Detector, and rotation of the crystal during the exposure. */
import { z } from 'zod';
import { count, quantity } from '../common-fields.ts';

const pixels = (title: string) => count({ title, description: 'Pixels.', min: 1, max: 32_768 }).default(1024);
const rotationAngle = (title: string, description: string) =>
  quantity({ title, description, unit: 'deg', min: -180, max: 180 }).default(0);
const beamCentre = (title: string, along: string) =>
  quantity({
    title,
    description: `Position of the beam on the detector along its ${along} axis, in the MOSFLM convention. Default: the middle.`,
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
    description: 'Distance from the crystal along the beam.',
    unit: 'mm',
    min: 0.1,
    max: 100_000,
  }).default(100),
  beam_x_mm: beamCentre('Beam centre X', 'slow'),
  beam_y_mm: beamCentre('Beam centre Y', 'fast'),
  rotx_deg: rotationAngle('Turned about x', 'Rotation about the beam.'),
  roty_deg: rotationAngle('Turned about y', 'Rotation about the vertical axis.'),
  rotz_deg: rotationAngle('Turned about z', 'Rotation about the spindle.'),
  twotheta_deg: rotationAngle('Two-theta', 'Rotation about the crystal, after the other rotations.'),
  oversample: count({
    title: 'Sub-pixels',
    description: 'Sub-pixels along each side of a pixel. Default: three in the width of a fringe.',
    min: 1,
    max: 1000,
  }).optional(),
  corrections: z
    .enum(['pixel', 'subpixel'])
    .meta({
      title: 'Corrections',
      description: 'Compute solid angle and polarisation once per pixel, or for every sub-pixel and source.',
    })
    .default('pixel'),
  thickness_um: quantity({
    title: 'Sensor thickness',
    description: 'Thickness of the sensor. 0 absorbs every photon at the surface.',
    unit: 'um',
    min: 0,
    max: 100_000,
  }).default(0),
  attenuation_depth_um: quantity({
    title: 'Attenuation depth',
    description: 'Depth at which 1/e of the photons remain. 0 absorbs every photon at the surface.',
    unit: 'um',
    min: 0,
    max: 1e6,
  }).default(0),
  layers: count({
    title: 'Sensor layers',
    description: 'Number of layers of the sensor: photons at an angle spread over pixels.',
    min: 1,
    max: 1000,
  }).default(1),
});

export const rotationSchema = z.strictObject({
  phi_deg: quantity({
    title: 'Phi',
    description: 'Spindle angle at the first step.',
    unit: 'deg',
    min: -3600,
    max: 3600,
  }).default(0),
  oscillation_deg: quantity({
    title: 'Oscillation',
    description: 'Rotation of the spindle during the image. 0 is a still image.',
    unit: 'deg',
    min: 0,
    max: 360,
  }).default(0),
  steps: count({
    title: 'Phi steps',
    description: 'Number of orientations averaged over the oscillation.',
    min: 1,
    max: 100_000,
  }).default(1),
});

export const backgroundSchema = z.strictObject({
  water_um: quantity({
    title: 'Water',
    description: 'Edge of a cube of amorphous water in the beam; 0 means no water.',
    unit: 'um',
    min: 0,
    max: 100_000,
  }).default(0),
});
