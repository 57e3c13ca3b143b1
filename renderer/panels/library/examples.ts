/** The examples in the order in which they are read: by workload, and by the question that they answer. */
import groups from '../../../assets/examples/groups.json';
import type { LibraryItem } from '../../../electron/contract/library.ts';

interface ExampleGroup {
  /** What it is about; groups of one stand together. */
  readonly about: string;
  readonly question: string;
  /** Keys in the library, in their order. */
  readonly files: readonly string[];
}

/** A further example is its file, and its place in that list. */
export const exampleGroups: readonly ExampleGroup[] = groups;

interface ShownGroup {
  readonly about: string;
  /** The first of its subject has its heading. */
  readonly heads: boolean;
  readonly question: string;
  readonly items: readonly LibraryItem[];
}

/** Items in their groups; what stands in none comes last, under words that say so. Groups without items are left out. */
export function grouped(items: readonly LibraryItem[]): readonly ShownGroup[] {
  const byKey = new Map(items.map((item) => [item.id, item]));
  const known = new Set(exampleGroups.flatMap(({ files }) => files));
  const others: ExampleGroup = {
    about: 'Others',
    question: 'Not sorted',
    files: items.map(({ id }) => id).filter((id) => !known.has(id)),
  };
  const filled = [...exampleGroups, others]
    .map((group) => ({ ...group, items: group.files.flatMap((file) => byKey.get(file) ?? []) }))
    .filter((group) => group.items.length > 0);
  return filled.map(({ about, question, items: own }, i) => ({
    about,
    question,
    items: own,
    heads: filled[i - 1]?.about !== about,
  }));
}
