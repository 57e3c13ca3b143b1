import { Dataset, File, Group, ready } from 'h5wasm';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeRun } from '../../../../../electron/host/workloads/transport/run-file-write.ts';
import { readRun } from '../../read-transport.ts';
import { runScenario, smallScenario } from '../../small-run.ts';

let bytes: Uint8Array;
beforeAll(async () => {
  bytes = await writeRun(await runScenario(smallScenario));
});

/** A file made or changed by other means than ours. */
async function crafted(start: Uint8Array | null, change: (file: File) => void): Promise<Uint8Array> {
  const { FS } = await ready;
  if (start !== null) FS.writeFile('/crafted.h5', start);
  const file = new File('/crafted.h5', start === null ? 'w' : 'a');
  change(file);
  file.close();
  const made = FS.readFile('/crafted.h5');
  FS.unlink('/crafted.h5');
  return made;
}

function group(file: File, path: string): Group {
  const found = file.get(path);
  if (!(found instanceof Group)) throw new Error(`no group ${path}`);
  return found;
}

function replaceAttribute(at: Group, name: string, value: string | number): void {
  at.delete_attribute(name);
  if (typeof value === 'string') at.create_attribute(name, value);
  else at.create_attribute(name, value, null, '<d');
}

async function refusal(file: Uint8Array): Promise<string> {
  try {
    await readRun(file, 'that.h5');
  } catch (error) {
    expect(error).toMatchObject({ name: 'BraggError', code: 'foreign-file' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('the file was read');
}

describe('a file that is no run of ours', () => {
  it('no bytes, text, a picture: not an HDF5 file', async () => {
    for (const other of [
      new Uint8Array(0),
      new TextEncoder().encode('{"kind":"transport"}'),
      new Uint8Array(5000).fill(0x89),
    ]) {
      expect(await refusal(other)).toMatch(/^that\.h5 cannot be opened as a run: it is not an HDF5 file\.$/);
    }
  });

  it('HDF5 of another program', async () => {
    const other = await crafted(null, (file) => file.create_dataset({ name: 'data', data: new Float64Array(3) }));
    expect(await refusal(other)).toMatch(/another program/);
  });

  it('a newer format version', async () => {
    const newer = await crafted(bytes, (file) => replaceAttribute(file, 'format_version', 2));
    expect(await refusal(newer)).toMatch(/newer Braggbench \(format 2, this one reads up to 1\)/);
  });

  it('another workload, another status, a value that is no number', async () => {
    expect(await refusal(await crafted(bytes, (f) => replaceAttribute(f, 'workload', 'linear-relu')))).toMatch(
      /linear-relu/,
    );
    expect(await refusal(await crafted(bytes, (f) => replaceAttribute(f, 'status', 'maybe')))).toMatch(/"maybe"/);
    expect(await refusal(await crafted(bytes, (f) => replaceAttribute(group(f, 'timing'), 'steps', 'many')))).toMatch(
      /steps/,
    );
    expect(await refusal(await crafted(bytes, (f) => group(f, 'beam').delete_attribute('x_mm')))).toMatch(/x_mm/);
  });

  it('arrays of another shape than the axes say', async () => {
    expect(await refusal(await crafted(bytes, (f) => replaceAttribute(group(f, 'timing'), 'steps', 3)))).toMatch(
      /ledger\/number is \d+ × 9 where 3 × 9 belongs/,
    );
  });

  it('fields with a value that is not finite', async () => {
    const spoiled = await crafted(bytes, (file) => {
      const dose = file.get('dose');
      if (!(dose instanceof Dataset)) throw new Error('no dose');
      const values = dose.value as Float64Array;
      values[2 * (dose.shape?.[1] ?? 0) + 3] = Number.NaN;
      dose.write_slice([], values);
    });
    expect(await refusal(spoiled)).toMatch(/dose is NaN at \[2, 3\]/);
  });

  it('arrays that together claim more than is allowed are refused before any is read', async () => {
    const claims = await crafted(bytes, (file) => {
      for (let i = 0; i < 5; i += 1) {
        const made = file.create_dataset({
          ...{ name: `unwritten-${i}`, data: new Float64Array(8), shape: [8] },
          ...{ maxshape: [null as unknown as number], chunks: [1024] },
        });
        made.resize([2 ** 26]);
      }
    });
    const before = process.memoryUsage().arrayBuffers;
    expect(await refusal(claims)).toMatch(/its arrays claim 26\d\d MB together; allowed: \d+ MB for a file of \d/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 27);
  });

  it('one that claims 2^40 keyframes', async () => {
    const claim = await crafted(bytes, (f) => replaceAttribute(group(f, 'keyframes'), 'count', 2 ** 40));
    expect(await refusal(claim)).toMatch(/keyframes/);
  });

  it('one whose dose is a link into another file', async () => {
    const linked = await crafted(null, (file) => {
      for (const [key, value] of Object.entries({ format: 'braggbench-run', workload: 'transport' })) {
        file.create_attribute(key, value);
      }
      file.create_attribute('format_version', 1);
      file.create_external_link('/etc/passwd', '/axes', 'axes');
    });
    // The virtual file system of the library has no such file, whatever the machine has.
    expect(await refusal(linked)).toMatch(/the HDF5 library cannot read it: can't open file/);
  });
});

describe('a damaged run file', () => {
  it('cut off at any length: one clear error', async () => {
    for (const share of [0.001, 0.1, 0.5, 0.9, 0.999]) {
      expect(await refusal(bytes.slice(0, Math.floor(bytes.length * share)))).toMatch(
        /cut off|not an HDF5 file|damaged/,
      );
    }
    expect(await refusal(bytes.slice(0, bytes.length - 1))).toMatch(/cut off/);
  });

  it('with bytes changed anywhere is read or refused, and never ends the process', async () => {
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
