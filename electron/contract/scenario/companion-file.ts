/** A file that belongs to a scenario, in the scenario's folder or below. */
import { z } from 'zod';

/** A path that stays below the folder of the scenario file. */
export function companionFile(meta: {
  readonly title: string;
  readonly description: string;
  readonly example: string;
}) {
  return z
    .string()
    .min(1)
    .max(500)
    .regex(/^(?![/\\])(?!.*(?:^|[/\\])\.\.(?:[/\\]|$))(?!.*[:\\\0]).+$/)
    .meta({
      title: meta.title,
      description: `${meta.description} The path is relative to this file, with '/', and stays below its folder.`,
      $comment: `a relative path below the scenario's folder, such as ${meta.example}`,
    });
}
