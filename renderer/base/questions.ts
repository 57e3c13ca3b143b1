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
  /** Rows of the bundled session assets/runs/SESSION, compared with its row `reference`. */
  | Readonly<{ kind: 'session'; session: string; reference: string }>
  /** A bundled run, by its name in the library. */
  | Readonly<{ kind: 'recorded'; run: string }>
  /** Source code of one of the scenario's variants, opened in the editor. */
  | Readonly<{ kind: 'kernel'; variant: string }>;

interface QuestionHint {
  /** Panel that shows the hint. */
  readonly panel: string;
  readonly text: string;
}

export interface Question {
  readonly id: string;
  readonly title: string;
  /** One-line preview of the example. */
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

/** Note on each kind of example that says whether it is computed on this computer or recorded. */
export const exampleNotes: Readonly<Record<QuestionExample['kind'], string>> = {
  run: 'Runs on this machine, in seconds',
  'monte-carlo': 'Runs on this machine, in seconds',
  session: 'Recorded on an H200',
  recorded: 'Recorded on an H200',
  kernel: 'Compiles and runs on this machine',
};

export const questions: readonly Question[] = [
  {
    id: 'beam',
    title: 'See a beam stop',
    text: 'Protons of 150 MeV in water with a slab of bone: where they stop, and where they deposit dose.',
    layout: 'simulate',
    panels: ['scenario', 'depth-dose', 'dose-map'],
    scenario: 'bone-slab-150MeV.json',
    example: { kind: 'run' },
    hints: [
      {
        panel: 'dose-map',
        text: 'The map fills during the run. Point anywhere: all plots follow. Click to pin the crosshair.',
      },
      {
        panel: 'depth-dose',
        text: 'The step at 40 mm is the bone. R80, beyond the peak, is the range to compare with tables.',
      },
      { panel: 'scenario', text: 'Switch on Live, next to Run. Then change the energy: all plots follow.' },
    ],
    picture: 'dose-map',
  },
  {
    id: 'fastest',
    title: 'Which variant is fastest here, and is it correct?',
    text: 'Six implementations of the same computation, on CPU and GPU. The fastest one on each is wrong, and shown in red.',
    layout: 'compare',
    panels: ['scenario', 'ladder', 'compare'],
    scenario: 'micro/views.json',
    example: { kind: 'session', session: 'micro/views.json', reference: 'cpu-packed' },
    hints: [
      {
        panel: 'compare',
        text: 'Red rows give a wrong result, however fast. Benchmark measures the correct ones on this machine; tick red ones too under Choose.',
      },
      {
        panel: 'ladder',
        text: 'The gain from each change, with its interval. Wrong variants are left out of the ladder.',
      },
      { panel: 'scenario', text: 'Rows and columns set the size of the problem: change them, then press Benchmark.' },
    ],
    picture: 'compare',
  },
  {
    id: 'time',
    title: 'Where does the time go?',
    text: 'Every kernel, copy and wait of one run on a GPU, in lanes that you can zoom.',
    layout: 'profile',
    panels: ['scenario', 'launch-explorer', 'run', 'timeline'],
    scenario: 'uniform-grid-70MeV.json',
    example: { kind: 'recorded', run: 'recorded/h200-uniform-grid-70MeV-cuda-fused.h5' },
    hints: [
      { panel: 'timeline', text: 'W and S zoom, A and D move. Click a span: its details open next to it.' },
      {
        panel: 'run',
        text: 'The same run in numbers. The last rows give the time to solve, the number of steps, and cell-steps per second.',
      },
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
      {
        panel: 'image',
        text: 'Zoom with the wheel and by dragging. Point at a pixel: photons, resolution, and its h, k, l.',
      },
      { panel: 'peaks', text: 'The brightest spots. Click one to show it in the image.' },
      { panel: 'scenario', text: 'Rotate the crystal or move the detector, then press Run.' },
    ],
    picture: 'image',
  },
  {
    id: 'claim',
    title: 'Is this claim true?',
    text: 'Claims about GPUs in papers and posts, next to measurements with their uncertainty.',
    layout: 'compare',
    panels: ['scenario', 'compare', 'claims'],
    scenario: 'micro/coalescing.json',
    example: { kind: 'session', session: 'micro/coalescing.json', reference: 'cuda-direct' },
    hints: [
      {
        panel: 'claims',
        text: 'Open a claim to compare it with the measurement and its interval. Search for coalescing: hint 2 shows its measurement.',
      },
      { panel: 'compare', text: 'The measurement behind a claim about coalesced reads: every row, every sample.' },
      { panel: 'scenario', text: 'A claim may be true for one size only. Change the stride, then press Benchmark.' },
    ],
    picture: 'claims',
  },
  {
    id: 'kernel',
    title: 'Write my own kernel',
    text: 'Start from a working kernel, change a line, and see whether it is correct and faster.',
    layout: 'compare',
    panels: ['scenario', 'ladder', 'compare', 'kernel-editor'],
    scenario: 'micro/elementwise.json',
    example: { kind: 'kernel', variant: 'cpu-fused' },
    hints: [
      {
        panel: 'kernel-editor',
        text: 'Save copy makes your own version: change a line, press Run, and it is checked. New kernel begins with a template of ten lines.',
      },
      { panel: 'compare', text: 'Your variant is in this list. Tick both, then press Benchmark.' },
      { panel: 'scenario', text: 'The problem solved by the kernel, and its size.' },
    ],
    picture: 'kernel-editor',
  },
  {
    id: 'monte-carlo',
    title: 'Check against Monte Carlo',
    text: 'The depth dose of a 138 MeV beam compared with TOPAS, in absolute units.',
    layout: 'simulate',
    panels: ['scenario', 'ledger', 'dose-map', 'depth-dose'],
    scenario: 'monte-carlo-138MeV.json',
    example: { kind: 'monte-carlo', energy_MeV: 138.143 },
    hints: [
      {
        panel: 'depth-dose',
        text: 'The dashed curve is TOPAS, not scaled. Overlay shows how many points pass the gamma test.',
      },
      {
        panel: 'ledger',
        text: 'Every proton and every MeV is accounted for, including energy carried away by reactions.',
      },
      { panel: 'scenario', text: 'Under Physics, switch nuclear reactions off and run again: the curves separate.' },
    ],
    picture: 'depth-dose',
  },
];

export function questionOf(id: string | null): Question | null {
  return questions.find((one) => one.id === id) ?? null;
}
