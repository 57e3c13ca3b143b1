/** A study of ten thousand beams, each a few milliseconds on one thread. */
export const WIDE_POINTS = 10_000;

export const wideBeams = {
  kind: 'study',
  version: 1,
  base: [
    {
      scenario: {
        ...{ kind: 'transport', version: 1, beam: {} },
        grid: {
          ...{ dx_mm: 2, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 320 },
          energy: { kind: 'uniform', step_MeV: 0.5 },
        },
        solver: { stepping: 'depth', variant: 'depth', threads: 1 },
      },
    },
  ],
  axes: [{ kind: 'range', path: 'beam.energy_MeV', from: 8, to: 12, count: WIDE_POINTS }],
  measures: ['readouts', 'times'],
} as const;
