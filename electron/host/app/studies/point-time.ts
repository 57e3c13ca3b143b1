/** Estimates the time of a point without solving one. */
import type { StudyFolder } from '../../model/studies/folder.ts';

/** Results that are looked at: enough for a mean. */
const FEW = 32;
/** A point takes ten to seventy times the least that any machine needs, on a server's core. */
const OVER_LEAST = 20;

/**
 * Mean seconds of a point: from existing results, otherwise from the plan's minimum times; null if neither is known.
 */
export async function meanSeconds(folder: StudyFolder): Promise<number | null> {
  const { least_s, points } = folder.head;
  const ended = [...(await folder.ended())].filter(([, state]) => state === 'done').slice(0, FEW);
  const results = await Promise.all(ended.map(([id, state]) => folder.result(id, state)));
  const times = results.flatMap((result) => {
    const wall_s = result?.measures.find(({ group, name }) => group === 'times' && name === 'wall_s')?.value;
    return typeof wall_s === 'number' ? [wall_s * (result?.repeats ?? 1)] : [];
  });
  if (times.length > 0) return times.reduce((sum, each) => sum + each, 0) / times.length;
  return least_s === null ? null : (OVER_LEAST * least_s) / Math.max(1, points);
}
