/** Reads what the run file of a diffraction image holds. */

import type { RunFileFields } from '../../io/hdf5/fields.ts';
import { readEnd, readHead } from '../run-files/head.ts';
import { readRecording } from '../run-files/recording.ts';
import { readSetup } from '../run-files/setup.ts';
import { brightestOf, type ImageRunData } from './image-data.ts';

export function readImageRun(f: RunFileFields): ImageRunData {
  const [height, width] = f.size('image');
  const image = f.float32('image', [height, width]);
  return {
    workload: 'diffraction',
    ...readHead(f),
    status: readEnd(f, ['done', 'cancelled']).status,
    error: null,
    done: f.finite('timing', 'done'),
    variant: f.text('engine', 'variant'),
    precision: f.oneOf('engine', 'precision', ['fp32', 'fp64']),
    isa: f.text('engine', 'isa'),
    threads: f.count('engine', 'threads'),
    wall_s: f.finite('timing', 'wall_s'),
    setup_s: f.finite('timing', 'setup_s'),
    solve_s: f.finite('timing', 'solve_s'),
    device_s: f.finite('timing', 'device_s'),
    setup_parts: readSetup(f),
    terms: f.finite('timing', 'terms'),
    scratch_bytes: f.finite('timing', 'scratch_bytes'),
    peak_rss_bytes: f.finite('timing', 'peak_rss_bytes'),
    width,
    height,
    oversample: f.count('engine', 'oversample'),
    sources: f.count('engine', 'sources'),
    orientations: f.count('engine', 'orientations'),
    layers: f.count('engine', 'layers'),
    image,
    // Here, on the thread that reads files: of a large image it takes a while.
    brightest: brightestOf(image),
    ...readRecording(f),
  };
}
