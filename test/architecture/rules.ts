/**
 * Import rules. A folder that is not listed may import nothing, so a new folder needs an entry first. The exceptions
 * come last, each with its reason.
 */
import type { Exception, Rules } from './imports.ts';

const noImports = { folders: [], packages: [], node: false } as const;

/** Imports allowed in every part of the page. */
const PAGE_BASE = ['renderer/base', 'electron/contract', 'electron/domain'] as const;
/** Messages, schemas, and the calculations and texts that page, host and command line share. */
const SHARED_FOLDERS = ['electron/contract', 'electron/domain'] as const;
const PAGE_STATE = [...PAGE_BASE, 'renderer/data/client', 'renderer/state', 'renderer/data'] as const;
const PAGE_VIEW = [
  ...PAGE_STATE,
  'renderer/drawing',
  'renderer/drawing/report',
  'renderer/widgets',
  'renderer/workbench/maps',
  'renderer/workbench/actions',
  'renderer/workbench/commands',
  'renderer/workbench',
  'assets/icons',
  // The list of examples, and the sources of their pictures.
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

/** Rules for the panels with these names: each may use the shared parts of the page, and no other panel. */
export function panelRules(names: readonly string[]): Rules {
  const room = {
    folders: PAGE_VIEW,
    packages: [...REACT, 'zod', 'diff', 'marked', ...EDITOR],
    node: false,
  };
  return Object.fromEntries(names.map((name) => [`renderer/panels/${name}`, room]));
}

export const scriptRules: Rules = {
  // Wire format and schemas of data exchanged between processes. Only zod is allowed, so that any process can load
  // them.
  'electron/contract': { ...noImports, folders: ['electron/domain/values'], packages: ['zod'] },
  // Pure functions that page, host and command line share: no DOM, no Node, no state.
  'electron/domain': { ...noImports, folders: ['electron/contract'], packages: ['diff'] },
  // Conversion of values to text: units, paths, expressions. Schemas use these files, so these import no schema.
  'electron/domain/values': noImports,

  // Plain Node. The only importer of the addon; never imports 'electron'.
  'electron/host': { folders: SHARED_FOLDERS, packages: [], node: true },
  // Layers of the host. Each layer may use the layers above it in this list: first files, processes and the addon; then
  // computations about one item; then one object per workload; then the subsystems that a page calls.
  'electron/host/io': {
    folders: SHARED_FOLDERS,
    packages: ['dicom-parser', 'fflate', 'h5wasm', 'hyparquet-writer', 'yaml', 'zod'],
    node: true,
  },
  'electron/host/model': { folders: [...SHARED_FOLDERS, 'electron/host/io'], packages: ['zod'], node: true },
  'electron/host/workloads': {
    folders: [...SHARED_FOLDERS, 'electron/host/io', 'electron/host/model'],
    packages: ['h5wasm', 'zod'],
    node: true,
  },
  'electron/host/app': {
    folders: [...SHARED_FOLDERS, 'electron/host/io', 'electron/host/model', 'electron/host/workloads'],
    packages: ['h5wasm', 'zod'],
    node: true,
  },
  // Part of the host that the command line uses, one file per subject.
  'electron/host/api': { ...noImports, folders: ['electron/host'] },
  'electron/transports': { folders: ['electron/contract'], packages: ['ws'], node: true },
  // The page's side of the transports runs without Node.
  'electron/transports/websocket-page.ts': { ...noImports, folders: ['electron/contract', 'electron/transports'] },
  'electron/transports/message-port.ts': { ...noImports, folders: ['electron/contract', 'electron/transports'] },

  'electron/main': {
    folders: [...SHARED_FOLDERS, 'electron/host/index.ts', 'electron/transports'],
    packages: ['electron', 'zod'],
    node: true,
  },
  'electron/preload': { ...noImports, folders: ['electron/contract'], packages: ['electron'] },
  'electron/server': {
    folders: [...SHARED_FOLDERS, 'electron/host/index.ts', 'electron/transports'],
    packages: ['ws', 'zod'],
    node: true,
  },
  'electron/cli': {
    // Drawing code of the page that uses no DOM. It draws reports and replayed figures.
    folders: [
      ...SHARED_FOLDERS,
      // The command line may import only these files of the host, so that the host's other modules can move.
      'electron/host/index.ts',
      'electron/host/api',
      'electron/server',
      'renderer/drawing/report',
      'renderer/drawing/charts',
      'renderer/drawing/figures',
    ],
    packages: ['@modelcontextprotocol/sdk', 'diff', 'zod'],
    node: true,
  },

  'renderer/base': { ...noImports, folders: SHARED_FOLDERS },
  'renderer/data/client': { ...noImports, folders: PAGE_BASE },
  // From here on, folders may not import React, because cached arrays and drawing run in the frame loop.
  'renderer/data': {
    folders: [...PAGE_BASE, 'renderer/data/client', 'renderer/drawing/scheduler.ts'],
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
    folders: [...PAGE_BASE, 'renderer/data/client', 'renderer/data'],
    packages: ['zod', 'zustand'],
    node: false,
  },
  'renderer/workbench/actions': {
    ...noImports,
    folders: [...PAGE_STATE, 'renderer/drawing', 'renderer/drawing/report'],
  },
  'renderer/workbench/commands': {
    ...noImports,
    folders: [...PAGE_STATE, 'renderer/workbench/actions', 'renderer/workbench'],
  },
  // Combines stores, data and actions, gives components access to them, and defines the page's side of a workload.
  'renderer/workbench': {
    folders: [...PAGE_STATE, 'renderer/workbench/actions', 'renderer/drawing', 'renderer/widgets'],
    packages: ['react', 'zustand'],
    node: false,
  },
  // Writes a comparison as an HTML file, for the page and for the command line.
  'renderer/drawing/report': {
    ...noImports,
    folders: [...SHARED_FOLDERS, 'renderer/drawing/charts', 'renderer/drawing/figures'],
  },
  'renderer/shells/styles': { ...noImports, packages: ['@fontsource-variable/inter'] },
  'renderer/widgets': {
    ...noImports,
    folders: [...PAGE_BASE, 'renderer/drawing', 'assets/icons'],
    packages: ['react'],
  },
  // The map panel that all workloads share and fill.
  'renderer/workbench/maps': {
    folders: [
      ...PAGE_STATE,
      'renderer/drawing',
      'renderer/widgets',
      'renderer/workbench/actions',
      'renderer/workbench',
    ],
    packages: [...REACT, 'zod'],
    node: false,
  },
  // The frame around the panels; no other folder may name panels.
  'renderer/frame': {
    folders: [...PAGE_VIEW, 'renderer/panels', 'renderer/shells/styles'],
    packages: [...REACT],
    node: false,
  },
  // One object per workload, which the shell hands to the workbench.
  'renderer/workloads': {
    folders: [...PAGE_STATE, 'renderer/workbench/actions', 'renderer/widgets', 'renderer/workbench'],
    packages: [...REACT],
    node: false,
  },
  // A shell only chooses a Port and hands it to the workbench.
  'renderer/shells': {
    folders: [
      ...PAGE_VIEW,
      'renderer/frame',
      'renderer/workloads',
      'renderer/shells/styles',
      'electron/transports/websocket-page.ts',
      'electron/transports/message-port.ts',
    ],
    packages: [...REACT, 'zod'],
    node: false,
  },
};

/** Imports allowed for all kernels: the engine, threads and the device. */
const ENGINE = ['native/engine', 'native/cpu', 'native/cuda'];
/** Files directly in kernels/: names shared by the registries, and number formats. */
const KERNEL_BASE = [
  'kernels/physics',
  'kernels/variant.hpp',
  'native/engine/half.hpp',
  'kernels/tensor.cuh',
  'kernels/tuning',
];
/** A workload's list of variants and its declarations, which are next to its subfolders. */
const listOf = (workload: string) =>
  ['registry.hpp', 'variants.hpp', 'user_kernel.hpp'].map((name) => `kernels/${workload}/${name}`);

/**
 * Import rules for a workload's subfolders. Allowed directions: model ← run ← cpu, cuda, with registry and image next
 * to them. `followers` process the results of a run on threads, and are called by run.
 */
function workloadRules(workload: string, followers: readonly string[] = []): Rules {
  const at = (room: string) => `kernels/${workload}/${room}`;
  const solvers = [...KERNEL_BASE, ...ENGINE, at('model'), at('run'), ...listOf(workload)];
  return {
    [`kernels/${workload}`]: { ...noImports, folders: [...KERNEL_BASE, ...ENGINE] },
    // The problem and its tables, independent of threads and devices. Error messages contain sizes of memory.
    [at('model')]: {
      ...noImports,
      folders: [...KERNEL_BASE, 'native/engine/problem_error.hpp', 'native/cpu/memory.hpp'],
    },
    // The run: the solver's interface, and code that all variants share.
    [at('run')]: {
      ...noImports,
      folders: [...KERNEL_BASE, 'native/engine', 'native/cpu', at('model'), ...followers.map(at), ...listOf(workload)],
    },
    ...Object.fromEntries(
      followers.map((room) => [at(room), { ...noImports, folders: [...KERNEL_BASE, 'native/cpu', at('model')] }]),
    ),
    [at('cpu')]: { ...noImports, folders: solvers },
    [at('cuda')]: { ...noImports, folders: solvers },
  };
}

export const cppRules: Rules = {
  // Physics formulas, which use neither threads nor the engine; nvcc and NVRTC compile them too.
  'kernels/physics': noImports,
  ...workloadRules('transport', ['secondaries']),
  // The GPU's code for moments stores them in planes that the CPU solver reads.
  'kernels/transport/cuda/moments': {
    ...noImports,
    folders: [
      ...[...KERNEL_BASE, ...ENGINE, ...listOf('transport')],
      ...['model', 'run', 'moments', 'cuda'].map((room) => `kernels/transport/${room}`),
    ],
  },
  ...workloadRules('diffraction'),
  'kernels/micro': { ...noImports, folders: [...KERNEL_BASE, ...ENGINE] },
  // Benchmark rows about many images of an image workload: its geometry, lattice factors and kernel bodies.
  'kernels/micro/images': {
    ...noImports,
    folders: [...KERNEL_BASE, ...ENGINE, 'kernels/diffraction', 'kernels/micro/row'],
  },
  'kernels/linear_relu': { ...noImports, folders: [...KERNEL_BASE, ...ENGINE] },
  'kernels/user_problem': { ...noImports, folders: [...KERNEL_BASE, ...ENGINE] },
  'kernels/probe': noImports,
  'kernels/tuning': noImports,
  // Tasks of all workloads, and the code that runs a task.
  'kernels/tasks': {
    ...noImports,
    folders: [
      ...KERNEL_BASE,
      ...ENGINE,
      'kernels/micro/registry.hpp',
      'kernels/linear_relu/registry.hpp',
      'kernels/user_problem/registry.hpp',
    ],
  },
  kernels: { ...noImports, folders: ['native/engine'] },
  // Layers below the kernels: none includes kernels/, so that none depends on physics. User libraries are opened in the
  // same way as NVIDIA's libraries.
  'native/cpu': {
    ...noImports,
    folders: ['native/engine/problem_error.hpp', 'native/cuda/loader/dynamic_library.hpp'],
  },
  'native/engine': { ...noImports, folders: ['native/cpu'] },
  'native/cuda': { ...noImports, folders: ['native/cpu', 'native/engine'] },
  // Sources of a reproducer, which is built separately and reads problems with functions of the binding.
  'native/reproduce': {
    ...noImports,
    folders: ['kernels', 'native/binding', 'native/cpu', 'native/cuda', 'native/engine', 'native/reproduce'],
  },
  // The only native folder that uses Node's API.
  'native/binding': {
    folders: ['kernels', 'native/cpu', 'native/cuda', 'native/engine'],
    packages: ['napi.h'],
    node: false,
  },
};

export const exceptions: readonly Exception[] = [];

/** Folders with more source files than fit in one view, until they are split into subfolders. */
export const crowdedFolders: readonly { readonly folder: string; readonly reason: string }[] = [];

/**
 * Sources below 30 lines with fewer than two importers. Entry scripts directly in electron/build need no entry in this
 * list.
 */
export const shortFiles: readonly { readonly file: string; readonly reason: string }[] = [
  { file: 'electron/build/figures/main.ts', reason: 'the program of npm run figures' },
  { file: 'electron/build/steps/page.mjs', reason: 'a build step, loaded when it is needed' },
  { file: 'electron/cli/start/image.ts', reason: 'entry of the start-up image' },
  { file: 'electron/host/io/parquet/parquet.ts', reason: 'only this folder may import the Parquet package' },
  { file: 'electron/preload/preload.ts', reason: 'entry of the preload script' },
  { file: 'renderer/shells/browser.tsx', reason: 'entry of the page in a browser' },
  { file: 'renderer/shells/desktop.tsx', reason: 'entry of the page in a window' },
];

/** Files with cyclic imports of types only, until a later commit separates them. */
export const filesWithTypeCycles: readonly { readonly file: string; readonly reason: string }[] = [];

/** Folders that belong to one workload, or to one family of workloads. */
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

/** Files outside a workload that still name one. This list may only get shorter. */
export const filesThatNameWorkloads: readonly { readonly file: string; readonly reason: string }[] = [];

/** Single files that import a workload's folder in the host although they belong to no workload. */
export const workloadImporters: readonly { readonly file: string; readonly reason: string }[] = [
  { file: 'electron/cli/verbs/export.ts', reason: 'formats of images are options of the verb' },
  { file: 'electron/cli/verbs/gamma.ts', reason: 'gamma compares doses' },
  { file: 'electron/host/api/workloads.ts', reason: 'gives the command line access to functions of one workload' },
  { file: 'electron/host/app/batches/batches.ts', reason: 'a batch solves several beams on one GPU at the same time' },
  { file: 'electron/host/app/compare/compare.ts', reason: 'gamma and ledgers compare doses' },
  { file: 'electron/host/app/doses/imported.ts', reason: 'doses are compared with runs of transport' },
  { file: 'electron/host/app/handlers/dose.ts', reason: 'methods of doses, beams and CTs' },
  { file: 'electron/host/app/handlers/images.ts', reason: 'methods of images' },
  { file: 'electron/host/app/handlers/runs.ts', reason: 'methods of small measured workloads' },
  { file: 'electron/host/app/parts.ts', reason: 'only transport recomputes the phase space of saved steps' },
  { file: 'electron/host/app/refining/refinements.ts', reason: 'crystals are fitted to images' },
  { file: 'electron/host/app/runs/transport-maps.ts', reason: 'maps of transport' },
  {
    file: 'electron/host/app/studies/local/groups.ts',
    reason: 'points that are beams are solved together, as in a batch',
  },
  {
    file: 'electron/host/app/studies/points/solver.ts',
    reason: 'points that are beams are solved together, as in a batch',
  },
  { file: 'electron/host/app/what-ifs/what-ifs.ts', reason: 'only transport has a Live mode' },
];
