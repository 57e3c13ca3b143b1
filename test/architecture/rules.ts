/**
 * Import rules. A folder that is not listed may import nothing, so a new one starts here. The exceptions come last,
 * each with its reason.
 */
import type { Exception, Rules } from './imports.ts';

const none = { folders: [], packages: [], node: false } as const;

/** Allowed for every part of the page. */
const PAGE_BASE = ['renderer/base', 'electron/contract'] as const;
const PAGE_STATE = [...PAGE_BASE, 'renderer/client', 'renderer/state', 'renderer/data'] as const;
const PAGE_VIEW = [
  ...PAGE_STATE,
  'renderer/drawing',
  'renderer/report',
  'renderer/widgets',
  'renderer/maps',
  'renderer/actions',
  'renderer/commands',
  'renderer/workbench',
  'assets/icons',
  // The list of examples, and what their pictures are drawn from.
  'assets/examples',
] as const;
const REACT = ['react', 'react-dom', 'zustand'] as const;
const EDITOR = [
  '@codemirror/commands',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/state',
  '@codemirror/view',
] as const;

/** Panels by name: each may use the page's parts and none of the other panels. */
export function panelRules(names: readonly string[]): Rules {
  const room = {
    folders: PAGE_VIEW,
    packages: [...REACT, 'zod', 'diff', 'marked', ...EDITOR],
    node: false,
  };
  return Object.fromEntries(names.map((name) => [`renderer/panels/${name}`, room]));
}

export const scriptRules: Rules = {
  // Data exchanged between processes. zod and nothing else, so that any process can load it.
  'electron/contract': { ...none, packages: ['zod'] },

  // Plain Node, the only importer of the addon, and never 'electron'.
  'electron/host': { folders: ['electron/contract'], packages: [], node: true },
  // In layers, each on those above it in this list: files, processes and the addon; what is computed of one thing;
  // one object per workload; the subsystems that a page talks to.
  'electron/host/io': {
    folders: ['electron/contract'],
    packages: ['dicom-parser', 'fflate', 'h5wasm', 'hyparquet-writer', 'yaml', 'zod'],
    node: true,
  },
  'electron/host/model': { folders: ['electron/contract', 'electron/host/io'], packages: ['zod'], node: true },
  'electron/host/workloads': {
    folders: ['electron/contract', 'electron/host/io', 'electron/host/model'],
    packages: ['h5wasm', 'zod'],
    node: true,
  },
  'electron/host/app': {
    folders: ['electron/contract', 'electron/host/io', 'electron/host/model', 'electron/host/workloads'],
    packages: ['h5wasm', 'zod'],
    node: true,
  },
  'electron/transports': { folders: ['electron/contract'], packages: ['ws'], node: true },
  // The page's halves of the transports run without Node.
  'electron/transports/websocket-page.ts': { ...none, folders: ['electron/contract', 'electron/transports'] },
  'electron/transports/message-port.ts': { ...none, folders: ['electron/contract', 'electron/transports'] },

  'electron/main': {
    folders: ['electron/contract', 'electron/host', 'electron/transports'],
    packages: ['electron', 'zod'],
    node: true,
  },
  'electron/preload': { ...none, folders: ['electron/contract'], packages: ['electron'] },
  'electron/server': {
    folders: ['electron/contract', 'electron/host', 'electron/transports'],
    packages: ['ws', 'zod'],
    node: true,
  },
  'electron/cli': {
    // Reports and replayed figures are drawn by the page's user code, which knows no DOM there.
    folders: [
      'electron/contract',
      'electron/host',
      'electron/server',
      'renderer/report',
      'renderer/drawing/charts',
      'renderer/drawing/figures',
      'renderer/base/advice.ts',
      'renderer/base/claim-cards.ts',
      'renderer/base/claims.ts',
      'renderer/base/compare-columns.ts',
      'renderer/base/decision.ts',
      'renderer/base/factorial.ts',
      'renderer/base/history.ts',
      'renderer/base/measured.ts',
      'renderer/base/numbers.ts',
      'renderer/base/thread-use.ts',
      'renderer/base/provenance.ts',
    ],
    packages: ['@modelcontextprotocol/sdk', 'diff', 'zod'],
    node: true,
  },

  'renderer/base': { ...none, folders: ['electron/contract'] },
  'renderer/client': { ...none, folders: PAGE_BASE },
  // No React below here: cached arrays and drawing run in the frame loop.
  'renderer/data': {
    folders: [...PAGE_BASE, 'renderer/client', 'renderer/drawing/scheduler.ts'],
    packages: ['zustand'],
    node: false,
  },
  // fflate packs the arrays of exported figures; Plotly draws charts.
  'renderer/drawing': {
    folders: [...PAGE_BASE, 'renderer/data', 'assets/colormaps'],
    packages: ['fflate', 'plotly.js', 'plotly.js-cartesian-dist-min'],
    node: false,
  },
  'renderer/state': {
    folders: [...PAGE_BASE, 'renderer/client', 'renderer/data'],
    packages: ['zod', 'zustand'],
    node: false,
  },
  'renderer/actions': { ...none, folders: [...PAGE_STATE, 'renderer/drawing', 'renderer/report'] },
  'renderer/commands': { ...none, folders: [...PAGE_STATE, 'renderer/actions', 'renderer/workbench'] },
  // Stores, data and actions put together, how components reach them, and what a workload is to the page.
  'renderer/workbench': {
    folders: [...PAGE_STATE, 'renderer/actions', 'renderer/drawing', 'renderer/widgets'],
    packages: ['react', 'zustand'],
    node: false,
  },
  // A comparison as an HTML file; the command line makes it too.
  'renderer/report': {
    ...none,
    folders: ['renderer/base', 'electron/contract', 'renderer/drawing/charts', 'renderer/drawing/figures'],
  },
  'renderer/styles': { ...none, packages: ['@fontsource-variable/inter'] },
  'renderer/widgets': { ...none, folders: [...PAGE_BASE, 'renderer/drawing', 'assets/icons'], packages: ['react'] },
  // The one map panel, which workloads fill.
  'renderer/maps': {
    folders: [...PAGE_STATE, 'renderer/drawing', 'renderer/widgets', 'renderer/actions', 'renderer/workbench'],
    packages: [...REACT, 'zod'],
    node: false,
  },
  // The frame around the panels, and the only folder that names them.
  'renderer/frame': {
    folders: [...PAGE_VIEW, 'renderer/panels', 'renderer/styles'],
    packages: [...REACT],
    node: false,
  },
  // One object per workload, handed to the workbench by the shell.
  'renderer/workloads': {
    folders: [...PAGE_STATE, 'renderer/actions', 'renderer/widgets', 'renderer/workbench'],
    packages: [...REACT],
    node: false,
  },
  // Thin: a shell chooses a Port and hands it to the workbench.
  'renderer/shells': {
    folders: [
      ...PAGE_VIEW,
      'renderer/frame',
      'renderer/workloads',
      'renderer/styles',
      'electron/transports/websocket-page.ts',
      'electron/transports/message-port.ts',
    ],
    packages: [...REACT, 'zod'],
    node: false,
  },
};

/** Allowed for all kernels: the engine below them, threads and the device. */
const ENGINE = ['native/engine', 'native/cpu', 'native/cuda'];
/** Files directly in kernels/: names shared by the registries, and number formats. */
const KERNEL_BASE = [
  'kernels/physics',
  'kernels/variant.hpp',
  'kernels/bf16.hpp',
  'kernels/tensor.cuh',
  'kernels/tuning',
];
/** A workload's list of variants and its own declarations, which are next to its rooms. */
const listOf = (workload: string) =>
  ['registry.hpp', 'variants.hpp', 'user_kernel.hpp'].map((name) => `kernels/${workload}/${name}`);

/**
 * A workload's rooms, in one direction: model ← run ← cpu, cuda; registry and image are next to them. `followers`
 * process the results of a run, with threads, and are called by it.
 */
function roomsOf(workload: string, followers: readonly string[] = []): Rules {
  const at = (room: string) => `kernels/${workload}/${room}`;
  const solvers = [...KERNEL_BASE, ...ENGINE, at('model'), at('run'), ...listOf(workload)];
  return {
    [`kernels/${workload}`]: { ...none, folders: [...KERNEL_BASE, ...ENGINE] },
    // The problem and its tables. Independent of threads and devices.
    [at('model')]: { ...none, folders: [...KERNEL_BASE, 'native/engine/problem_error.hpp'] },
    // The run: the solver's interface and all that every variant shares.
    [at('run')]: {
      ...none,
      folders: [...KERNEL_BASE, 'native/engine', 'native/cpu', at('model'), ...followers.map(at), ...listOf(workload)],
    },
    ...Object.fromEntries(
      followers.map((room) => [at(room), { ...none, folders: [...KERNEL_BASE, 'native/cpu', at('model')] }]),
    ),
    [at('cpu')]: { ...none, folders: solvers },
    [at('cuda')]: { ...none, folders: solvers },
  };
}

export const cppRules: Rules = {
  // Formulas know neither threads nor the engine; nvcc and NVRTC compile them too.
  'kernels/physics': none,
  ...roomsOf('transport', ['secondaries']),
  // Moments on a GPU leave planes that the solver of the CPU reads.
  'kernels/transport/cuda/moments': {
    ...none,
    folders: [
      ...[...KERNEL_BASE, ...ENGINE, ...listOf('transport')],
      ...['model', 'run', 'moments', 'cuda'].map((room) => `kernels/transport/${room}`),
    ],
  },
  ...roomsOf('diffraction'),
  'kernels/micro': { ...none, folders: [...KERNEL_BASE, ...ENGINE] },
  // Rows about many images of a workload that makes one: its geometry, its lattice factors and their kernels' bodies.
  'kernels/micro/images': {
    ...none,
    folders: [...KERNEL_BASE, ...ENGINE, 'kernels/diffraction', 'kernels/micro/row', 'kernels/micro/rows.hpp'],
  },
  'kernels/linear_relu': { ...none, folders: [...KERNEL_BASE, ...ENGINE] },
  'kernels/user_problem': { ...none, folders: [...KERNEL_BASE, ...ENGINE] },
  'kernels/probe': none,
  'kernels/tuning': none,
  // Tasks of all workloads, and how one is run.
  'kernels/tasks': {
    ...none,
    folders: [
      ...KERNEL_BASE,
      ...ENGINE,
      'kernels/micro/registry.hpp',
      'kernels/linear_relu/registry.hpp',
      'kernels/user_problem/registry.hpp',
    ],
  },
  kernels: { ...none, folders: ['native/engine'] },
  // Below the kernels: none of these includes kernels/, so they know no physics. Libraries of users are opened as
  // NVIDIA's are.
  'native/cpu': { ...none, folders: ['native/engine/problem_error.hpp', 'native/cuda/loader/dynamic_library.hpp'] },
  'native/engine': { ...none, folders: ['native/cpu'] },
  'native/cuda': { ...none, folders: ['native/cpu', 'native/engine'] },
  // Sources of a reproducer, built outside this program: it reads problems with the binding's own functions.
  'native/reproduce': {
    ...none,
    folders: ['kernels', 'native/binding', 'native/cpu', 'native/cuda', 'native/engine', 'native/reproduce'],
  },
  // The only place that knows Node.
  'native/binding': {
    folders: ['kernels', 'native/cpu', 'native/cuda', 'native/engine'],
    packages: ['napi.h'],
    node: false,
  },
};

export const exceptions: readonly Exception[] = [];

/** A folder of sources with more files than fit in one view, until they are sorted into rooms of their own. */
export const crowded: readonly { readonly folder: string; readonly reason: string }[] = [];

/** Files that lead to each other, of types only, until the landing that parts them. */
export const tangled: readonly { readonly file: string; readonly reason: string }[] = [];

/** Folders of one workload, or of one family of them. */
export const workloadFolders: readonly string[] = [
  ...['transport', 'diffraction', 'linear-relu', 'micro', 'user-problem', 'task'].map(
    (name) => `electron/contract/scenario/${name}`,
  ),
  ...['host', 'cli'].flatMap((room) =>
    ['transport', 'diffraction', 'task'].map((name) => `electron/${room}/workloads/${name}`),
  ),
  ...['transport', 'diffraction', 'task', 'linear-relu'].map((name) => `renderer/workloads/${name}`),
  // Messages about the runs of one workload.
  ...['run', 'image', 'task'].map((name) => `electron/contract/${name}.ts`),
  // Panels that show one workload only.
  ...['depth-dose', 'phase-space', 'dose-map', 'image', 'peaks', 'refine', 'lateral', 'ledger', 'ledger-steps'].map(
    (name) => `renderer/panels/${name}`,
  ),
];

/** Registries with one line per workload. */
export const workloadRegistries: readonly string[] = [
  'electron/contract/scenario/kinds.ts',
  'electron/host/workloads/index.ts',
  'electron/cli/workloads/index.ts',
  'renderer/workloads/index.ts',
];

/** Files that name a workload and are to lose it: the list only gets shorter. */
export const workloadsStillNamed: readonly { readonly file: string; readonly reason: string }[] = [];

/** Files that import a workload's room of the host without being part of a workload. */
export const ofOneWorkload: readonly { readonly file: string; readonly reason: string }[] = [
  { file: 'electron/cli/verbs/commission.ts', reason: 'the verb is of beams of protons' },
  { file: 'electron/cli/verbs/export.ts', reason: 'formats of images are options of the verb' },
  { file: 'electron/cli/verbs/gamma.ts', reason: 'gamma is of doses' },
  { file: 'electron/host/app/batches', reason: 'beams that one GPU takes at once are of transport' },
  { file: 'electron/host/app/claim-table', reason: 'claims about images are read from their own registry' },
  { file: 'electron/host/app/compare/compare.ts', reason: 'gamma and ledgers are of doses' },
  { file: 'electron/host/app/handlers/beams.ts', reason: 'spread-out peaks are of transport' },
  { file: 'electron/host/app/doses/imported.ts', reason: 'doses are held against runs of transport' },
  {
    file: 'electron/host/app/handlers/dose.ts',
    reason: 'gamma is of doses, and a CT is matter that protons go through',
  },
  { file: 'electron/host/app/handlers/images.ts', reason: 'methods of images' },
  { file: 'electron/host/app/handlers/tasks.ts', reason: 'methods of small measured workloads' },
  { file: 'electron/host/app/handlers/transport-runs.ts', reason: 'methods of transport' },
  { file: 'electron/host/app/runs/transport-maps.ts', reason: 'maps of transport' },
  { file: 'electron/host/app/refining', reason: 'crystals are fitted to images' },
  { file: 'electron/host/app/what-ifs', reason: 'Live is of transport' },
  { file: 'electron/host/app/host.ts', reason: 'phase space of kept steps is computed again, of transport alone' },
  { file: 'electron/host/app/open-host.ts', reason: 'the same' },
  { file: 'electron/host/app/studies', reason: 'points that are beams are taken at once, as batches are' },
];
