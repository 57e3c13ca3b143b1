import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { capture, findOnPath } from '../../../../electron/build/setup/command.mjs';
import { snapshotNode } from '../../../../electron/build/setup/pinned-node.mjs';
import { root } from '../../../../electron/build/setup/root.mjs';
import { makeImage } from '../../../../electron/build/steps/image.mjs';
import { inputsNow, isUnchanged, saveState } from '../../../../electron/build/steps/input-state.mjs';
import {
  cudaWorkloads,
  includedFiles,
  kernelSource,
  matchingArchitectures,
} from '../../../../electron/build/steps/kernels.mjs';
import { compileDuring, configure } from '../../../../electron/build/steps/native.mjs';
import { readResources } from '../../../../electron/build/steps/ptxas-report.mjs';
import { fixedScratchFolder } from '../../../scratch-folder.ts';
import { unless } from '../../../unless.ts';

describe('the cache of build steps', () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'looked-at-test-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  describe('an up-to-date step', () => {
    const root = path.join(scratch, 'checkout');
    const look = path.join(scratch, 'look.json');
    const place = { root, folders: ['sources'], files: ['package.json', 'absent'], settings: ['-O3', undefined] };
    const write = (name: string, text: string): void => writeFileSync(path.join(root, name), text);

    beforeEach(() => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(path.join(root, 'sources/below'), { recursive: true });
      write('sources/below/a.ts', 'one');
      write('package.json', '{}');
      write('made.js', 'made');
      saveState(place, inputsNow(place), ['made.js'], look);
    });

    it('is skipped while nothing changes', () => {
      expect(isUnchanged(place, look)).toBe(true);
      expect(isUnchanged({ ...place, settings: ['-O2', undefined] }, look)).toBe(false);
    });

    it('is checked again if a source is edited, added, removed or touched', () => {
      write('sources/below/a.ts', 'another one');
      expect(isUnchanged(place, look)).toBe(false);
      saveState(place, inputsNow(place), ['made.js'], look);
      write('sources/below/b.ts', '');
      expect(isUnchanged(place, look)).toBe(false);
      saveState(place, inputsNow(place), ['made.js'], look);
      rmSync(path.join(root, 'sources/below/b.ts'));
      expect(isUnchanged(place, look)).toBe(false);
      saveState(place, inputsNow(place), ['made.js'], look);
      utimesSync(path.join(root, 'sources/below/a.ts'), 1, 1);
      expect(isUnchanged(place, look)).toBe(false);
    });

    it('is checked again if a missing file appears, or an output is missing or changed', () => {
      write('absent', '');
      expect(isUnchanged(place, look)).toBe(false);
      rmSync(path.join(root, 'absent'));
      expect(isUnchanged(place, look)).toBe(true);
      write('made.js', 'cut off');
      expect(isUnchanged(place, look)).toBe(false);
      rmSync(path.join(root, 'made.js'));
      expect(isUnchanged(place, look)).toBe(false);
    });

    it('is checked again if its state was not saved completely', () => {
      expect(isUnchanged(place, path.join(scratch, 'none.json'))).toBe(false);
      writeFileSync(look, '{"inputs": "');
      expect(isUnchanged(place, look)).toBe(false);
    });

    it('is checked again if a source changed during the check', () => {
      const before = inputsNow(place);
      write('sources/below/a.ts', 'meanwhile');
      saveState(place, before, ['made.js'], look);
      expect(isUnchanged(place, look)).toBe(false);
    });
  });
});

describe('the ptxas report', () => {
  /** Output of CUDA 13.0, with lines of other compiler passes in between. */
  const LOG = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'sweep' for 'sm_100'
ptxas info    : Function properties for sweep
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size, 49152 bytes smem
ptxas info    : Compile time = 31.532 ms
ptxas info    : 0 bytes gmem, 64 bytes cmem[3]
ptxas info    : Compiling entry function 'sweep' for 'sm_80'
ptxas info    : Function properties for sweep
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 380 bytes cmem[0], 4 bytes cmem[2]
ptxas info    : Compiling entry function 'empty' for 'sm_90a'
ptxas info    : Function properties for empty
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
`;

  const PTX = `.visible .entry sweep(
	.param .u64 sweep_param_0
)
.maxntid 128, 2, 1
.minnctapersm 4
{
	ret;
}
.visible .entry empty()
{
	ret;
}
`;

  it('contains registers, shared memory, constants, stack, spills and launch bounds per kernel and architecture', () => {
    const none = {
      shared_bytes: 0,
      constant_bytes: 0,
      stack_bytes: 0,
      spill_store_bytes: 0,
      spill_load_bytes: 0,
      barriers: 0,
      max_threads: null,
    };
    expect(readResources(LOG, { 80: PTX, 90: PTX.replace('.maxntid 128', '.maxntid 64') })).toEqual([
      { ...none, name: 'empty', architecture: 'sm_90a', registers: 4 },
      { ...none, name: 'sweep', architecture: 'sm_80', registers: 40, constant_bytes: 384, max_threads: 256 },
      {
        ...none,
        name: 'sweep',
        architecture: 'sm_100',
        registers: 255,
        shared_bytes: 49152,
        stack_bytes: 16,
        spill_store_bytes: 8,
        spill_load_bytes: 12,
        barriers: 1,
        // This limit is from the kernel's launch bounds.
        max_threads: 128,
      },
    ]);
    expect(readResources('nvcc warning : nothing to report', {})).toEqual([]);
  });
});

describe('compilation in the background', () => {
  const commandSchema = z.array(z.looseObject({ command: z.string() }));

  /**
   * Compile commands of the files in a build tree that need no package; the path of the tree is replaced by a fixed
   * name.
   */
  function compileCommands(tree: string): ReadonlyMap<string, string> {
    const text = readFileSync(path.join(tree, 'compile_commands.json'), 'utf8').replaceAll(tree, 'TREE');
    const ours = commandSchema.parse(JSON.parse(text)).map(({ command }) => {
      const [, object = ''] =
        / -o CMakeFiles\/(bb_(?:core|engine|cuda|more|launching|simd_\w+)\.dir\S+)/.exec(command) ?? [];
      return [object, command] as const;
    });
    return new Map(ours.filter(([object]) => object !== ''));
  }

  it(
    'compiles the solver while packages are installed, with the commands that the build then finds up to date',
    unless((process.platform !== 'linux' || findOnPath('ninja') === null) && 'it needs Linux with ninja'),
    async () => {
      const folder = fixedScratchFolder('beside');
      const [tree, usual] = [path.join(folder, 'cmake'), path.join(folder, 'usual')];
      const done = await compileDuring(
        async () => {
          for (let waited = 0; waited < 1000 && !existsSync(path.join(tree, '.ninja_log')); waited += 1)
            await sleep(100);
          return 'packages';
        },
        path.relative(root, tree),
      );
      expect(done).toBe('packages');
      const beside = compileCommands(tree);
      expect(beside.size).toBeGreaterThan(40);
      expect((await configure(path.relative(root, usual))).code).toBe(0);
      expect([...compileCommands(usual)].filter(([object, command]) => beside.get(object) !== command)).toEqual([]);
    },
  );

  it('reports an error from the concurrent compilation', async () => {
    const taken = path.relative(root, fixedScratchFolder('beside-taken'));
    await expect(compileDuring(() => Promise.reject(new Error('no registry')), taken)).rejects.toThrow('no registry');
  });
});

describe('CUDA sources', () => {
  it('a workload is recompiled when one of its included files changes, but not when kernels of another workload change', () => {
    const transport = includedFiles('kernels/transport/transport.cu');
    expect(transport).toContain('kernels/transport/transport.cu');
    // Transitive includes count, through files in the workload's folder and in the folder of all kernels.
    expect(transport).toContain('kernels/transport/cuda/window/cuda_window_stream.cuh');
    expect(transport.filter((file) => /kernels\/(micro|diffraction|linear_relu)\//.test(file))).toEqual([]);
    expect(transport.filter((file) => file.endsWith('.cpp'))).toEqual([]);
  });

  it('every CUDA file of the kernels belongs to a workload', () => {
    const all = new Set(cudaWorkloads().flatMap((workload) => includedFiles(kernelSource(workload))));
    expect(
      globSync('kernels/**/*.{cu,cuh}', { cwd: root }).filter((file) => !all.has(file.replaceAll('\\', '/'))),
    ).toEqual([]);
  });

  it('kernels are compiled for the GPUs of this machine, or for all architectures if one of these GPUs is not supported', () => {
    expect(matchingArchitectures('9.0\n9.0\n')).toEqual([90]);
    // Code for sm_86 runs on 8.7; code for another major version does not.
    expect(matchingArchitectures('8.7\n12.1\n')).toEqual([86, 120]);
    expect(matchingArchitectures('9.0\n7.5\n')).toEqual([80, 86, 89, 90, 100, 120]);
    expect(matchingArchitectures('')).toEqual([80, 86, 89, 90, 100, 120]);
  });
});

describe('start-up images', () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'image-test-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  function writeSource(name: string, lines: readonly string[]): string {
    const file = path.join(scratch, name);
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  async function imageOf(name: string, lines: readonly string[]): Promise<string> {
    const image = path.join(scratch, `${name}.blob`);
    await makeImage(writeSource(`${name}.ts`, lines), image);
    return image;
  }

  describe('a start-up image', () => {
    it('has its modules preloaded, and reads process, clock and paths only when it starts', async () => {
      const image = await imageOf('good', [
        "import { createHash } from 'node:crypto';",
        "import { readFileSync } from 'node:fs';",
        "import { DatabaseSync } from 'node:sqlite';",
        'const loaded = { times: 0 };',
        'loaded.times += 1;',
        'const decoder = new TextDecoder();',
        'const found = (file) => ({ times: loaded.times, pid: process.pid, asked: process.env.ASKED, now: Date.now(),',
        '  here: import.meta.dirname, text: decoder.decode(readFileSync(file)), base: typeof DatabaseSync,',
        "  hash: createHash('sha1').update('').digest('hex').slice(0, 4) });",
        'globalThis.perform = () => console.log(JSON.stringify(found(process.argv[2])));',
      ]);
      const before = Date.now();
      const words = [writeSource('main.mjs', ['globalThis.perform();']), writeSource('file', ['read now'])];
      const { code, output } = await capture(snapshotNode(), ['--snapshot-blob', image, ...words], {
        env: { ...process.env, ASKED: 'now' },
      });
      expect(code, output).toBe(0);
      const said = JSON.parse(output);
      expect(said).toMatchObject({ times: 1, asked: 'now', here: scratch, text: 'read now', base: 'function' });
      expect(said.hash).toBe('da39');
      expect(said.pid).not.toBe(process.pid);
      expect(said.now).toBeGreaterThanOrEqual(before);
    });

    // Node 24.21 fails an assertion here if the start-up image has loaded certain built-in modules.
    it('provides worker threads with all of its modules', async () => {
      const image = await imageOf('threads', [
        "import { Worker } from 'node:worker_threads';",
        'globalThis.start = (file) => new Worker(file);',
      ]);
      const thread = writeSource('thread.mjs', [
        "import 'node:child_process'; import 'node:crypto'; import 'node:http'; import 'node:https'; import 'node:net';",
        "import 'node:sqlite'; import 'node:v8'; import 'node:zlib'; import 'node:worker_threads';",
        "console.log('all there');",
      ]);
      const main = writeSource('starts.mjs', [`globalThis.start(${JSON.stringify(thread)});`]);
      const { code, output } = await capture(snapshotNode(), ['--snapshot-blob', image, main]);
      expect(output).toBe('all there\n');
      expect(code).toBe(0);
    });

    it.each([
      ['process.env', 'process.env.HOME'],
      ['process.pid', 'process.pid'],
      ['Date.now', 'Date.now()'],
      ['Math.random', 'Math.random()'],
      ['Intl', "new Intl.Collator('en')"],
      ['hostname of node:os', 'hostname()'],
    ])('is rejected if a module reads %s while it is loaded', async (what, expression) => {
      const lines = [
        "import { hostname } from 'node:os';",
        `globalThis.kept = [${expression}];`,
        'globalThis.machine = () => hostname();',
      ];
      await expect(imageOf('bad', lines)).rejects.toThrow(
        `${what} is read while modules are loaded, but its value in a start-up snapshot would be that of the build`,
      );
    });
  });
});
