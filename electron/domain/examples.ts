/** Groups of the examples that come with the program, in reading order. */
import { z } from 'zod';

export const exampleGroupsSchema = z.array(
  z.strictObject({
    /** Subject of the group, by which neighbouring groups are put together. */
    about: z.string(),
    question: z.string(),
    /**
     * Library keys of the examples, in order. `micro/*` selects all files in that folder that no group lists by name.
     */
    files: z.array(z.string()).readonly(),
  }),
);
export type ExampleGroup = Readonly<z.infer<typeof exampleGroupsSchema>[number]>;

/** Replaces patterns in the groups by the matching files in `present`. */
export function expandGroups(groups: readonly ExampleGroup[], present: readonly string[]): readonly ExampleGroup[] {
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
