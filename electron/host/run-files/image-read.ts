/** Reads what the run file of a diffraction image holds. */
import type { ImageRunData } from '../workloads/diffraction/image-data.ts';
import type { RunFileFields } from './fields.ts';
import { readSetup, readSpans } from './timing-read.ts';

export function readImageRun(f: RunFileFields): ImageRunData {
  const device = f.text('machine', 'device');
  const [height, width] = f.size('image');
  return {
    workload: 'diffraction',
    program: {
      version: f.text('program', 'version'),
      build: f.text('program', 'build'),
      compiler: f.text('program', 'compiler'),
    },
    machine: {
      cpu: f.text('machine', 'cpu'),
      logicalCores: f.count('machine', 'logical_cores'),
      memory_bytes: f.finite('machine', 'memory_bytes'),
      os: f.text('machine', 'os'),
      device: device === '' ? null : device,
    },
    name: f.text('/', 'name'),
    created: f.text('/', 'created'),
    finished: f.text('/', 'finished'),
    scenario: f.document('scenario'),
    completeScenario: f.document('scenario_complete'),
    status: f.oneOf('/', 'status', ['done', 'cancelled']),
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
    image: f.float32('image', [height, width]),
    spans: readSpans(f),
  };
}
