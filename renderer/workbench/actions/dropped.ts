/** Files dropped on the page: scenarios and curves are read as text, runs as bytes, timelines in pieces. */
import { recognizeSession } from '../../../electron/contract/bench/session.ts';
import { PROJECT_ENDING, type ProjectPart, type UnpackedPart } from '../../../electron/contract/projects/project.ts';
import { hasCrystal } from '../../../electron/contract/scenario/diffraction/refining.ts';
import type { Overlays } from '../../data/overlays.ts';
import { RefineFeed } from '../../data/refine-feed.ts';
import type { Feeds } from '../../data/run-data.ts';
import type { BenchActions } from './benches.ts';
import type { ActionContext } from './context.ts';
import type { DocumentActions } from './document.ts';
import { importImageFile, isImageFile, openCurve } from './import-files.ts';
import type { RunActions } from './runs.ts';
import { isTimelineFile, type TimelineActions } from './timelines.ts';

/** Nouns for the parts of an unpacked project. */
const words: Readonly<Record<ProjectPart, readonly [one: string, several: string]>> = {
  scenario: ['scenario', 'scenarios'],
  run: ['run', 'runs'],
  session: ['benchmark', 'benchmarks'],
  study: ['study', 'studies'],
  notes: ['timeline with notes', 'timelines with notes'],
  beside: ['companion file', 'companion files'],
};

/** Text such as `2 scenarios, 1 study; 3 were there already`. */
function unpackedText(came: readonly UnpackedPart[]): string {
  const fresh = came.filter(({ how }) => how === 'new');
  const counted = Object.entries(words).flatMap(([part, [one, several]]) => {
    const n = fresh.filter((each) => each.part === part).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? one : several}`];
  });
  const there = came.filter(({ how }) => how === 'there').length;
  const existing = came.filter(({ how }) => how === 'kept').map(({ name }) => name);
  return [
    counted.length === 0 ? 'nothing new' : counted.join(', '),
    ...(there === 0 ? [] : [`${there} already existed`]),
    ...(existing.length === 0 ? [] : [`existing files were not replaced by ${existing.join(', ')}`]),
  ].join('; ');
}

async function unpackLocal({ client, stores }: Pick<ActionContext, 'client' | 'stores'>, file: File): Promise<void> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { name, came } = await client.call('project.unpack', { source: { kind: 'bytes', name: file.name, bytes } });
    stores.notices.show({
      tone: 'success',
      title: `Unpacked ${name} into the library`,
      text: `${unpackedText(came)}.`,
    });
    stores.layout.reveal(came.some(({ part }) => part !== 'study') ? 'library' : 'studies');
  } catch (error) {
    stores.notices.fail(`${file.name} could not be unpacked`, error);
  }
}

/** Maximum size of a scenario file, because reading a larger file as text would stall the page. */
const LARGEST_SCENARIO_BYTES = 8 * 2 ** 20;

interface DropActions {
  readonly documents: DocumentActions;
  readonly runs: RunActions;
  readonly timelines: TimelineActions;
  readonly benches: BenchActions;
  /** Receives a dropped depth dose as an overlay. */
  readonly overlays: Overlays;
  /** Receives a dropped image that a crystal is then fitted to. */
  readonly feeds: Feeds;
  readonly client: ActionContext['client'];
  readonly stores: ActionContext['stores'];
}

export async function openDropped(
  files: readonly File[],
  { documents, runs, timelines, benches, overlays, feeds, client, stores }: DropActions,
): Promise<void> {
  const { notices } = stores;
  const rejectFile = (name: string, text: string): void =>
    notices.show({ tone: 'warning', title: `${name} could not be opened`, text });
  for (const file of files) {
    if (file.name.toLowerCase().endsWith(PROJECT_ENDING)) {
      await unpackLocal({ client, stores }, file);
      continue;
    }
    const session = recognizeSession(await file.slice(0, 200).text());
    if (/\.(h5|hdf5)$/i.test(file.name) || session?.isTask === true) {
      await runs.openBytes(file.name, new Uint8Array(await file.arrayBuffer()));
    } else if (session !== null) {
      await benches.openText(file.name, await file.text());
    } else if (await isTimelineFile(file)) {
      await timelines.openLocal(file);
    } else if (/\.(json|ya?ml)$/i.test(file.name)) {
      if (file.size > LARGEST_SCENARIO_BYTES) rejectFile(file.name, 'A scenario can have at most 8 MiB.');
      else await documents.openText(file.name, await file.text());
    } else if (/\.csv$/i.test(file.name)) {
      await openCurve(file, overlays, notices);
    } else if (isImageFile(file.name)) {
      if (!hasCrystal(stores.scenario.getState().draft)) {
        rejectFile(file.name, 'Only a crystal can be fitted to an image: open a diffraction scenario first.');
        continue;
      }
      stores.layout.reveal('refine');
      await importImageFile([file], feeds.of(RefineFeed), stores);
    } else if (/\.(mha|mhd|nrrd|nhdr|dcm)$/i.test(file.name)) {
      rejectFile(file.name, 'To compare a dose volume, open it in the dose map: Display › Against › Open a dose.');
    } else {
      rejectFile(
        file.name,
        'Drop a scenario (.json, .yaml), a run (.h5), a depth dose (.csv), a timeline (.json, .sqlite, both also .gz, .nsys-rep), an image (.img, .cbf, .tif, .bin) or a project (.braggbench).',
      );
    }
  }
}
