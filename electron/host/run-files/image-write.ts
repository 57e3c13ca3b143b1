/** A diffraction run as the bytes of an HDF5 file; the layout is in layout.ts. */
import type { ImageRunData } from '../workloads/diffraction/image-data.ts';
import { createFile } from './h5.ts';
import { attributes, FORMAT, FORMAT_VERSION } from './layout.ts';
import { put, putSetup, putSpans, putText, putValues } from './write.ts';

export function writeImageRun(run: ImageRunData): Promise<Uint8Array> {
  return createFile((file) => {
    file.create_attribute(attributes.format, FORMAT);
    file.create_attribute(attributes.version, FORMAT_VERSION);
    const { workload, name, created, finished, status } = run;
    for (const [key, value] of Object.entries({ workload, name, created, finished, status })) {
      file.create_attribute(key, value);
    }
    putText(file, 'scenario', JSON.stringify(run.scenario));
    putText(file, 'scenario_complete', JSON.stringify(run.completeScenario));
    putValues(file, 'program', run.program);
    const { logicalCores, device, ...machine } = run.machine;
    putValues(file, 'machine', { ...machine, logical_cores: logicalCores, device: device ?? '' });
    const { variant, precision, isa, threads, oversample, sources, orientations, layers } = run;
    putValues(file, 'engine', { variant, precision, isa, threads, oversample, sources, orientations, layers });
    const { done, wall_s, setup_s, solve_s, device_s, terms, scratch_bytes, peak_rss_bytes } = run;
    putValues(file, 'timing', { done, wall_s, setup_s, solve_s, device_s, terms, scratch_bytes, peak_rss_bytes });
    putSetup(file, run);
    put(file, 'image', run.image, [run.height, run.width], {
      units: 'photons',
      long_name: 'photons per pixel',
      axes: ['slow', 'fast'],
    });
    putSpans(file, run);
  });
}
