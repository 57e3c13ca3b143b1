/** The pages of the handbook in the order they are read, and which of them belongs to a panel. A further page is one entry here. */

interface HandbookPage {
  /** Its file in assets/handbook, without `.md`. */
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
  { id: 'developer-workload', title: 'Add a workload' },
];

/** A page, and a heading of it as links name it. */
export interface HandbookLink {
  readonly page: string;
  readonly anchor: string | null;
}

const at = (page: string, anchor: string | null = null): HandbookLink => ({ page, anchor });

/** Handbook page that F1 opens, by the panel in focus. */
export const pageOfPanel: Readonly<Record<string, HandbookLink>> = {
  scenario: at('scenarios'),
  questions: at('start', 'questions-to-begin-with'),
  library: at('start', 'your-files'),
  runs: at('start', 'the-workbench'),
  'dose-map': at('reading-results', 'the-depth-dose'),
  'depth-dose': at('reading-results', 'the-depth-dose'),
  run: at('reading-results', 'the-depth-dose'),
  lateral: at('reading-results', 'width-and-angle'),
  'phase-space': at('reading-results', 'phase-space'),
  ledger: at('reading-results', 'the-ledger'),
  'ledger-steps': at('reading-results', 'the-ledger'),
  image: at('reading-results', 'an-image'),
  peaks: at('reading-results', 'an-image'),
  refine: at('reading-results', 'a-crystal-and-an-image-of-your-own'),
  results: at('reading-results', 'a-measurement'),
  compare: at('comparing'),
  claims: at('claims'),
  decision: at('comparing', 'which-way-to-write-it'),
  history: at('comparing', 'days-and-commits'),
  ladder: at('claims'),
  studies: at('studies'),
  'kernel-editor': at('user-kernels'),
  timeline: at('timelines'),
  'launch-explorer': at('timelines', 'the-launch-explorer'),
  handbook: at('start'),
};

/** A heading as links name it: GitHub's rule, so that the files' links work in both places. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
