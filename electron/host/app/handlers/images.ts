/** Handles calls and streams about diffraction images. */
import { BraggError } from '../../../contract/errors.ts';
import type { MeasuredImage } from '../../../contract/scenario/diffraction/refining.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { readRunOrNexus } from '../../workloads/diffraction/images/read.ts';
import { processImage, readImageFile, readNexusFile } from '../../workloads/diffraction/refine.ts';
import { DiffractionWorkloadRun } from '../../workloads/diffraction/running.ts';
import {
  checkSameSize,
  differenceOfImages,
  errorOfImage,
  type Image,
  imageMap,
  imageRunOf,
  peaksOfImage,
  summaryOfImage,
} from '../../workloads/diffraction/summary.ts';
import type { Refinements } from '../refining/refinements.ts';
import type { RunPacker } from '../run-files/packer.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { originOf } from './scenarios.ts';

/** Dependencies of the handlers that fit a crystal to an image. */
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
  const imageOfRun = async (name: string, run: Parameters<typeof imageRunOf>[0]): Promise<MeasuredImage> => {
    const { width, height, image } = imageRunOf(run);
    return refinements.add(name, await processImage({ width, height, image }));
  };
  return {
    'refining.take': async ({ source }) => {
      if (source.kind === 'run') return imageOfRun(runs.info(source.run).name, await runs.data(source.run));
      const { name, bytes, size, linked } = source;
      if (isRunFile(name)) {
        const found = await readRunOrNexus(
          () => packer.read(bytes, name),
          () => readNexusFile({ bytes, name, linked }),
        );
        return 'image' in found ? refinements.add(name, found.image) : imageOfRun(name, found.run);
      }
      return refinements.add(name, await readImageFile({ bytes, name, size }));
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
      refinements.open({ image, scenario, fit, place: () => originOf(files, file) }, sink),
  };
}

type ImageHandlers = Pick<Handlers, Extract<keyof Handlers, `image.${string}`>>;

export function imageHandlers({ runs }: { readonly runs: Runs }): ImageHandlers {
  const imageRun = async (id: string) => imageRunOf(await runs.data(id));
  /** Cached difference of two images, because panning a view requests it repeatedly. */
  let kept: { readonly key: string; readonly image: Image } | null = null;
  const imageToShow = async (run: string, against: string | null): Promise<Image> => {
    if (against === null) return imageRun(run);
    const key = `${run} ${against}`;
    if (kept?.key !== key)
      kept = { key, image: await differenceOfImages(await imageRun(run), await imageRun(against)) };
    return kept.image;
  };
  return {
    'image.summary': async ({ run }) => summaryOfImage(await imageRun(run)),
    'image.view': async ({ run, view, against }) => {
      const { done } = await imageRun(run);
      const quantity = against === null ? 'photons' : 'photons difference';
      return { run, revision: 1, done, map: await imageMap(await imageToShow(run, against), view, quantity) };
    },
    'image.pixel': async ({ run, against, fast, slow }) => {
      const { image, width, height } = await imageToShow(run, against);
      if (fast >= width || slow >= height) {
        throw new BraggError('not-found', `There is no pixel ${fast}, ${slow}; the image has ${width} × ${height}.`);
      }
      return { photons: image[slow * width + fast] ?? 0 };
    },
    'image.peaks': async ({ run, count }) => ({ peaks: await peaksOfImage(await imageRun(run), count) }),
    'image.error': async ({ run, reference }) => {
      const [here, there] = [await imageRun(run), await imageRun(reference)];
      checkSameSize(here, there);
      return errorOfImage(here.image, there.image);
    },
  };
}

export function imageSource(runs: Runs): Pick<Sources, 'image.live'> {
  return {
    'image.live': ({ run, view }, sink) => {
      const active = runs.activeRun(run);
      if (active instanceof DiffractionWorkloadRun) return active.watch(run, view, sink);
      sink.end();
      return () => undefined;
    },
  };
}
