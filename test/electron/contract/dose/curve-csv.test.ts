import { describe, expect, it } from 'vitest';
import { readCurveCsv } from '../../../../electron/contract/dose/curve-csv.ts';

const read = (text: string) => {
  const reading = readCurveCsv(text);
  return reading.ok ? [[...reading.curve.depth_mm], [...reading.curve.dose], reading.curve.unit] : reading.faults;
};

describe('a depth dose from a file', () => {
  it('reads what the program itself exports', () => {
    expect(read('depth_mm,dose_MeV_per_mm\n0.5,1\n1.5,2e-1\n')).toEqual([[0.5, 1.5], [1, 0.2], 'MeV/mm']);
  });

  it('reads numbers alone, other separators, decimal commas, comments, centimetres and further columns', () => {
    expect(read('1 2\n3 4')).toEqual([[1, 3], [2, 4], null]);
    expect(read('# measured\r\nTiefe depth_cm;dose;sigma\r\n1,5;2,25;9\r\n2,5;3;9\r\n')).toEqual([
      [15, 25],
      [2.25, 3],
      null,
    ]);
    expect(read('\uFEFFz (cm)\tdose (Gy)\n1\t2\n2\t3')).toEqual([[10, 20], [2, 3], 'Gy']);
  });

  it('takes depths in the unit that the header has, however it is written, and refuses other units', () => {
    for (const name of ['Depth [cm]', 'depth (cm)', 'depth_in_water_cm', 'z/cm', 'Depth cm']) {
      expect(read(`${name},Dose [Gy]\n1,2\n2,3`)).toEqual([[10, 20], [2, 3], 'Gy']);
    }
    expect(read('Depth [mm]\tDose\n0,5\t1,25\n1,5\t2\n')).toEqual([[0.5, 1.5], [1.25, 2], null]);
    expect(read('Depth [g/cm2],Dose\n1,2\n2,3')).toEqual([
      { line: 1, message: 'the depth "Depth [g/cm2]" is in g/cm2; allowed: mm, cm, m' },
    ]);
    expect(read('depth_um,dose\n1,2\n2,3')).toEqual([
      { line: 1, message: 'the depth "depth_um" is in um; allowed: mm, cm, m' },
    ]);
  });

  it('says of every bad line what is wrong in it', () => {
    expect(read('depth_mm,dose\n1,2\nx,3\n2\n1.5,\n1,4\n3,5')).toEqual([
      { line: 3, message: 'the depth "x" is not a number; allowed: a finite number' },
      { line: 4, message: '1 value; allowed: a depth and a dose' },
      { line: 5, message: 'the dose "" is not a number; allowed: a finite number' },
      { line: 6, message: 'the depth 1 does not go on from the line before; allowed: ascending depths' },
    ]);
  });

  it('refuses what is no curve', () => {
    expect(read('energy,dose\n1,2')).toEqual([
      { line: 1, message: 'the header "energy,dose" names no depth; allowed: columns such as depth_mm and dose' },
    ]);
    expect(read('depth_mm,dose\n1,2')).toEqual([
      { line: 2, message: '1 point; allowed: two or more lines of depth and dose' },
    ]);
    expect(read('')).toEqual([{ line: 1, message: '0 points; allowed: two or more lines of depth and dose' }]);
  });
});
