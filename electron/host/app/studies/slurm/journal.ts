/**
 * Journal of submissions to a cluster, in the study's folder. An entry is written before sbatch is called, under a
 * unique job name. After a crash, the job is looked up by that name, so that nothing is submitted twice.
 *
 * - `slurm/TAG/submission`: the points of each task
 * - `slurm/TAG/job`: the job's id, when it is known
 * - `slurm/TAG/over`: present when no task of it runs any more
 * - `slurm/TAG/attempts`: a file for each start of a task, with node, times and end
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { writeBeside } from '../../../io/files/write-file.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';

const ROOM = 'slurm';

const entrySchema = z.strictObject({
  tag: z.string(),
  /** ISO 8601. */
  created: z.string(),
  /** Which try of its points, from 1. */
  attempt: z.number().int().positive(),
  /** Ids of the points of each task. */
  tasks: z.array(z.array(z.string()).readonly()).readonly(),
});
export type Entry = Readonly<z.infer<typeof entrySchema>>;

const attemptSchema = z.strictObject({
  node: z.string(),
  job: z.string(),
  task: z.number().int().nonnegative(),
  /** Number of restarts by the cluster. */
  restart: z.number().int().nonnegative(),
  started: z.string(),
  /** ISO 8601; null while it runs, or if it ended without a report. */
  finished: z.string().nullable(),
  end: z.string().nullable(),
  done: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
});
export type Attempt = Readonly<z.infer<typeof attemptSchema>>;

const textAt = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);
const isThere = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;

function read<T>(text: string | null, schema: z.ZodType<T>): T | null {
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

interface Known {
  readonly entry: Entry;
  /** Null if it was not recorded. */
  readonly job: string | null;
}

export class Journal {
  readonly folder: string;

  constructor(study: StudyFolder) {
    this.folder = path.join(study.folder, ROOM);
  }

  of(tag: string, ...names: readonly string[]): string {
    return path.join(this.folder, tag, ...names);
  }

  /** Before sbatch. Throws a BraggError, `no-space` among them. */
  async begin(study: StudyFolder, tasks: Entry['tasks'], attempt: number): Promise<Entry> {
    const tag = `braggbench-${study.head.sha256.slice(0, 8)}-${randomBytes(4).toString('hex')}`;
    await mkdir(this.of(tag, 'attempts'), { recursive: true });
    await mkdir(this.of(tag, 'output'), { recursive: true });
    const entry: Entry = { tag, created: new Date().toISOString(), attempt, tasks };
    await writeBeside(this.of(tag, 'submission'), JSON.stringify(entry));
    return entry;
  }

  async noteJob(tag: string, job: string): Promise<void> {
    await writeBeside(this.of(tag, 'job'), job);
  }

  async noteOver(tag: string): Promise<void> {
    await writeBeside(this.of(tag, 'over'), '');
  }

  async entry(tag: string): Promise<Entry | null> {
    return read(await textAt(this.of(tag, 'submission')), entrySchema);
  }

  /** Submissions that may still run, oldest first. */
  async open(): Promise<readonly Known[]> {
    const known: Known[] = [];
    for (const tag of await readdir(this.folder).catch(() => [])) {
      if (await isThere(this.of(tag, 'over'))) continue;
      const entry = await this.entry(tag);
      if (entry !== null) known.push({ entry, job: (await textAt(this.of(tag, 'job')))?.trim() || null });
    }
    return known.toSorted((a, b) => a.entry.created.localeCompare(b.entry.created));
  }

  async keepAttempt(tag: string, attempt: Attempt): Promise<void> {
    await writeBeside(this.of(tag, 'attempts', `${attempt.task}-${attempt.restart}.json`), JSON.stringify(attempt));
  }

  async attempts(tag: string): Promise<readonly Attempt[]> {
    const names = await readdir(this.of(tag, 'attempts')).catch(() => []);
    const all = await Promise.all(names.map((name) => textAt(this.of(tag, 'attempts', name))));
    return all
      .flatMap((text) => read(text, attemptSchema) ?? [])
      .toSorted((a, b) => a.started.localeCompare(b.started));
  }

  /** Attempts of all submissions that ended otherwise than with all their points. */
  async troubled(): Promise<readonly Attempt[]> {
    const tags = await readdir(this.folder).catch(() => []);
    const all = await Promise.all(tags.map((tag) => this.attempts(tag)));
    return all.flat().filter(({ end }) => end !== null && end !== WHOLE);
  }
}

/** `end` of an attempt whose points have all ended. */
export const WHOLE = 'all points ended';
