/** Examples shipped with the program, in reading order: by workload, and by question. */
import { z } from 'zod';

export const exampleGroupsSchema = z.array(
  z.strictObject({
    /** Subject of the group; groups of one subject are adjacent. */
    about: z.string(),
    question: z.string(),
    /** Keys in the library, in order. `micro/*` means the files of that folder that no group names. */
    files: z.array(z.string()).readonly(),
  }),
);
export type ExampleGroup = Readonly<z.infer<typeof exampleGroupsSchema>[number]>;

/** Replaces patterns in the groups by the matching `present` files. */
export function filledGroups(groups: readonly ExampleGroup[], present: readonly string[]): readonly ExampleGroup[] {
  const named = new Set(groups.flatMap(({ files }) => files));
  return groups.map((group) => ({
    ...group,
    files: group.files.flatMap((file) => {
      if (!file.endsWith('/*')) return [file];
      const folder = file.slice(0, -1);
      return present.filter((one) => one.startsWith(folder) && !named.has(one)).sort();
    }),
  }));
}
