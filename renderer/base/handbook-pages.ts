/** Pages of the handbook in reading order. To add a page, add an entry. */

interface HandbookPage {
  /** Name of the file of the page in assets/handbook, without `.md`. */
  readonly id: string;
  readonly title: string;
}

export const handbookPages: readonly HandbookPage[] = [
  { id: 'start', title: 'Start' },
  { id: 'remote', title: 'A remote machine' },
  { id: 'reading-results', title: 'Reading results' },
  { id: 'scenarios', title: 'Scenarios' },
  { id: 'fields', title: 'Fields' },
  { id: 'matter', title: 'Matter' },
  { id: 'user-kernels', title: 'User kernels' },
  { id: 'user-problems', title: 'Your own problem' },
  { id: 'agents', title: 'Coding agents' },
  { id: 'judging', title: 'How kernels are judged' },
  { id: 'comparing', title: 'Comparing' },
  { id: 'claims', title: 'Published claims' },
  { id: 'studies', title: 'Studies' },
  { id: 'timelines', title: 'Timelines' },
  { id: 'physics-and-limits', title: 'Physics and limits' },
  { id: 'nuclear-reactions', title: 'Nuclear reactions' },
  { id: 'let-and-rbe', title: 'LET and RBE' },
  { id: 'uncertainty', title: 'Uncertainty of a range' },
  { id: 'measurements', title: 'Measurements' },
  { id: 'command-line', title: 'Command line' },
  { id: 'developer', title: "Developer's guide" },
  { id: 'developer-tests', title: 'Tests and builds' },
  { id: 'developer-workload', title: 'Add a workload' },
];

/** Link to a page of the handbook, with the anchor of a heading. */
export interface HandbookLink {
  readonly page: string;
  readonly anchor: string | null;
}

/** Anchor of a heading by GitHub's rule, so that links in the files work in the app and on GitHub. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
