/**
 * Questions that the workbench answers, as a newcomer would ask them. Each entry declares the words, layout, example
 * and hints of one question. Pictures are assets/questions/ID-light.webp and ID-dark.webp, made by `npm run pictures`.
 */

/** Source of a question's example. */
export type QuestionExample =
  /** The scenario is run on this computer. */
  | Readonly<{ kind: 'run' }>
  /**
   * The scenario is run and overlaid with a Monte Carlo depth dose: a beam of
   * assets/reference/topas-water-depth-dose.csv.
   */
  | Readonly<{ kind: 'monte-carlo'; energy_MeV: number }>
  /** Rows of a bundled session below assets/runs, compared with one of its rows. */
  | Readonly<{ kind: 'session'; session: string; reference: string }>
  /** A bundled run, by its name in the library. */
  | Readonly<{ kind: 'recorded'; run: string }>
  /** Source of a variant in the scenario's benchmark, opened in the editor. */
  | Readonly<{ kind: 'kernel'; variant: string }>;

interface QuestionHint {
  /** Panel that shows the hint. */
  readonly panel: string;
  readonly text: string;
}

export interface Question {
  readonly id: string;
  readonly title: string;
  /** Preview of the example, in one line. */
  readonly text: string;
  /** Layout that the example opens. */
  readonly layout: 'simulate' | 'compare' | 'profile';
  /** Panels to bring to the front, in this order: within a group the last one stays in front. */
  readonly panels: readonly string[];
  /**
   * File below assets/scenarios to load into the form. For a recorded run, the scenario of the run is loaded instead.
   */
  readonly scenario: string;
  readonly example: QuestionExample;
  readonly hints: readonly [QuestionHint, QuestionHint, QuestionHint];
  /** Panel shown in the question's picture. */
  readonly picture: string;
}

/** Note for each kind of example: computed on this computer, or recorded. */
export const exampleWords: Readonly<Record<QuestionExample['kind'], string>> = {
  run: 'Runs here, in seconds',
  'monte-carlo': 'Runs here, in seconds',
  session: 'Recorded on an H200',
  recorded: 'Recorded on an H200',
  kernel: 'Compiles and runs here',
};

export const questions: readonly Question[] = [
  {
    id: 'beam',
    title: 'See a beam stop',
    text: 'Protons of 150 MeV in water, with a slab of bone: where they stop, and where their dose goes.',
    layout: 'simulate',
    panels: ['scenario', 'depth-dose', 'dose-map'],
    scenario: 'bone-slab-150MeV.json',
    example: { kind: 'run' },
    hints: [
      { panel: 'dose-map', text: 'It fills while the run goes on. Point anywhere: all plots follow. A click pins it.' },
      {
        panel: 'depth-dose',
        text: 'The step at 40 mm is the bone. R80, behind the peak, is the range to compare with tables.',
      },
      { panel: 'scenario', text: 'Switch on Live, next to Run. Then change the energy: everything follows.' },
    ],
    picture: 'dose-map',
  },
  {
    id: 'fastest',
    title: 'Which variant is fastest here, and is it right?',
    text: 'Six ways to compute the same, on two processors. The fastest of each is wrong, and red.',
    layout: 'compare',
    panels: ['scenario', 'ladder', 'compare'],
    scenario: 'micro/views.json',
    example: { kind: 'session', session: 'micro/views.json', reference: 'cpu-packed' },
    hints: [
      {
        panel: 'compare',
        text: 'Red rows give a wrong answer, however fast. Benchmark measures the correct ones here; Choose ticks red ones too.',
      },
      { panel: 'ladder', text: 'What each change gave, with its interval. Wrong variants are left out of the ladder.' },
      { panel: 'scenario', text: 'Rows and columns are the size of the problem: change them, then press Benchmark.' },
    ],
    picture: 'compare',
  },
  {
    id: 'time',
    title: 'Where does the time go?',
    text: 'Every kernel, copy and wait of one run on a GPU, on lanes to zoom into.',
    layout: 'profile',
    panels: ['scenario', 'launch-explorer', 'run', 'timeline'],
    scenario: 'uniform-grid-70MeV.json',
    example: { kind: 'recorded', run: 'recorded/h200-uniform-grid-70MeV-cuda-fused.h5' },
    hints: [
      { panel: 'timeline', text: 'W and S zoom, A and D move. Choose a span: its facts open next to it.' },
      { panel: 'run', text: 'The same run in numbers. Times are at the end: set-up, solving, steps.' },
      { panel: 'launch-explorer', text: 'What a block size means for a launch: waves, tail, and occupancy.' },
    ],
    picture: 'timeline',
  },
  {
    id: 'image',
    title: 'An X-ray image',
    text: 'What a crystal scatters onto a detector, pixel by pixel, with the indices of every spot.',
    layout: 'simulate',
    panels: ['scenario', 'image'],
    scenario: 'diffraction/triclinic-512.json',
    example: { kind: 'run' },
    hints: [
      { panel: 'image', text: 'Wheel and drag zoom. Point at a pixel: photons, resolution, and its h, k, l.' },
      { panel: 'peaks', text: 'The brightest spots. Choose one: the image goes there.' },
      { panel: 'scenario', text: 'Turn the crystal or move the detector, then press Run.' },
    ],
    picture: 'image',
  },
  {
    id: 'claim',
    title: 'Is this claim true?',
    text: 'What papers and posts claim about GPUs, next to measurements with their uncertainty.',
    layout: 'compare',
    panels: ['scenario', 'compare', 'claims'],
    scenario: 'micro/coalescing.json',
    example: { kind: 'session', session: 'micro/coalescing.json', reference: 'cuda-direct' },
    hints: [
      {
        panel: 'claims',
        text: 'Open a claim: claimed and measured, with the interval. Search for coalescing: hint 2 has its measurement.',
      },
      { panel: 'compare', text: 'The measurement behind a claim about reading in order: every row, every sample.' },
      { panel: 'scenario', text: 'A claim holds for one size. Change the stride, then press Benchmark.' },
    ],
    picture: 'claims',
  },
  {
    id: 'kernel',
    title: 'Write a kernel of my own',
    text: 'Begin with one that works, change a line, and see whether it is correct and faster.',
    layout: 'compare',
    panels: ['scenario', 'ladder', 'compare', 'kernel-editor'],
    scenario: 'micro/elementwise.json',
    example: { kind: 'kernel', variant: 'cpu-fused' },
    hints: [
      {
        panel: 'kernel-editor',
        text: 'Save copy makes it yours: change a line, press Run, and it is checked. New kernel begins with ten lines of your own.',
      },
      { panel: 'compare', text: 'Your variant is among the others. Tick both, then press Benchmark.' },
      { panel: 'scenario', text: 'The problem that it is run on, and how large it is.' },
    ],
    picture: 'kernel-editor',
  },
  {
    id: 'monte-carlo',
    title: 'Check against Monte Carlo',
    text: 'The depth dose of a beam of 138 MeV over that of TOPAS, in absolute units.',
    layout: 'simulate',
    panels: ['scenario', 'ledger', 'dose-map', 'depth-dose'],
    scenario: 'monte-carlo-138MeV.json',
    example: { kind: 'monte-carlo', energy_MeV: 138.143 },
    hints: [
      {
        panel: 'depth-dose',
        text: 'The dashed curve is TOPAS, not scaled. Overlay says how much of it passes the gamma test.',
      },
      { panel: 'ledger', text: 'Every proton and every MeV has its place, also what reactions carried off.' },
      { panel: 'scenario', text: 'Under Physics, switch nuclear reactions off and run again: the curves part.' },
    ],
    picture: 'depth-dose',
  },
];

export function questionOf(id: string | null): Question | null {
  return questions.find((one) => one.id === id) ?? null;
}
