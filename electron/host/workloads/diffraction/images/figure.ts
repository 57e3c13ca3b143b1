/** A diffraction image as the arrays of an HDF5 file: photons over the detector, its axes in millimetres, and the geometry. */
import type { PackedFigure } from '../../../../contract/figures.ts';
import type { DiffractionScenario } from '../../../../contract/scenario/index.ts';
import type { ImageRunData } from '../image-data.ts';

/** Centres of the pixels along a side, from the detector's corner. */
const centres = (count: number, pixel_mm: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => (i + 0.5) * pixel_mm);

export function imageFigure(run: ImageRunData): PackedFigure {
  const { image, width, height, name, variant, completeScenario } = run;
  const { beam, detector, rotation } = completeScenario as unknown as DiffractionScenario;
  const axis = (along: 'slow' | 'fast', count: number): PackedFigure['arrays'][number] => ({
    name: along,
    unit: 'mm',
    description: `centres of the pixels along the ${along} side, from the detector's corner`,
    shape: [count],
    values: centres(count, detector.pixel_mm),
    axes: null,
  });
  return {
    title: name,
    notes: {
      variant,
      wavelength_A: beam.wavelength_A,
      distance_mm: detector.distance_mm,
      pixel_mm: detector.pixel_mm,
      beam_x_mm: detector.beam_x_mm,
      beam_y_mm: detector.beam_y_mm,
      twotheta_deg: detector.twotheta_deg,
      phi_deg: rotation.phi_deg,
      oscillation_deg: rotation.oscillation_deg,
    },
    arrays: [
      axis('slow', height),
      axis('fast', width),
      {
        name: 'image',
        unit: 'photons',
        description: 'photons per pixel, [slow][fast]',
        shape: [height, width],
        values: image,
        axes: ['slow', 'fast'],
      },
    ],
  };
}
