/** Calls and the stream about diffraction images. */
import { BraggError } from '../../../contract/errors.ts';
import { imageRunOf } from '../../workloads/diffraction/as-run.ts';
import { differenceOfImages, errorOfImage, peaksOfImage, summaryOfImage } from '../../workloads/diffraction/aside.ts';
import { ImageRunning } from '../../workloads/diffraction/running.ts';
import { checkSameSize, type Image, imageMap } from '../../workloads/diffraction/view.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';

type ImageHandlers = Pick<Handlers, Extract<keyof Handlers, `image.${string}`>>;

export function imageHandlers({ runs }: { readonly runs: Runs }): ImageHandlers {
  const imageRun = async (id: string) => imageRunOf(await runs.data(id));
  /** Differences are whole images: the one in use is kept, for a view that is panned asks again and again. */
  let kept: { readonly key: string; readonly image: Image } | null = null;
  const shown = async (run: string, against: string | null): Promise<Image> => {
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
      return { run, revision: 1, done, map: await imageMap(await shown(run, against), view, quantity) };
    },
    'image.pixel': async ({ run, against, fast, slow }) => {
      const { image, width, height } = await shown(run, against);
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
      const active = runs.active(run);
      if (active instanceof ImageRunning) return active.watch(run, view, sink);
      sink.end();
      return () => undefined;
    },
  };
}
