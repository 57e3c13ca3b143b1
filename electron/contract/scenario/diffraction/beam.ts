/** The X-ray beam: wavelength, spread of directions and wavelengths, and how many photons. */
import { z } from 'zod';
import { count, quantity } from '../quantity.ts';

const divergence = (across: string) =>
  quantity({
    title: `Divergence, ${across}`,
    description: `Full range of the beam's ${across} directions. The grid of directions is cut to an ellipse.`,
    unit: 'mrad',
    min: 0,
    max: 200,
  }).default(0);
const steps = (title: string) =>
  count({ title, description: 'How many, evenly over the full range.', min: 1, max: 1000 }).default(1);

export const beamSchema = z.strictObject({
  wavelength_A: quantity({
    title: 'Wavelength',
    description: 'Of the photons; 12398.42 divided by their energy in eV.',
    unit: 'A',
    min: 0.01,
    max: 100,
  }).default(1),
  dispersion_percent: quantity({
    title: 'Dispersion',
    description: 'Full range of the wavelengths, in percent of the wavelength.',
    unit: 'percent',
    min: 0,
    max: 50,
  }).default(0),
  dispersion_steps: steps('Wavelengths'),
  divergence_h_mrad: divergence('horizontal'),
  divergence_h_steps: steps('Horizontal directions'),
  divergence_v_mrad: divergence('vertical'),
  divergence_v_steps: steps('Vertical directions'),
  fluence: quantity({
    title: 'Fluence',
    description: 'Photons per m². The default makes one electron scatter one photon per steradian.',
    unit: '1',
    min: 0,
    max: 1e40,
  }).default(1.25932015286227e29),
  polarisation: quantity({
    title: 'Polarisation',
    description: "Kahn's factor: 0 is unpolarised, 1 polarised in the horizontal plane, -1 in the vertical one.",
    unit: '1',
    min: -1,
    max: 1,
  }).default(0),
});
