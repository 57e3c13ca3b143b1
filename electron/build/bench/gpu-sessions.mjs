/** Sessions of `npm run bench -- gpu`: recorded files in assets/runs, and the command line that records each. */
import { MICRO_SESSIONS } from './micro-sessions.mjs';

const EVERY_DENSE =
  'cuda-fused,cuda-graph,cuda-persistent,cuda-window,cuda-tiled,cuda-gather,cuda-uncoalesced,cuda-warp-reduced,cuda-scatter,cuda-slice-launches,cuda-gather@fp64,cuda-fused@fp64';
const CUPY = 'cupy-raw,cupy-elementwise,cupy-array,cupy-beam-ours,numba-kernel';

const IMAGES = [
  'unfused,unfused-graph,unfused-fp32,fp64,naive-fp32,delta-fp32,fast-math,double-float,in-loop,mixed',
  'constant,shared,warp,fixed-point,chebyshev',
]
  .join(',')
  .split(',')
  .map((id) => `diffraction-cuda-${id}`)
  .join(',');

/** CPU variants that claims compare with GPU variants. */
const CPU_IMAGES = ['fp64', 'mixed', 'delta-fp32', 'double-float', 'unfused', 'reference']
  .map((id) => `diffraction-${id}`)
  .join(',');

const COMPARED_VARIANTS = ['mixed', 'unfused', 'fp64', 'delta-fp32'].map((id) => `diffraction-cuda-${id}`).join(',');
const IMAGE_PROGRAMS =
  'torch-image,torch-image-fp32,torch-image-compile,cupy-image,cupy-image-mixed,cupy-image-elementwise,cupy-image-raw,cupy-image-ours,numba-image,torch-image-cpu,torch-image-cpu-fp32';
/** Variants for claims about how PyTorch depends on the image size. */
const TORCH_IMAGES = 'torch-image,torch-image-fp32,torch-image-compile';
const TORCH_LAYERS =
  'torch-eager,torch-eager-view,torch-eager-reshape,torch-compile,torch-compile-overhead,torch-compile-autotune';
const LAYER_PROGRAMS = `${TORCH_LAYERS},cupy,cupy-kernels,cupy-ours,numba`;

const LAYER =
  'cuda-naive,cuda-coalesced,cuda-tiled,cuda-blocked,cuda-cublas,cuda-cublas-graph,cuda-lt-fp32,cuda-lt-fp32-mask,cuda-lt-tf32,cuda-lt-tf32-mask,cuda-lt-bf16,cuda-lt-bf16-mask';
const LIBRARIES = 'cuda-blocked,cuda-cublas,cuda-cublas-graph,cuda-lt-fp32,cuda-lt-tf32,cuda-lt-bf16';

/** @param {string} name @param {string} scenario @param {readonly string[]} more */
const layerSession = (name, scenario, ...more) => ({
  file: `linear-relu/${name}.json`,
  words: ['bench', scenario, ...more],
});

/** Crystal whose Miller indices fit into one float, because its central spot fills the detector. */
const COARSE = ['beam.wavelength_A=31', ...['a', 'b', 'c'].map((axis) => `crystal.cells.${axis}=2`)]
  .concat('detector.pixel_mm=0.025')
  .flatMap((setting) => ['--set', setting]);
const FLOATS = ['fp64', 'double-float', 'delta-fp32'];

export const GPU_SESSIONS = [
  {
    file: 'h200-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--variants', EVERY_DENSE, '--modes', 'warm,cold,graph'].concat([
      ...['--rounds', '21', '--time', '240', '--processes', '2', '--external', CUPY],
    ]),
  },
  {
    file: 'h200-dense-36M.json',
    words: ['bench', 'dense-36M', '--variants', EVERY_DENSE, '--external', CUPY].concat([
      ...['--rounds', '21', '--time', '240', '--processes', '2'],
    ]),
  },
  {
    file: 'h200-water-70MeV.json',
    words: ['bench', 'water-70MeV', '--variants', 'cuda-window,cuda-depth', '--modes', 'warm,cold,graph'].concat([
      ...['--rounds', '21', '--time', '20'],
    ]),
  },
  {
    // Measure five steps only, because an end-to-end run of the dense variants needs minutes.
    file: 'h200-water-70MeV-5-steps.json',
    words: [
      'bench',
      'water-70MeV',
      '--set',
      'solver.max_steps=5',
      '--variants',
      'cuda-window,cuda-fused,cuda-scatter',
    ].concat([
      ...['--rounds', '21', '--time', '150', '--processes', '0', '--external', 'cupy-raw,cupy-beam-ours'],
      '--ncu',
    ]),
  },
  {
    // Hardware counters of all variants in the ladder. Two steps suffice, because ncu repeats each kernel for every
    // group of counters.
    file: 'transport/h200-counters-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--set', 'solver.max_steps=2', '--variants', EVERY_DENSE, '--ncu'].concat([
      ...['--rounds', '21', '--time', '40', '--processes', '0'],
    ]),
  },
  {
    // The triple loop in Python has 21,000 iterations per step on this grid. Energy bins of 0.2 MeV would need ten
    // times as many.
    file: 'transport/h200-loop-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--set', 'grid.energy.step_MeV=2', '--set', 'solver.max_steps=2'].concat([
      ...['--variants', 'cuda-gather,cuda-slice-launches', '--external', 'cupy-loop,cupy-array,numpy-loop,numpy-array'],
      ...['--rounds', '21', '--time', '150', '--processes', '0'],
    ]),
  },
  {
    // The complete program Smatrix_2D, to which claims refer.
    file: 'transport/h200-smatrix-uniform-grid-70MeV.json',
    userProgram: /** @type {const} */ ('smatrix-2d'),
    words: ['bench', 'uniform-grid-70MeV', '--variants', 'cuda-window,cuda-graph', '--external', 'cupy-array'].concat([
      ...['--rounds', '21', '--time', '150', '--processes', '0'],
    ]),
  },
  {
    file: 'h200-dense-144M.json',
    words: ['bench', 'dense-36M', '--set', 'geometry.width_mm=200', '--set', 'geometry.depth_mm=200'].concat([
      '--variants',
      'cuda-fused,cuda-tiled',
      ...['--rounds', '21', '--time', '30', '--processes', '0'],
    ]),
  },
  {
    file: 'h200-sweep-water-70MeV.json',
    words: ['bench', 'water-70MeV', '--variants', 'cuda-window,cuda-depth', '--sweep', 'grid.dx_mm=1,0.5,0.25'].concat([
      ...['--rounds', '12', '--time', '12'],
    ]),
  },
  {
    file: 'diffraction/h200-simple-cubic-1024.json',
    words: ['bench', 'simple-cubic-1024', '--variants', `${IMAGES},${CPU_IMAGES}`].concat([
      ...['--modes', 'warm,cold,graph', '--rounds', '21', '--time', '60', '--processes', '2', '--ncu'],
    ]),
  },
  {
    file: 'diffraction/h200-rotation-100-orientations.json',
    words: ['bench', 'rotation-100-orientations', '--variants', IMAGES, '--modes', 'warm,graph'].concat([
      ...['--rounds', '21', '--time', '30', '--processes', '0'],
    ]),
  },
  {
    file: 'diffraction/h200-double-float-1024.json',
    words: ['bench', 'simple-cubic-1024', ...COARSE, '--variants'].concat(
      ['diffraction-cuda', 'diffraction'].flatMap((device) => FLOATS.map((id) => `${device}-${id}`)).join(','),
      ...['--rounds', '21', '--time', '30', '--processes', '0'],
    ),
  },
  {
    file: 'diffraction/h200-double-float-rotation.json',
    words: ['bench', 'rotation-100-orientations', ...COARSE, '--variants'].concat(
      FLOATS.map((id) => `diffraction-cuda-${id}`).join(','),
      ...['--rounds', '21', '--time', '20', '--processes', '0'],
    ),
  },
  {
    file: 'diffraction/h200-sweep-simple-cubic.json',
    words: ['bench', 'simple-cubic-1024', '--sweep', 'detector.width+detector.height=256,512,1024,2048,4096'].concat([
      '--variants',
      ['unfused', 'unfused-fp32', 'fp64', 'delta-fp32', 'mixed', 'fixed-point']
        .map((id) => `diffraction-cuda-${id}`)
        .concat('diffraction-fp64')
        .join(','),
      ...['--rounds', '12', '--time', '8'],
    ]),
  },
  {
    // Optimisations alone and combined, for several grid sizes.
    file: 'h200-sweep-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--variants', EVERY_DENSE, '--sweep', 'grid.dx_mm=2,1,0.5'].concat([
      ...['--rounds', '12', '--time', '20', '--external', 'cupy-array'],
    ]),
  },
  {
    // The same source compiled at run time, with and without fused multiply-add.
    file: 'transport/h200-sweep-fmad-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--sweep', 'grid.dx_mm=2,1,0.5', '--variants'].concat(
      ['cuda-gather', 'cuda-tiled'].flatMap((id) => [`${id}[fmad=0]`, `${id}[fmad=1]`]).join(','),
      ...['--rounds', '12', '--time', '30'],
    ),
  },
  {
    // Claims about how PyTorch depends on the image size.
    file: 'diffraction/h200-sweep-programs.json',
    userProgram: /** @type {const} */ ('nanobragg'),
    words: ['bench', 'simple-cubic-1024', '--sweep', 'detector.width+detector.height=256,512,1024,2048,4096'].concat([
      ...['--variants', COMPARED_VARIANTS, '--external', TORCH_IMAGES, '--rounds', '12', '--time', '75'],
    ]),
  },
  {
    // First runs in new processes, including set-up, to which the published numbers refer. A round of processes needs
    // 10 s.
    file: 'diffraction/h200-sweep-first-runs.json',
    userProgram: /** @type {const} */ ('nanobragg'),
    words: ['bench', 'simple-cubic-1024', '--sweep', 'detector.width+detector.height=256,512,1024,2048,4096'].concat([
      ...['--variants', 'diffraction-cuda-fp64', '--external', 'torch-image,torch-image-fp32'],
      ...['--rounds', '12', '--time', '150', '--processes', '6'],
    ]),
  },
  {
    file: 'diffraction/h200-compile-modes-1024.json',
    words: ['bench', 'simple-cubic-1024', '--variants', 'diffraction-cuda-fp64', '--external'].concat([
      'torch-image,torch-image-compile,torch-image-compile-overhead,torch-image-compile-autotune,torch-image-compile-fp32',
      ...['--rounds', '21', '--time', '150', '--processes', '0'],
    ]),
  },
  {
    // torch.compile in a process without cached code, and in a process that loads the code cached by an earlier one.
    file: 'diffraction/h200-compile-cache-1024.json',
    words: ['bench', 'simple-cubic-1024', '--variants', 'diffraction-cuda-fp64', '--external'].concat([
      'torch-image,torch-image-compile,torch-image-compile-cached',
      ...['--rounds', '21', '--time', '420', '--processes', '6'],
    ]),
  },
  {
    // Programs that compute images, including separate processes for their cold start.
    file: 'diffraction/h200-programs-1024.json',
    userProgram: /** @type {const} */ ('nanobragg'),
    words: ['bench', 'simple-cubic-1024', '--variants', COMPARED_VARIANTS, '--external', IMAGE_PROGRAMS].concat([
      ...['--rounds', '21', '--time', '90', '--processes', '3'],
    ]),
  },
  {
    file: 'transport/h200-factorial-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--factorial', '--rounds', '21', '--time', '40', '--processes', '0'],
  },
  {
    // Alternative implementations of scattering, for several numbers of angles.
    file: 'transport/h200-scattering-uniform-grid-70MeV.json',
    words: [
      'bench',
      'uniform-grid-70MeV',
      '--sweep',
      'grid.dtheta_mrad=34.906585,17.4532925,8.72664626,4.36332313',
    ].concat([...['--variants', 'cuda-gather,cuda-gather-fft,cuda-gather-tensor', '--rounds', '12', '--time', '15']]),
  },
  layerSession(
    'sweep-batch',
    'layer-1024',
    ...['--sweep', 'problem.batch=64,256,1024,4096,8192'],
    ...['--variants', 'cuda-naive,cuda-coalesced,cuda-tiled,cuda-blocked,cuda-cublas,cuda-lt-fp32'],
    ...['--external', 'torch-eager,torch-compile', '--rounds', '12', '--time', '40'],
  ),
  layerSession(
    'sweep-batch-gelu',
    'layer-gelu',
    ...['--sweep', 'problem.batch=64,256,1024,4096', '--variants', 'cuda-cublas,cuda-lt-fp32'],
    ...['--rounds', '12', '--time', '8'],
  ),
  ...['layer-256', 'layer-1024', 'layer-odd'].map((name) =>
    layerSession(name, name, '--variants', LAYER, '--external', LAYER_PROGRAMS, '--rounds', '21', '--time', '120'),
  ),
  ...['layer-gelu', 'layer-residual'].map((name) =>
    layerSession(
      name,
      name,
      '--variants',
      'cuda-naive,cuda-tiled,cuda-blocked,cuda-cublas,cuda-cublas-graph,cuda-lt-fp32,cuda-lt-tf32,cuda-lt-bf16',
      ...['--rounds', '21', '--time', '15'],
    ),
  ),
  layerSession(
    'layer-8192',
    'layer-8192',
    ...['--variants', LAYER, '--external', TORCH_LAYERS, '--rounds', '21', '--time', '150'],
  ),
  layerSession(
    'compile-cache-1024',
    'layer-1024',
    ...['--variants', 'cuda-cublas', '--external', 'torch-eager,torch-compile,torch-compile-cached'],
    ...['--rounds', '21', '--time', '300', '--processes', '6'],
  ),
  layerSession(
    'layer-4096',
    'layer-8192',
    ...['--set', 'problem.batch=4096', '--variants', 'cuda-cublas,cuda-blocked,cuda-lt-fp32'],
    ...['--rounds', '21', '--time', '30'],
  ),
  ...['backward', 'through'].flatMap((direction) =>
    ['layer-1024', 'layer-8192'].map((name) =>
      layerSession(
        `${name}-${direction}`,
        name,
        ...['--set', `problem.direction=${direction}`, '--rounds', '21', '--time', '150'],
        // Only the backward direction has the variant `cuda-cublas-cleared`, which clears its buffer first.
        ...['--variants', direction === 'backward' ? `${LIBRARIES},cuda-cublas-cleared` : LIBRARIES],
      ),
    ),
  ),
  ...MICRO_SESSIONS,
];
