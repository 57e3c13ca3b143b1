import { execFile, execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { File, ready } from 'h5wasm';
import { beforeAll, describe, expect, it } from 'vitest';
import { runPacker } from '../../../../../electron/host/app/run-files/packer.ts';
import { readRun as readAnyRun } from '../../../../../electron/host/app/run-files/read.ts';
import type { ImageRunData } from '../../../../../electron/host/workloads/diffraction/image-data.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { runOf } from '../../../../../electron/host/workloads/run-data.ts';
import { keptPairs } from '../../../../../electron/host/workloads/transport/display/maps.ts';
import { depthDoseOf } from '../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { ledgerTable, summaryOf } from '../../../../../electron/host/workloads/transport/readouts.ts';
import { measured, type RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import { writeRun } from '../../../../../electron/host/workloads/transport/run-file-write.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { overlapped } from '../../model/timeline/traced-session.ts';
import { readRun } from '../../read-transport.ts';
import { runScenario, smallScenario } from '../../small-run.ts';
import { renderDocument } from '../../workloads/image.ts';
import { smallImage } from '../../workloads/small-image.ts';

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
      // Not this one.
    }
  }
  return null;
}

describe('a run file', () => {
  it('gives back every array, bit for bit, and every value', async () => {
    expect(await readRun(bytes, 'a.h5')).toEqual(run);
  });

  it('of a run on a GPU, or of an earlier version, has four of the six pairs of axes', async () => {
    const none = new Float32Array(0);
    const four: RunData = { ...run, keyframes: run.keyframes.map((frame) => ({ ...frame, ex: none, ztheta: none })) };
    expect(await readRun(await writeRun(four), 'four.h5')).toEqual(four);
    const recorded = path.join(import.meta.dirname, '../../../../golden/runs/h200-cuda-window-graphs.h5');
    const old = await readRun(await readFile(recorded), 'recorded.h5');
    expect(keptPairs(old.keyframes[0]).map((pair) => pair.join('–'))).toEqual(['z–x', 'x–theta', 'e–theta', 'e–z']);
  });

  it('of an image has its spans, and what a GPU did in it, as a transport run has', async () => {
    const image: ImageRunData = { ...(await renderDocument(smallImage)), trace: overlapped([13, 14]) };
    expect(await readAnyRun(await hostWorkloads.diffraction.runFile.write(image), 'image.h5')).toEqual(image);
  });

  it('holds what escaped through each face, and a file without it is read', async () => {
    const { number, energy_MeV } = ledgerTable(run, 1000);
    for (const columns of [number, energy_MeV]) {
      for (const axis of ['x', 'z', 'theta']) {
        const sum = columns[`escaped_${axis}_low`]?.map((low, i) => low + (columns[`escaped_${axis}_high`]?.[i] ?? 0));
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

  it('of a run without keyframes, spans and steps is read as well', async () => {
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

  it('is packed and unpacked the same on the worker thread', async () => {
    const packed = await runPacker.write(run);
    const back = runOf('transport', await runPacker.read(packed, 'a.h5'));
    expect(back.dose).toEqual(run.dose);
    expect(back.scenario).toEqual(run.scenario);
    await expect(runPacker.read(new Uint8Array([1, 2, 3]), 'x.h5')).rejects.toMatchObject({ code: 'foreign-file' });
    expect(runOf('transport', await runPacker.read(packed, 'a.h5')).steps).toBe(run.steps);
  });

  it('has units, dimension scales and compression on its fields', async () => {
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

describe('h5py', () => {
  const folder = scratchFolder('h5py');
  beforeAll(async () => {
    await writeFile(path.join(folder, 'run.h5'), bytes);
  });

  it('reads the same numbers, units and axes', async (context) => {
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
    const { curve, metrics } = depthDoseOf(measured(run));
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

it('the memory of a run is its own, whatever else the process held', async () => {
  const run = await runScenario(smallScenario);
  expect(run.peak_state_bytes).toBeGreaterThan(0);
  expect(summaryOf({ ...run, peak_rss_bytes: 5e9 }).state_bytes).toBe(run.peak_state_bytes);
});
