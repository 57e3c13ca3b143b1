/**
 * Finds results on a cluster that are missing here, and saves them. Runs on a worker thread, because there may be many.
 */
import { type PointResult, pointResultSchema } from '../../../../contract/study/index.ts';
import { defineThreadTask } from '../../../io/threads/task.ts';
import { StudyFolder } from '../../../model/studies/folder.ts';

const RESULT = /^results\/[0-9a-f]{2}\/([0-9a-f]{16})(\.failed)?\.json$/;

/** Returns the remote result files of planned points that have no local result. `listing`: one file name per line. */
export const missingLocally = defineThreadTask(
  'find missing results of a cluster',
  async (requested: { readonly folder: string; readonly listing: Uint8Array }): Promise<readonly string[]> => {
    const folder = await StudyFolder.open(requested.folder);
    const ended = await folder.finishedPoints();
    const points = new Set((await folder.readLines()).map(({ id }) => id));
    return new TextDecoder()
      .decode(requested.listing)
      .split('\n')
      .filter((name) => {
        const [, id = '', failed] = RESULT.exec(name) ?? [];
        // A point that failed here but was solved on the cluster counts as missing.
        const known = ended.get(id) === 'done' || (ended.get(id) === 'failed' && failed !== undefined);
        return points.has(id) && !known;
      });
  },
);

interface SavedDownloads {
  readonly id: string;
  readonly status: PointResult['status'];
}

/** Saves results, given as one JSON document per line. Skips results that are damaged or were not requested. */
export const saveDownloaded = defineThreadTask(
  'save results from a cluster',
  async (asked: {
    readonly folder: string;
    readonly names: readonly string[];
    readonly lines: Uint8Array;
  }): Promise<readonly SavedDownloads[]> => {
    const folder = await StudyFolder.open(asked.folder);
    const wanted = new Set(asked.names.map((name) => RESULT.exec(name)?.[1] ?? ''));
    const brought: SavedDownloads[] = [];
    for (const line of new TextDecoder().decode(asked.lines).split('\n')) {
      const result = parseResult(line);
      if (result === null || !wanted.delete(result.id)) continue;
      await folder.writeResult(result);
      brought.push({ id: result.id, status: result.status });
    }
    return brought;
  },
);

function parseResult(line: string): PointResult | null {
  if (line === '') return null;
  try {
    return pointResultSchema.parse(JSON.parse(line)) as PointResult;
  } catch {
    return null;
  }
}
