/** The sessions of `npm run bench:gpu`: file in assets/runs, and the command line that makes it. */
import { MICRO_SESSIONS } from './micro-sessions.mjs';

const EVERY_DENSE =
  'cuda-fused,cuda-graph,cuda-persistent,cuda-window,cuda-tiled,cuda-gather,cuda-warp-reduced,cuda-scatter,cuda-slice-launches,cuda-gather@fp64,cuda-fused@fp64';
const CUPY = 'cupy-raw,cupy-elementwise,cupy-array,cupy-beam-ours,numba-kernel';

const IMAGES = [
  'unfused,unfused-graph,unfused-fp32,fp64,naive-fp32,delta-fp32,fast-math,double-float,in-loop,mixed',
  'constant,shared,warp,fixed-point,chebyshev',
]
  .join(',')
  .split(',')
  .map((id) => `diffraction-cuda-${id}`)
  .join(',');

/** What claims compare the GPU with. */
const CPU_IMAGES = ['fp64', 'mixed', 'delta-fp32', 'double-float', 'unfused', 'reference']
  .map((id) => `diffraction-${id}`)
  .join(',');

const BESIDE_PROGRAMS = ['mixed', 'unfused', 'fp64', 'delta-fp32'].map((id) => `diffraction-cuda-${id}`).join(',');
const IMAGE_PROGRAMS =
  'torch-image,torch-image-fp32,torch-image-compile,cupy-image,cupy-image-mixed,cupy-image-elementwise,cupy-image-raw,cupy-image-ours,numba-image';
/** What is claimed of PyTorch, by the size of the image. */
const TORCH_IMAGES = 'torch-image,torch-image-fp32,torch-image-compile';
const LAYER_PROGRAMS = 'torch-eager,torch-compile,cupy,cupy-kernels,cupy-ours,numba';

const LAYER =
  'cuda-naive,cuda-coalesced,cuda-tiled,cuda-blocked,cuda-cublas,cuda-cublas-graph,cuda-lt-fp32,cuda-lt-fp32-mask,cuda-lt-tf32,cuda-lt-tf32-mask,cuda-lt-bf16,cuda-lt-bf16-mask';
const LIBRARIES = 'cuda-blocked,cuda-cublas,cuda-cublas-graph,cuda-lt-fp32,cuda-lt-tf32,cuda-lt-bf16';

/** @param {string} name @param {string} scenario @param {readonly string[]} more */
const layer = (name, scenario, ...more) => ({
  file: `linear-relu/${name}.json`,
  words: ['bench', scenario, ...more],
});

export const GPU_SESSIONS = [
  {
    file: 'h200-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--variants', EVERY_DENSE, '--modes', 'warm,cold,graph'].concat([
      ...['--rounds', '21', '--time', '75', '--processes', '2', '--external', CUPY],
    ]),
  },
  {
    file: 'h200-dense-36M.json',
    words: ['bench', 'dense-36M', '--variants', EVERY_DENSE, '--external', CUPY].concat([
      ...['--rounds', '21', '--time', '60', '--processes', '2'],
    ]),
  },
  {
    file: 'h200-water-70MeV.json',
    words: ['bench', 'water-70MeV', '--variants', 'cuda-window,cuda-depth', '--modes', 'warm,cold,graph'].concat([
      ...['--rounds', '21', '--time', '20'],
    ]),
  },
  {
    // A whole run of the dense variants takes minutes: the first five steps stand for them.
    file: 'h200-water-70MeV-5-steps.json',
    words: [
      'bench',
      'water-70MeV',
      '--set',
      'solver.max_steps=5',
      '--variants',
      'cuda-window,cuda-fused,cuda-scatter',
    ].concat(['--rounds', '21', '--time', '40', '--processes', '0', '--external', 'cupy-raw,cupy-beam-ours']),
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
      ...['--modes', 'warm,cold,graph', '--rounds', '21', '--time', '60', '--processes', '2'],
    ]),
  },
  {
    file: 'diffraction/h200-rotation-100-orientations.json',
    words: ['bench', 'rotation-100-orientations', '--variants', IMAGES, '--modes', 'warm,graph'].concat([
      ...['--rounds', '21', '--time', '30', '--processes', '0'],
    ]),
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
    // All optimisations, and each, by the cells of the grid.
    file: 'h200-sweep-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--variants', EVERY_DENSE, '--sweep', 'grid.dx_mm=2,1,0.5'].concat([
      ...['--rounds', '12', '--time', '20', '--external', 'cupy-array'],
    ]),
  },
  {
    // What is claimed of PyTorch, by the size of the image.
    file: 'diffraction/h200-sweep-programs.json',
    besideNanoBragg: true,
    words: ['bench', 'simple-cubic-1024', '--sweep', 'detector.width+detector.height=256,512,1024,2048,4096'].concat([
      ...['--variants', BESIDE_PROGRAMS, '--external', TORCH_IMAGES, '--rounds', '12', '--time', '12'],
    ]),
  },
  {
    // The same with processes of their own: what a cold start takes.
    file: 'diffraction/h200-programs-1024.json',
    besideNanoBragg: true,
    words: ['bench', 'simple-cubic-1024', '--variants', BESIDE_PROGRAMS, '--external', IMAGE_PROGRAMS].concat([
      ...['--rounds', '21', '--time', '40', '--processes', '3'],
    ]),
  },
  {
    file: 'transport/h200-factorial-uniform-grid-70MeV.json',
    words: ['bench', 'uniform-grid-70MeV', '--factorial', '--rounds', '21', '--time', '40', '--processes', '0'],
  },
  {
    // Scattering in other ways, by the number of angles.
    file: 'transport/h200-scattering-uniform-grid-70MeV.json',
    words: [
      'bench',
      'uniform-grid-70MeV',
      '--sweep',
      'grid.dtheta_mrad=34.906585,17.4532925,8.72664626,4.36332313',
    ].concat([...['--variants', 'cuda-gather,cuda-gather-fft,cuda-gather-tensor', '--rounds', '12', '--time', '15']]),
  },
  layer(
    'sweep-batch',
    'layer-1024',
    ...['--sweep', 'problem.batch=64,256,1024,4096,8192'],
    ...['--variants', 'cuda-naive,cuda-coalesced,cuda-tiled,cuda-blocked,cuda-cublas,cuda-lt-fp32'],
    ...['--external', 'torch-eager,torch-compile', '--rounds', '12', '--time', '8'],
  ),
  layer(
    'sweep-batch-gelu',
    'layer-gelu',
    ...['--sweep', 'problem.batch=64,256,1024,4096', '--variants', 'cuda-cublas,cuda-lt-fp32'],
    ...['--rounds', '12', '--time', '8'],
  ),
  ...['layer-256', 'layer-1024', 'layer-odd'].map((name) =>
    layer(name, name, '--variants', LAYER, '--external', LAYER_PROGRAMS, '--rounds', '21', '--time', '60'),
  ),
  ...['layer-gelu', 'layer-residual'].map((name) =>
    layer(
      name,
      name,
      '--variants',
      'cuda-naive,cuda-tiled,cuda-blocked,cuda-cublas,cuda-cublas-graph,cuda-lt-fp32,cuda-lt-tf32,cuda-lt-bf16',
      ...['--rounds', '21', '--time', '15'],
    ),
  ),
  layer('layer-8192', 'layer-8192', '--variants', LAYER, '--rounds', '21', '--time', '45'),
  layer(
    'layer-4096',
    'layer-8192',
    ...['--set', 'problem.batch=4096', '--variants', 'cuda-cublas,cuda-blocked,cuda-lt-fp32'],
    ...['--rounds', '21', '--time', '8'],
  ),
  ...['backward', 'through'].flatMap((direction) =>
    ['layer-1024', 'layer-8192'].map((name) =>
      layer(
        `${name}-${direction}`,
        name,
        ...['--set', `problem.direction=${direction}`, '--rounds', '21', '--time', '45'],
        // A buffer that is cleared first is of the way back.
        ...['--variants', direction === 'backward' ? `${LIBRARIES},cuda-cublas-cleared` : LIBRARIES],
      ),
    ),
  ),
  ...MICRO_SESSIONS,
];
