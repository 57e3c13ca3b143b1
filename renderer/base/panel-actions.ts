/** Toolbar actions of panels for the command palette, and search terms for panels. */

/** Names of controls in the attribute `data-action`; unique within a panel. */
export type PanelControl =
  | 'add'
  | 'begin'
  | 'benchmark'
  | 'build'
  | 'choose'
  | 'columns'
  | 'commission'
  | 'copy'
  | 'display'
  | 'export'
  | 'given-by'
  | 'overlay'
  | 'pack'
  | 'region'
  | 'report'
  | 'run'
  | 'sanitize';

export interface PanelAction {
  readonly panel: string;
  readonly control: PanelControl;
  readonly title: string;
  readonly keywords: string;
}

const picture = 'export png svg csv npz hdf5 figure picture download numbers';

/**
 * To add an action, add an entry and set `action` on its button. Benchmark has no entry because the menus contain it.
 */
export const panelActions: readonly PanelAction[] = [
  {
    panel: 'compare',
    control: 'report',
    title: 'Report of the comparison…',
    keywords: 'html pdf print export',
  },
  { panel: 'compare', control: 'columns', title: 'Columns of the comparison…', keywords: 'table metrics' },
  { panel: 'compare', control: 'export', title: 'Export the comparison…', keywords: `${picture} markdown` },
  {
    panel: 'depth-dose',
    control: 'overlay',
    title: 'Overlay a curve on the depth dose…',
    keywords: 'gamma index monte carlo topas measured compare pass rate',
  },
  { panel: 'depth-dose', control: 'export', title: 'Export the depth dose…', keywords: picture },
  {
    panel: 'dose-map',
    control: 'display',
    title: 'Display of the dose map…',
    keywords: 'gamma index difference against units gray gy colour color map contours isodose limits scale',
  },
  { panel: 'dose-map', control: 'export', title: 'Export the dose map…', keywords: `${picture} dicom rtdose` },
  { panel: 'lateral', control: 'export', title: 'Export the lateral profile…', keywords: picture },
  { panel: 'phase-space', control: 'export', title: 'Export the maps of phase space…', keywords: picture },
  {
    panel: 'volume',
    control: 'run',
    title: 'Compute the dose in three dimensions',
    keywords: '3d volume spots moments gray gy mu',
  },
  { panel: 'volume', control: 'export', title: 'Export the slices…', keywords: `${picture} dicom rtdose nrrd mha` },
  {
    panel: 'image',
    control: 'display',
    title: 'Display of the image…',
    keywords: 'colour color map contrast limits scale difference',
  },
  { panel: 'image', control: 'export', title: 'Export the image…', keywords: `${picture} smv cbf tiff` },
  { panel: 'ledger', control: 'export', title: 'Export the ledger…', keywords: `${picture} balance energy` },
  { panel: 'ledger-steps', control: 'export', title: 'Export the ledger by step…', keywords: picture },
  { panel: 'ladder', control: 'export', title: 'Export the speedup ladder…', keywords: picture },
  {
    panel: 'timeline',
    control: 'add',
    title: 'Add a timeline…',
    keywords: 'open trace perfetto nsight systems chrome kineto sqlite profile import',
  },
  { panel: 'timeline', control: 'export', title: 'Export the timeline…', keywords: `${picture} perfetto trace` },
  {
    panel: 'scenario',
    control: 'given-by',
    title: 'Choose energy, range or spots of the beam',
    keywords: 'sobp spread-out bragg peak spot list r80 r90 energy layers',
  },
  {
    panel: 'scenario',
    control: 'commission',
    title: 'Fit the beam to a measured depth dose',
    keywords: 'commission commissioning energy spread',
  },
  { panel: 'scenario', control: 'region', title: 'Add a region…', keywords: 'slab insert bone air gap phantom' },
  { panel: 'scenario', control: 'add', title: 'Add a user material', keywords: 'composition density element compound' },
  {
    panel: 'kernel-editor',
    control: 'begin',
    title: 'New kernel…',
    keywords: 'write user kernel cuda c++ template own',
  },
  {
    panel: 'kernel-editor',
    control: 'copy',
    title: 'Save a copy of the shipped kernel…',
    keywords: 'user kernel edit',
  },
  { panel: 'kernel-editor', control: 'build', title: 'Build the user kernel', keywords: 'compile nvcc errors' },
  { panel: 'kernel-editor', control: 'run', title: 'Run the user kernel', keywords: 'check verify measure' },
  {
    panel: 'kernel-editor',
    control: 'sanitize',
    title: 'Run the user kernel under compute-sanitizer',
    keywords: 'memcheck racecheck initcheck',
  },
  {
    panel: 'library',
    control: 'pack',
    title: 'Pack for a colleague…',
    keywords: 'project share zip archive send reproduce',
  },
  { panel: 'studies', control: 'begin', title: 'New study', keywords: 'sweep parameter scan batch axes' },
  { panel: 'refine', control: 'choose', title: 'Open an image to refine…', keywords: 'crystal fit smv cbf tiff' },
  { panel: 'refine', control: 'run', title: 'Refine the crystal', keywords: 'fit misset cell orientation' },
];

/** Search terms for a panel whose title does not contain them. */
export const panelKeywords: Readonly<Record<string, string>> = {
  scenario: 'form fields units energy beam material',
  runs: 'results history list',
  library: 'files examples open trash tags',
  questions: 'start welcome tour',
  compare: 'benchmark table variants speedup measure',
  'kernel-editor': 'source code c++ cuda user kernel',
  'dose-map': 'gamma gray gy isodose 2d',
  'phase-space': 'angle energy psi',
  volume: 'three dimensions slices sagittal coronal transverse dicom rtdose nrrd',
  'depth-dose': 'bragg peak r80 r90 range curve gamma let rbe',
  lateral: 'sigma width halo spot profile',
  image: 'diffraction detector x-ray',
  refine: 'refine fit crystal',
  peaks: 'spots reflections miller indices hkl',
  ladder: 'waterfall speedup optimisation optimization steps',
  claims: 'papers published evidence',
  decision: 'advice decide recommendation',
  history: 'regression days commits trend',
  studies: 'sweep parameter scan',
  'launch-explorer': 'occupancy block size waves registers shared memory',
  timeline: 'perfetto trace nsight profile kernels',
  'ledger-steps': 'balance conservation depth',
  results: 'numbers answer error',
  ledger: 'balance energy conservation protons',
  run: 'r80 r90 memory time results',
  handbook: 'help manual documentation',
};

/** The control in a panel's body; null if the panel does not show the control. */
export function controlIn(body: ParentNode, control: PanelControl): HTMLElement | null {
  return body.querySelector<HTMLElement>(`[data-action="${control}"]`);
}
