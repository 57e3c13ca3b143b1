/**
 * Layout of a run file. Version 1:
 *
 *   /                 attributes: format, format_version, workload, name, created, finished, status; of a run that
 *                     failed error and error_code, and the arrays are what was finished before
 *   /scenario         the scenario as written, JSON; /scenario_complete with every default
 *   /setup            what the set-up time went into, names and seconds
 *   /program /machine /engine /timing /beam /metrics      attributes; the commit of the program from 0.1.0 on
 *   /axes/z_mm x_mm theta_rad energy_MeV                  cell centres, dimension scales of the fields
 *   /dose             [z][x] MeV per cell
 *   /depth_dose/      depth_mm, dose_MeV_per_mm: integrated across the beam axis
 *   /crossing         [z][6] sums over the proton fluence through each plane
 *   /moments/         columns made from them
 *   /ledger/number energy_MeV      [step][column]
 *   /ledger/faces_number faces_energy_MeV   [step][face] of what escaped; missing in files of earlier versions
 *   /keyframes/       step, depth_mm, and the marginals zx xtheta etheta ez ex ztheta (the last two
 *                     missing in files of earlier versions) with the keyframe first
 *   /spans/           operator spans per thread, columns
 *   /trace/           of traced runs: the GPU's work and the driver's calls, columns
 *
 * A run of the workload `diffraction` has, in place of axes and all after them:
 *
 *   /image            [slow][fast] photons per pixel
 *   /spans/ /trace/   as above
 *
 * Every array is chunked and compressed, so a reader that insists on that
 * never follows data stored outside the file.
 */
export const FORMAT = 'braggbench-run';
export const FORMAT_VERSION = 1;

/** Deflate's level: the next one takes two to eight times as long over keyframes, for a twentieth of their bytes. */
export const COMPRESSION = 3;

/** Text inside the file is UTF-8. */
export const attributes = {
  format: 'format',
  version: 'format_version',
} as const;

export const crossingColumns = [
  'number',
  'sum_x_mm',
  'sum_x2_mm2',
  'sum_theta_rad',
  'sum_theta2_rad2',
  'sum_x_theta_mm_rad',
];

export const keyframeFields = [
  { name: 'zx', axes: ['z_mm', 'x_mm'] },
  { name: 'xtheta', axes: ['x_mm', 'theta_rad'] },
  { name: 'etheta', axes: ['energy_MeV', 'theta_rad'] },
  { name: 'ez', axes: ['energy_MeV', 'z_mm'] },
  // Missing in files of earlier versions.
  { name: 'ex', axes: ['energy_MeV', 'x_mm'] },
  { name: 'ztheta', axes: ['z_mm', 'theta_rad'] },
] as const;
