import { execFile, execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Dataset, File, Group, ready } from 'h5wasm';
import { beforeAll, describe, expect, it } from 'vitest';
import { packedFigureSchema } from '../../../../../electron/contract/figures.ts';
import { runPacker } from '../../../../../electron/host/app/run-files/packer.ts';
import { readRun as readAnyRun, writeFigure } from '../../../../../electron/host/app/run-files/tasks.ts';
import { datasetAt, openFile } from '../../../../../electron/host/io/hdf5/h5.ts';
import type { ImageRunData } from '../../../../../electron/host/workloads/diffraction/image-data.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { runOf } from '../../../../../electron/host/workloads/run-data.ts';
import { storedPairs } from '../../../../../electron/host/workloads/transport/display/maps.ts';
import { depthDoseOf } from '../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { ledgerTable, summaryOf } from '../../../../../electron/host/workloads/transport/readouts.ts';
import { measuredRunOf, type RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import { writeRun } from '../../../../../electron/host/workloads/transport/run-file-write.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { overlappedTrace } from '../../model/timeline/make.ts';
import { readRun, runScenario, smallScenario } from '../../small-run.ts';
import { renderDocument } from '../../workloads/image.ts';
import { smallImage } from '../../workloads/small-image.ts';

describe('round trips of run files', () => {
  let run: RunData;
  let bytes: Uint8Array;
  beforeAll(async () => {
    run = await runScenario(smallScenario);
    bytes = await writeRun(run);
  });

  /** Python with h5py, if there is one: `BRAGGBENCH_PYTHON` or python3. */
  function pythonWithH5py(): string | null {
    for (const python of [process.env['BRAGGBENCH_PYTHON'], 'python3']) {
      if (python === undefined) continue;
      try {
        execFileSync(python, ['-c', 'import h5py'], { stdio: 'ignore' });
        return python;
      } catch {
        // h5py is missing: try the next Python
      }
    }
    return null;
  }

  describe('a run file', () => {
    it('restores every value, and every array bit for bit', async () => {
      expect(await readRun(bytes, 'a.h5')).toEqual(run);
    });

    it('contains four of the six pairs of axes if the run used a GPU or an earlier version', async () => {
      const none = new Float32Array(0);
      const four: RunData = { ...run, keyframes: run.keyframes.map((frame) => ({ ...frame, ex: none, ztheta: none })) };
      expect(await readRun(await writeRun(four), 'four.h5')).toEqual(four);
      const recorded = path.join(import.meta.dirname, '../../../../golden/runs/h200-cuda-window-graphs.h5');
      const old = await readRun(await readFile(recorded), 'recorded.h5');
      expect(storedPairs(old.keyframes[0]).map((pair) => pair.join('–'))).toEqual(['z–x', 'x–theta', 'e–theta', 'e–z']);
    });

    it('contains the spans of an image run, including its GPU work, as for a transport run', async () => {
      const image: ImageRunData = { ...(await renderDocument(smallImage)), trace: overlappedTrace([13, 14]) };
      expect(await readAnyRun(await hostWorkloads.diffraction.runFile.write(image), 'image.h5')).toEqual(image);
    });

    it('contains the protons that escaped through each face, and is readable without them', async () => {
      const { number, energy_MeV } = ledgerTable(run, 1000);
      for (const columns of [number, energy_MeV]) {
        for (const axis of ['x', 'z', 'theta']) {
          const sum = columns[`escaped_${axis}_low`]?.map(
            (low, i) => low + (columns[`escaped_${axis}_high`]?.[i] ?? 0),
          );
          expect(sum).toEqual(columns[`escaped_${axis}`]);
        }
      }
      const none = new Float64Array(0);
      const older: RunData = { ...run, facesNumber: none, facesEnergy: none };
      const back = await readRun(await writeRun(older), 'older.h5');
      expect(back).toEqual(older);
      expect(ledgerTable(back, 1000).number).not.toHaveProperty('escaped_x_low');
      expect(summaryOf(back).ledger.number.escaped_x).toBe(summaryOf(run).ledger.number.escaped_x);
    });

    it('is readable without keyframes, spans and steps', async () => {
      const bare: RunData = {
        ...run,
        keyframes: [],
        steps: 0,
        ledgerNumber: new Float64Array(0),
        ledgerEnergy: new Float64Array(0),
        facesNumber: new Float64Array(0),
        facesEnergy: new Float64Array(0),
        spans: {
          names: [],
          threads: 1,
          dropped: 0,
          name: new Uint16Array(0),
          thread: new Uint16Array(0),
          step: new Uint32Array(0),
          start_ns: new Float64Array(0),
          end_ns: new Float64Array(0),
        },
      };
      expect(await readRun(await writeRun(bare), 'bare.h5')).toEqual(bare);
    });

    it('is packed and unpacked identically on the worker thread', async () => {
      const packed = await runPacker.write(run);
      const back = runOf('transport', await runPacker.read(packed, 'a.h5'));
      expect(back.dose).toEqual(run.dose);
      expect(back.scenario).toEqual(run.scenario);
      await expect(runPacker.read(new Uint8Array([1, 2, 3]), 'x.h5')).rejects.toMatchObject({ code: 'foreign-file' });
      expect(runOf('transport', await runPacker.read(packed, 'a.h5')).steps).toBe(run.steps);
    });

    it('stores units, dimension scales and compression with its fields', async () => {
      const { FS } = await ready;
      FS.writeFile('/check.h5', bytes);
      const file = new File('/check.h5', 'r');
      const dose = file.get('dose');
      if (dose === null || !('get_attached_scales' in dose)) throw new Error('no dose');
      expect(dose.shape).toEqual([run.axes.nz, run.axes.nx]);
      expect(dose.attrs['units']?.value).toBe('MeV');
      expect(dose.get_attached_scales(0)).toEqual(['/axes/z_mm']);
      expect(dose.get_attached_scales(1)).toEqual(['/axes/x_mm']);
      expect(dose.filters.map((f) => f.name)).toContain('deflate');
      file.close();
      FS.unlink('/check.h5');
    });
  });

  describe('run files in h5py', () => {
    const folder = scratchFolder('h5py');
    beforeAll(async () => {
      await writeFile(path.join(folder, 'run.h5'), bytes);
    });

    it('contain the same numbers, units and axes', async (context) => {
      const python = pythonWithH5py();
      if (python === null) return context.skip('neither BRAGGBENCH_PYTHON nor python3 has h5py');
      const script = `
import h5py, json, sys
with h5py.File(sys.argv[1]) as f:
    d = f['dose']
    print(json.dumps({
        'format': f.attrs['format'], 'name': f.attrs['name'], 'shape': d.shape, 'sum': float(d[...].sum()),
        'units': d.attrs['units'], 'axes': [s[0].name for s in d.dims],
        'z0': float(d.dims[0][0][0]), 'energy': json.loads(f['scenario'][0])['beam']['energy_MeV'],
        'columns': list(f['ledger/number'].attrs['columns']), 'r80': float(f['metrics'].attrs['r80_mm']),
        'keyframes': f['keyframes/ez'].shape, 'compression': d.compression,
        'depth': float(f['depth_dose/dose_MeV_per_mm'][...].sum()), 'names': list(f['spans'].attrs['names']),
    }))`;
      const { stdout } = await promisify(execFile)(python, ['-c', script, path.join(folder, 'run.h5')]);
      const seen: unknown = JSON.parse(stdout);
      const total = run.dose.reduce((a, b) => a + b, 0);
      const { curve, metrics } = depthDoseOf(measuredRunOf(run));
      expect(seen).toMatchObject({
        format: 'braggbench-run',
        name: 'small µ run',
        shape: [run.axes.nz, run.axes.nx],
        sum: expect.closeTo(total, 9),
        units: 'MeV',
        axes: ['/axes/z_mm', '/axes/x_mm'],
        z0: run.axes.dz_mm / 2,
        energy: 30,
        r80: metrics.r80_mm,
        keyframes: [run.keyframes.length, run.axes.energies_MeV.length, run.axes.nz],
        compression: 'gzip',
        depth: expect.closeTo(
          curve.values.reduce((a, b) => a + b, 0),
          9,
        ),
        names: [...run.spans.names],
      });
    });
  });

  it('record memory that excludes other use by the process', async () => {
    const run = await runScenario(smallScenario);
    expect(run.peak_state_bytes).toBeGreaterThan(0);
    expect(summaryOf({ ...run, peak_rss_bytes: 5e9 }).state_bytes).toBe(run.peak_state_bytes);
  });
});

const depth = {
  name: 'depth',
  unit: 'mm',
  description: 'depth along the beam axis',
  shape: [3],
  values: Float64Array.of(0.5, 1.5, 2.5),
  axes: null,
};
const field = {
  name: 'dose',
  unit: 'MeV/mm²',
  description: 'dose, mean over each sample',
  shape: [2, 3],
  values: Float32Array.of(1, 2, 3, 4, 5, 6),
  axes: ['x', 'depth'],
};
const x = { ...depth, name: 'x', shape: [2], values: Float64Array.of(-1, 1) };

describe('a figure as HDF5', () => {
  it('contains the plotted values with units, and its axes as dimension scales', async () => {
    const figure = packedFigureSchema.parse({
      title: 'Bone: dose',
      notes: { run: 'Bone', step: 12 },
      arrays: [field, depth, x],
    });
    await openFile(await writeFigure(figure), (file) => {
      expect(file.attrs['title']?.value).toBe('Bone: dose');
      expect(file.attrs['step']?.value).toBe(12);
      const dose = datasetAt(file, 'dose');
      expect(dose?.shape).toEqual([2, 3]);
      expect(dose?.value).toEqual(field.values);
      expect(dose?.attrs['units']?.value).toBe('MeV/mm²');
      expect(datasetAt(file, 'depth')?.value).toEqual(depth.values);
      expect(dose?.get_attached_scales(1)).toEqual(['/depth']);
      expect(dose?.get_attached_scales(0)).toEqual(['/x']);
    });
  });

  it('is rejected if its shape does not match its values', () => {
    const wrong = packedFigureSchema.safeParse({ title: '', notes: {}, arrays: [{ ...field, shape: [2, 4] }] });
    expect(wrong.error?.issues[0]?.message).toBe('the shape does not match the number of values');
  });
});

describe('foreign run files', () => {
  let bytes: Uint8Array;
  beforeAll(async () => {
    bytes = await writeRun(await runScenario(smallScenario));
  });

  /** A file that HDF5 calls of the test create or change. */
  async function craftFile(start: Uint8Array | null, change: (file: File) => void): Promise<Uint8Array> {
    const { FS } = await ready;
    if (start !== null) FS.writeFile('/crafted.h5', start);
    const file = new File('/crafted.h5', start === null ? 'w' : 'a');
    change(file);
    file.close();
    const made = FS.readFile('/crafted.h5');
    FS.unlink('/crafted.h5');
    return made;
  }

  function groupAt(file: File, path: string): Group {
    const found = file.get(path);
    if (!(found instanceof Group)) throw new Error(`no group ${path}`);
    return found;
  }

  function replaceAttribute(at: Group, name: string, value: string | number): void {
    at.delete_attribute(name);
    if (typeof value === 'string') at.create_attribute(name, value);
    else at.create_attribute(name, value, null, '<d');
  }

  async function rejectionOf(file: Uint8Array): Promise<string> {
    try {
      await readRun(file, 'that.h5');
    } catch (error) {
      expect(error).toMatchObject({ name: 'BraggError', code: 'foreign-file' });
      return error instanceof Error ? error.message : '';
    }
    throw new Error('the file was read');
  }

  describe('are rejected', () => {
    it('empty, text and image files that are not HDF5', async () => {
      for (const other of [
        new Uint8Array(0),
        new TextEncoder().encode('{"kind":"transport"}'),
        new Uint8Array(5000).fill(0x89),
      ]) {
        expect(await rejectionOf(other)).toMatch(/^that\.h5 cannot be opened as a run: it is not an HDF5 file\.$/);
      }
    });

    it('HDF5 files from other programs', async () => {
      const other = await craftFile(null, (file) => file.create_dataset({ name: 'data', data: new Float64Array(3) }));
      expect(await rejectionOf(other)).toMatch(/another program/);
    });

    it('files in a newer format version', async () => {
      const newer = await craftFile(bytes, (file) => replaceAttribute(file, 'format_version', 2));
      expect(await rejectionOf(newer)).toMatch(/newer Braggbench \(format 2, this one reads up to 1\)/);
    });

    it('unknown workloads and statuses, and values that are not numbers', async () => {
      expect(await rejectionOf(await craftFile(bytes, (f) => replaceAttribute(f, 'workload', 'linear-relu')))).toMatch(
        /linear-relu/,
      );
      expect(await rejectionOf(await craftFile(bytes, (f) => replaceAttribute(f, 'status', 'maybe')))).toMatch(
        /"maybe"/,
      );
      expect(
        await rejectionOf(await craftFile(bytes, (f) => replaceAttribute(groupAt(f, 'timing'), 'steps', 'many'))),
      ).toMatch(/steps/);
      expect(await rejectionOf(await craftFile(bytes, (f) => groupAt(f, 'beam').delete_attribute('x_mm')))).toMatch(
        /x_mm/,
      );
    });

    it('arrays that do not match their axes', async () => {
      expect(
        await rejectionOf(await craftFile(bytes, (f) => replaceAttribute(groupAt(f, 'timing'), 'steps', 3))),
      ).toMatch(/ledger\/number is \d+ × 9, but 3 × 9 is expected/);
    });

    it('fields with non-finite values', async () => {
      const spoiled = await craftFile(bytes, (file) => {
        const dose = file.get('dose');
        if (!(dose instanceof Dataset)) throw new Error('no dose');
        const values = dose.value as Float64Array;
        values[2 * (dose.shape?.[1] ?? 0) + 3] = Number.NaN;
        dose.write_slice([], values);
      });
      expect(await rejectionOf(spoiled)).toMatch(/dose is NaN at \[2, 3\]/);
    });

    it('arrays that exceed the limit in total, before any is read', async () => {
      const claims = await craftFile(bytes, (file) => {
        for (let i = 0; i < 5; i += 1) {
          const made = file.create_dataset({
            ...{ name: `unwritten-${i}`, data: new Float64Array(8), shape: [8] },
            ...{ maxshape: [null as unknown as number], chunks: [1024] },
          });
          made.resize([2 ** 26]);
        }
      });
      const before = process.memoryUsage().arrayBuffers;
      expect(await rejectionOf(claims)).toMatch(
        /its arrays claim 2\.\d\d GiB in total; allowed: \d+ MiB for a file of \d/,
      );
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 27);
    });

    it('files that claim 2^40 keyframes', async () => {
      const claim = await craftFile(bytes, (f) => replaceAttribute(groupAt(f, 'keyframes'), 'count', 2 ** 40));
      expect(await rejectionOf(claim)).toMatch(/keyframes/);
    });

    it('files whose dose is a link into another file', async () => {
      const linked = await craftFile(null, (file) => {
        for (const [key, value] of Object.entries({ format: 'braggbench-run', workload: 'transport' })) {
          file.create_attribute(key, value);
        }
        file.create_attribute('format_version', 1);
        file.create_external_link('/etc/passwd', '/axes', 'axes');
      });
      // The library's virtual file system does not contain this file, even if the machine does.
      expect(await rejectionOf(linked)).toMatch(/the HDF5 library cannot read it: can't open file/);
    });
  });

  describe('a damaged run file', () => {
    it('gives one clear error if it is cut off at any length', async () => {
      for (const share of [0.001, 0.1, 0.5, 0.9, 0.999]) {
        expect(await rejectionOf(bytes.slice(0, Math.floor(bytes.length * share)))).toMatch(
          /truncated|not an HDF5 file|damaged/,
        );
      }
      expect(await rejectionOf(bytes.slice(0, bytes.length - 1))).toMatch(/truncated/);
    });

    it('is read or rejected if any bytes are changed, and never ends the process', async () => {
      let seed = 12345;
      const random = (): number => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return seed / 2147483648;
      };
      let refused = 0;
      for (let trial = 0; trial < 60; trial += 1) {
        const damaged = bytes.slice();
        // Half of the trials hit the first kilobytes, where the structure is.
        const within = trial % 2 === 0 ? 4096 : damaged.length;
        for (let i = 0; i < 8; i += 1) damaged[Math.floor(random() * within)] = Math.floor(random() * 256);
        try {
          await readRun(damaged, 'damaged.h5');
        } catch (error) {
          refused += 1;
          expect(error).toMatchObject({ code: 'foreign-file' });
        }
      }
      expect(refused).toBeGreaterThan(10);
    });
  });
});
