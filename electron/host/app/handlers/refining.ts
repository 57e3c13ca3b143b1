/** Calls and the stream that fit a crystal to an image. */
import type { MeasuredImage } from '../../../contract/scenario/diffraction/refining.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { imageRunOf } from '../../workloads/diffraction/as-run.ts';
import { runOrNexus } from '../../workloads/diffraction/images/read.ts';
import { takeFile, takeImage, takeNexus } from '../../workloads/diffraction/refine/measured.ts';
import type { Refinements } from '../refining/refinements.ts';
import type { RunPacker } from '../run-files/packer.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { placeOf } from './scenarios.ts';

interface RefiningParts {
  readonly runs: Runs;
  readonly files: FileAccess;
  readonly packer: RunPacker;
  readonly refinements: Refinements;
}

const isRunFile = (name: string): boolean => /\.(h5|hdf5)$/i.test(name);

export function refiningHandlers({
  runs,
  packer,
  refinements,
}: RefiningParts): Pick<Handlers, 'refining.take' | 'refining.view'> {
  const ofRun = async (name: string, run: Parameters<typeof imageRunOf>[0]): Promise<MeasuredImage> => {
    const { width, height, image } = imageRunOf(run);
    return refinements.take(name, await takeImage({ width, height, image }));
  };
  return {
    'refining.take': async ({ source }) => {
      if (source.kind === 'run') return ofRun(runs.info(source.run).name, await runs.data(source.run));
      const { name, bytes, size, beside } = source;
      if (isRunFile(name)) {
        const found = await runOrNexus(
          () => packer.read(bytes, name),
          () => takeNexus({ bytes, name, beside }),
        );
        return 'image' in found ? refinements.take(name, found.image) : ofRun(name, found.run);
      }
      return refinements.take(name, await takeFile({ bytes, name, size }));
    },
    'refining.view': async ({ image, show, view }) => ({
      map: await refinements.view(image, show === 'difference', view),
    }),
  };
}

export function refiningSource({
  files,
  refinements,
}: Pick<RefiningParts, 'files' | 'refinements'>): Pick<Sources, 'refining'> {
  return {
    refining: ({ image, scenario, file, fit }, sink) =>
      refinements.open({ image, scenario, fit, place: () => placeOf(files, file) }, sink),
  };
}
