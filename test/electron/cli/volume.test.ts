/** `braggbench volume`: what it prints and writes, and what it refuses. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { VolumeAnswer } from '../../../electron/contract/beams/volume.ts';
import { readDicomDose } from '../../../electron/host/io/volumes/dicom.ts';
import type { Volume } from '../../../electron/host/io/volumes/volume.ts';
import { volumeHeader, volumeIn } from '../../../electron/host/io/volumes/volume-file.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbenchHere } from './command.ts';

const folder = scratchFolder('volume');

/** Two spots on either side of y, in 60 mm of water. */
function field(): string {
  const file = path.join(folder, 'field.json');
  writeFileSync(
    file,
    JSON.stringify({
      kind: 'transport',
      version: 2,
      beam: {
        x_sigma_mm: 3,
        spots: [
          { energy_MeV: 70, x_mm: -5, y_mm: 10, weight: 3 },
          { energy_MeV: 60, x_mm: 5, y_mm: -10, weight: 1 },
        ],
      },
      geometry: { width_mm: 100, depth_mm: 60 },
      grid: { dz_mm: 1 },
      physics: { nuclear: 'off' },
      solver: { stepping: 'depth' },
    }),
  );
  return file;
}

function read(file: string): Volume {
  const bytes = readFileSync(file);
  const header = volumeHeader(file, bytes);
  return header === null ? readDicomDose(file, bytes) : volumeIn(file, bytes, header, [null]);
}

test('a field of two spots has its largest dose in the peak of the heavier one', async () => {
  const { code, stdout } = await braggbenchHere(['volume', field(), '--across', '80', '--json']);
  expect(code).toBe(0);
  const answer = JSON.parse(stdout) as VolumeAnswer;
  expect(answer.sizes).toEqual([40, 40, 60]);
  // Cells of 2 mm: −5 and 10 lie in those about −5 and 9, or 11.
  expect(answer.most_at_mm[0]).toBe(-5);
  expect(Math.abs(answer.most_at_mm[1] - 10)).toBe(1);
  expect(answer.most_at_mm[2]).toBeCloseTo(40, -1);
  expect(answer.energy.rel_error).toBeCloseTo(0, 9);
  // Three of 70 MeV and one of 60 MeV.
  expect(answer.energy.in).toBeCloseTo(270, 6);
  expect(answer.energy.deposited / answer.energy.in).toBeCloseTo(1, 4);
});

test.each(['mha', 'nrrd', 'dcm'])('a dose written as .%s reads back with its places and its energy', async (ending) => {
  const out = path.join(folder, `dose.${ending}`);
  const { code, stdout } = await braggbenchHere(['volume', field(), '--across', '80', '--out', out]);
  expect(code).toBe(0);
  expect(stdout).toContain('Largest dose');
  const { sizes, spacing_mm, origin_mm, values } = read(out);
  expect(sizes).toEqual([40, 60, 40]);
  expect(spacing_mm.map((side) => Number(side))).toEqual([2, 1, 2]);
  expect([...origin_mm]).toEqual([-39, 0.5, -39]);
  const sum = values.reduce((a, b) => a + b, 0);
  // 270 MeV of 4 protons in cells of 4 mm³ of water, in Gy of 10⁹ protons.
  expect((sum * 4) / 160.2176634).toBeCloseTo(270 / 4, ending === 'dcm' ? 3 : 2);
});

test('monitor units scale the dose', async () => {
  const words = ['volume', field(), '--across', '80', '--json'];
  const plain = JSON.parse((await braggbenchHere(words)).stdout) as VolumeAnswer;
  const units = JSON.parse((await braggbenchHere([...words, '--protons-per-mu', '8e7'])).stdout) as VolumeAnswer;
  expect(units.unit).toBe('Gy per MU');
  expect(units.most).toBeCloseTo(0.08 * plain.most, 9);
});

test.each([
  [['--out', 'dose.png'], '--out: "dose.png" ends in no format that is written; allowed: .mha, .nrrd, .dcm'],
  [['--across', '2000', '--cell', '0.1'], 'cells of 0.1 mm; allowed: 64000000 in all'],
  [['--set', 'beam.spots[0].angle_deg=10'], 'moments follow beams along z; allowed: 0'],
])('%j is refused', async (words, says) => {
  const { code, stderr } = await braggbenchHere(['volume', field(), ...words]);
  expect(stderr).toContain(says);
  expect(code).not.toBe(0);
});
