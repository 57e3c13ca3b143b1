/** Finds results on a cluster that are missing here, and saves them. On a worker thread, because there are many. */
import { type PointResult, pointResultSchema } from '../../../../contract/study/index.ts';
import { aside } from '../../../io/aside/task.ts';
import { StudyFolder } from '../../../model/studies/folder.ts';

const RESULT = /^results\/[0-9a-f]{2}\/([0-9a-f]{16})(\.failed)?\.json$/;

/** Files there of points of the plan that have no result here. `listing`: a name a line. */
export const lackingHere = aside(
  'look which results of a cluster are lacking',
  async (asked: { readonly folder: string; readonly listing: Uint8Array }): Promise<readonly string[]> => {
    const folder = await StudyFolder.open(asked.folder);
    const ended = await folder.ended();
    const points = new Set((await folder.lines()).map(({ id }) => id));
    return new TextDecoder()
      .decode(asked.listing)
      .split('\n')
      .filter((name) => {
        const [, id = '', failed] = RESULT.exec(name) ?? [];
        // Solved there after it had failed here.
        const known = ended.get(id) === 'done' || (ended.get(id) === 'failed' && failed !== undefined);
        return points.has(id) && !known;
      });
  },
);

interface Brought {
  readonly id: string;
  readonly status: PointResult['status'];
}

/** Saves results, one JSON document a line. Skips results that are damaged or were not requested. */
export const keepBrought = aside(
  'keep results of a cluster',
  async (asked: {
    readonly folder: string;
    readonly names: readonly string[];
    readonly lines: Uint8Array;
  }): Promise<readonly Brought[]> => {
    const folder = await StudyFolder.open(asked.folder);
    const wanted = new Set(asked.names.map((name) => RESULT.exec(name)?.[1] ?? ''));
    const brought: Brought[] = [];
    for (const line of new TextDecoder().decode(asked.lines).split('\n')) {
      const result = read(line);
      if (result === null || !wanted.delete(result.id)) continue;
      await folder.write(result);
      brought.push({ id: result.id, status: result.status });
    }
    return brought;
  },
);

function read(line: string): PointResult | null {
  if (line === '') return null;
  try {
    return pointResultSchema.parse(JSON.parse(line)) as PointResult;
  } catch {
    return null;
  }
}
