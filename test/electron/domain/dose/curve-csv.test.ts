/** Units of doses of other programs: those accepted in a header, and their conversion for comparison with a run. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parseDepthDoseUnit, planeUnits } from '../../../../electron/contract/dose/units.ts';
import { readCurveCsv } from '../../../../electron/domain/dose/curve-csv.ts';
import { gammaOfCurves } from '../../../../electron/domain/dose/gamma-curve.ts';

describe('CSV curves', () => {
  const read = (text: string) => {
    const reading = readCurveCsv(text);
    return reading.ok ? [[...reading.curve.depth_mm], [...reading.curve.dose], reading.curve.unit] : reading.faults;
  };

  describe('a depth dose from a file', () => {
    it('reads files that the program itself exports', () => {
      expect(read('depth_mm,dose_MeV_per_mm\n0.5,1\n1.5,2e-1\n')).toEqual([[0.5, 1.5], [1, 0.2], 'MeV/mm']);
    });

    it('reads numbers alone, other separators, decimal commas, comments, centimetres and additional columns', () => {
      expect(read('1 2\n3 4')).toEqual([[1, 3], [2, 4], null]);
      expect(read('# measured\r\nTiefe depth_cm;dose;sigma\r\n1,5;2,25;9\r\n2,5;3;9\r\n')).toEqual([
        [15, 25],
        [2.25, 3],
        null,
      ]);
      expect(read('\uFEFFz (cm)\tdose (Gy)\n1\t2\n2\t3')).toEqual([[10, 20], [2, 3], 'Gy']);
    });

    it('reads depths in the unit of the header, in any spelling, and rejects other units', () => {
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

    it('reports the error of every invalid line', () => {
      expect(read('depth_mm,dose\n1,2\nx,3\n2\n1.5,\n1,4\n3,5')).toEqual([
        { line: 3, message: 'the depth "x" is not a number; allowed: a finite number' },
        {
          line: 4,
          message: '1 value; allowed: 2, as in the first line (names with spaces need commas, tabs or quotes)',
        },
        { line: 5, message: 'the dose "" is not a number; allowed: a finite number' },
        { line: 6, message: 'the depth 1 is out of order; allowed: ascending depths' },
      ]);
    });

    it('reads decimal commas in space-separated columns, and Fortran exponents', () => {
      expect(read('depth_mm dose\n1,5 20,3\n2,5 30,4\n')).toEqual([[1.5, 2.5], [20.3, 30.4], null]);
      expect(read('1,5 20,3\n2,5 30\n')).toEqual([[1.5, 2.5], [20.3, 30], null]);
      expect(read('depth_mm,dose\n1, 2.5D+01\n2 ,3d0\n')).toEqual([[1, 2], [25, 3], null]);
    });

    it('rejects thousands separators among decimal commas, and numbers that are not decimal', () => {
      expect(read('depth_mm;dose\n10,5;900,5\n11,0;1.200\n')).toEqual([
        {
          line: 3,
          message:
            '"1.200" has a point, but line 2 has the other decimal mark; allowed: one decimal mark, no thousands separators',
        },
      ]);
      expect(read('depth_mm,dose\n1,0x10\n2,3\n')[0]).toEqual({
        ...{ line: 2, message: 'the dose "0x10" is not a number; allowed: a finite number' },
      });
    });

    it.each([
      ['0\n1\n2\n', 'a column of values without depths'],
      ['1.5,2.5,3.5\n', 'a row of 3 values'],
      ['0 1 2 3\n5 6 7 8\n', 'two rows of 4 values'],
      ['[0, 1, 2]\n[3, 4, 5]\n', 'a list in brackets'],
      ['depths = [0, 1, 2]\ndoses = [3, 4, 5]\n', 'a list in brackets'],
      ['(0, 3)\n(1, 4)\n', 'a list in brackets'],
    ])('rejects the list %j of depths and doses, and states the form of a table', (text, is) => {
      expect(read(text)).toEqual([
        { line: 1, message: `${is}; allowed: a line for each depth, with the depth and its dose` },
      ]);
    });

    it('rejects a table whose names are in its first column', () => {
      expect(read('depth_mm,0,1,2\ndose,4,5,6\n')).toEqual([
        {
          line: 1,
          message:
            '"depth_mm" is followed by 3 values; allowed: names in the first line, then a line for each depth, with the depth and its dose',
        },
      ]);
    });

    it.each([
      'scale factor: 2.5',
      'Scaling factor = 2,5',
      'calibration factor 2.5',
      'detector: PPC05, gain = 10',
      'kTP = 1.013',
      'multiply dose by 2.5',
      'normalization factor (not applied): 1e-3',
    ])('rejects the comment %s for a dose in Gy, and adds a note for a relative one', (comment) => {
      const text = (dose: string): string => `# ${comment}\ndepth_mm,${dose}\n1,2\n2,3\n`;
      expect(read(text('dose_Gy'))).toEqual([
        { line: 1, message: expect.stringMatching(/^its comment ".*" would change the dose; allowed: values with it/) },
      ]);
      for (const dose of ['dose', 'dose_%']) {
        expect(readCurveCsv(text(dose))).toMatchObject({
          curve: {
            dose: Float64Array.of(2, 3),
            notes: [expect.stringMatching(/^Its comment ".*" is not applied: it changes no relative dose$/)],
          },
        });
      }
    });

    it.each(['depth offset: 1.3 mm', 'WET shift = -2 mm', 'background 0.03', 'depth scale factor: 1.02'])(
      'rejects the comment %s for any dose',
      (comment) => {
        expect(read(`# ${comment}\ndepth_mm,dose\n1,2\n2,3\n`)).toEqual([
          {
            line: 1,
            message: `its comment "${comment}" would change the depth or the dose; allowed: values with it applied, without the line`,
          },
        ]);
      },
    );

    it.each([
      'scale factor: 1',
      'depth offset: 0 mm',
      'scale factor 2.5 (applied)',
      'background subtracted: 0.03',
      'range: 130 mm',
      'calibration: 2026-01-31',
      'depth in water 30 cm',
      'dose multiplied by 2',
    ])('ignores the comment %s', (comment) => {
      expect(readCurveCsv(`# ${comment}\ndepth_mm,dose_Gy\n1,2\n2,3\n`)).toMatchObject({
        curve: { dose: Float64Array.of(2, 3), notes: [] },
      });
    });

    it('rejects files without a curve', () => {
      expect(read('energy,dose\n1,2')).toEqual([
        {
          line: 1,
          message: 'the header "energy,dose" has no depth; allowed: depth or z in mm, cm or m, such as depth_mm',
        },
      ]);
      expect(read('depth_mm,dose\n1,2')).toEqual([
        { line: 2, message: '1 point; allowed: two or more lines of depth and dose' },
      ]);
      expect(read('')).toEqual([{ line: 1, message: '0 points; allowed: two or more lines of depth and dose' }]);
    });
  });

  /** The same depth-dose curve in the file formats of several programs. Their sources are in cases/README.md. */
  describe('a depth dose file from another program', () => {
    const ofCase = (name: string, unit: 'cm' | 'asked' = 'asked') => {
      const reading = readCurveCsv(readFileSync(path.join(import.meta.dirname, 'cases', name), 'utf8'), unit);
      if (!reading.ok) throw new Error(reading.faults[0]?.message);
      return reading.curve;
    };
    const good = ofCase('c13-good.csv');

    test.each([
      ['c01-topas-z.csv', 'asked', 1e-9],
      ['c03-fluka.txt', 'cm', 1e-7],
      ['c06-descending.csv', 'asked', 1],
      ['c10-sigma-first.csv', 'asked', 1],
    ] as const)('%s contains the expected curve', (name, unit, scale) => {
      const { depth_mm, dose } = ofCase(name, unit);
      expect(depth_mm.length).toBe(130);
      for (let i = 0; i < 130; i += 1) {
        expect(depth_mm[i]).toBeCloseTo(good.depth_mm[i] ?? Number.NaN, 9);
        expect((dose[i] ?? 0) / scale).toBeCloseTo(good.dose[i] ?? Number.NaN, 2);
      }
    });

    it('takes the dose unit from TOPAS files, and needs an explicit depth unit for FLUKA files', () => {
      expect(ofCase('c01-topas-z.csv')).toMatchObject({ unit: 'Gy', depthUnit: 'cm' });
      expect(() => ofCase('c03-fluka.txt')).toThrow('the unit of depth is missing');
    });
  });

  describe('tables of Monte Carlo codes', () => {
    const topas = (bins: readonly string[], names: string, rows: readonly string[]) =>
      read(['# TOPAS Version: 3.9', ...bins, `# DoseToMedium ( Gy ) : ${names}`, ...rows].join('\n'));
    const depthBins = ['# X in 1 bin  of 20 cm', '# Y in 1 bin  of 20 cm', '# Z in 2 bins of 5 mm'];

    it('TOPAS tables are read from the columns named Sum or Mean', () => {
      expect(topas(depthBins, 'Mean   Standard_Deviation', ['0, 0, 0, 2, 9', '0, 0, 1, 3, 9'])).toEqual([
        [2.5, 7.5],
        [2, 3],
        'Gy',
      ]);
      expect(topas(depthBins, 'Standard_Deviation   Sum', ['0, 0, 0, 9, 2', '0, 0, 1, 9, 3'])).toEqual([
        [2.5, 7.5],
        [2, 3],
        'Gy',
      ]);
      expect(topas(depthBins, 'Count_in_Bin', ['0, 0, 0, 2', '0, 0, 1, 3'])).toEqual([
        { line: 5, message: 'it reports Count_in_Bin; allowed: Sum or Mean among its columns' },
      ]);
    });

    it('tables with bins along two axes, or with fewer bins than announced, are rejected', () => {
      const wide = ['# X in 3 bins of 1 cm', '# Y in 1 bin  of 20 cm', '# Z in 2 bins of 5 mm'];
      expect(topas(wide, 'Sum', ['0, 0, 0, 2'])).toEqual([
        {
          line: 2,
          message:
            'it has bins of 3 along X, 1 along Y, 2 along Z, so it is not a depth dose; allowed: several bins along one axis',
        },
      ]);
      expect(topas(depthBins, 'Sum', ['0, 0, 0, 2'])).toEqual([
        { line: 6, message: 'it has 1 line of bins; allowed: 2, starting at 0' },
      ]);
    });

    it('TOPAS tables by radius or of another quantity are rejected', () => {
      const radial = ['# R in 2 bins of 1 mm', '# Phi in 1 bin  of 360 deg', '# Z in 1 bin  of 1 cm'];
      expect(topas(radial, 'Sum', ['0, 0, 0, 2', '1, 0, 0, 1'])).toEqual([
        { line: 2, message: 'its bins are along R, so it is not a depth dose; allowed: bins along x, y or z' },
      ]);
      for (const quantity of ['Fluence ( /mm2 )', 'ProtonLET ( MeV/mm/(g/cm3) )']) {
        const name = quantity.split(' ')[0];
        const text = [...depthBins, `# ${quantity} : Sum`, '0, 0, 0, 2', '0, 0, 1, 1'].join('\n');
        expect(read(text)).toEqual([
          {
            line: 4,
            message: `its quantity is ${name}; allowed: DoseToMedium, DoseToWater, DoseToMaterial, EnergyDeposit`,
          },
        ]);
      }
    });

    it('FLUKA and PHITS tables by energy or radius, or of flux, are rejected', () => {
      const noDepth = (line: number, axis: string) => [
        { line, message: `its bins are along ${axis}, so it is not a depth dose; allowed: bins along x, y or z` },
      ];
      const rows = '0 1 4 0.1\n1 2 3 0.1';
      expect(read(` # Detector n:  1 fluence\n # N.of energy intervals 2\n${rows}`)).toEqual(noDepth(2, 'energy'));
      expect(read(`# x: Energy [MeV]\n# e-lower e-upper all r.err\n${rows}`)).toEqual(noDepth(2, 'e'));
      expect(read(`# x: r [cm]\n# r-lower r-upper all r.err\n${rows}`)).toEqual(noDepth(2, 'r'));
      expect(read(`# x: z [cm]\n# y: Flux [1/cm^2/source]\n# z-lower z-upper all r.err\n${rows}`)).toEqual([
        {
          line: 2,
          message:
            'its quantity is Flux [1/cm^2/source]; allowed: dose, heat or deposited energy in Gy, J, MeV, or these per cm^3 or kg',
        },
      ]);
      expect(read(`# x: z [cm]\n# y: Dose [Gy/source]\n# z-lower z-upper all r.err\n${rows}`)).toEqual([
        [5, 15],
        [4, 3],
        null,
      ]);
    });

    const gate = (count: number) =>
      read(
        [
          '# Matrix Size= (20,20,6)',
          '# Resol      = (1,1,3)',
          '# VoxelSize  = (20,20,2)',
          `# nbVal      = ${count}`,
          '1',
          '2',
          '3',
        ].join('\n'),
      );

    it('GATE tables have one value per bin, with bins in mm', () => {
      expect(gate(3)).toEqual([[1, 3, 5], [1, 2, 3], null]);
    });

    const phits = (head: string, rows: readonly string[]) =>
      read(
        ['[ T - Deposit ]', 'x:  z [cm]', 'y:  Dose [MeV/source]', 'h: n x y(all),l3 n', head, ...rows, '', 'e:'].join(
          '\n',
        ),
      );

    it('PHITS tables have bin edges, and a column for all particles', () => {
      const rows = ['  0.0E+00  1.0E+00  5.0E-01  0.01', '  1.0E+00  2.0E+00  7.0E-01  0.01'];
      expect(phits('#  z-lower      z-upper        all       r.err', rows)).toEqual([[5, 15], [0.5, 0.7], null]);
      const two = rows.map((row) => `${row}  0.1  0.01`);
      expect(phits('#  z-lower  z-upper  proton  r.err  neutron  r.err', two)).toEqual([
        {
          line: 5,
          message:
            'it has columns of proton, neutron; allowed: a column for all particles, because one particle contributes only a part of the dose',
        },
      ]);
      expect(phits('#  z-lower  z-upper  all  r.err', [rows[0] ?? '', '  1.5E+00  2.0E+00  7.0E-01  0.01'])).toEqual([
        { line: 7, message: 'its bin does not begin where the previous bin ends' },
      ]);
    });
  });

  describe('a table of SHIELD-HIT12A', () => {
    const table = (type: string, rows: readonly string[], bins = '   1 Y BIN:     1 Z BIN:     2') =>
      read(
        [
          '#   DETECTOR OUTPUT MSH/DMSH',
          `#   X BIN:  ${bins}`,
          `#   JPART:    -1 DETECTOR TYPE: ${type}      `,
          '#   X START:-0.500E+01 Y START:-0.500E+01 Z START: 0.100E+01',
          '#   X END  : 0.500E+01 Y END  : 0.500E+01 Z END  : 0.200E+01',
          '#   PRIMARIES: 0.100E+05',
          ...rows,
          '',
        ].join('\n'),
      );
    const rows = [
      '  0.0000000E+00  0.0000000E+00  1.2500000E+00  3.0000000000000000E-01',
      '  0.0000000E+00  0.0000000E+00  1.7500000E+00  7.0000000000000000E-01',
    ];

    it('is read with bins between START and END in cm and the dose in the fourth column, with or without errors', () => {
      // Two bins of 5 mm from 10 mm on.
      expect(table('DOSE', rows)).toEqual([[12.5, 17.5], [0.3, 0.7], null]);
      const withErrors = rows.map((row) => `${row}  9.0000000000000000E-02`);
      expect(table('DOSE_GY', withErrors)).toEqual([[12.5, 17.5], [0.3, 0.7], 'Gy']);
    });

    it.each([
      ['FLUENCE', rows, undefined, 3, 'its detector type is FLUENCE; allowed: DOSE, DOSE_GY, ENERGY, DDD'],
      ['DOSE', rows.slice(1), undefined, 7, 'it has 1 line of bins; allowed: 2, one per bin from START to END'],
      [
        'DOSE',
        [...rows].reverse(),
        undefined,
        7,
        'its bin at 1.75 should be at 1.25; allowed: bins in order from START to END',
      ],
      [
        'DOSE',
        rows,
        '   2 Y BIN:     1 Z BIN:     2',
        2,
        'it has bins of 2 along X, 1 along Y, 2 along Z, so it is not a depth dose; allowed: several bins along one axis',
      ],
      [
        'DOSE',
        [rows[0] ?? '', '0 0 1.75 NaN'],
        undefined,
        8,
        '"0 0 1.75 NaN" is not 4 numbers, as its header specifies',
      ],
    ] as const)('is rejected if it is not a complete depth dose: %s', (type, of, bins, line, message) => {
      expect(table(type, of, bins)).toEqual([{ line, message }]);
    });
  });

  it('rejects text in another encoding', () => {
    const wide = readFileSync(path.join(import.meta.dirname, 'cases/c09-utf16.csv')).toString('utf8');
    expect(read(wide)).toEqual([{ line: 1, message: 'its text encoding is not supported; allowed: UTF-8' }]);
  });

  describe('columns of a table', () => {
    it('are selected by complete words, and rejected if ambiguous', () => {
      expect(read('depth_mm,dose_uncertainty,dose\n1,9,2\n2,9,3')).toEqual([[1, 2], [2, 3], null]);
      expect(read('depth_mm,overdose,dose_Gy\n1,9,2\n2,9,3')).toEqual([[1, 2], [2, 3], 'Gy']);
      expect(read('depth_sigma_mm,depth_mm,dose\n9,1,2\n9,2,3')).toEqual([[1, 2], [2, 3], null]);
      expect(read('depth_mm,dose_plan,dose_tank\n1,9,2\n2,9,3')).toEqual([
        { line: 1, message: 'the header has "dose_plan" and "dose_tank"; allowed: one dose' },
      ]);
    });

    it('must be exactly two if they have no names', () => {
      expect(read('1 2 3\n2 3 4')).toEqual([
        { line: 1, message: '3 columns without names; allowed: two, or a header such as depth_mm,dose,dose_error' },
      ]);
    });

    it('are reversed for descending depths, and rejected for unordered ones', () => {
      expect(read('depth_mm,dose\n3,1\n2,5\n1,4')).toEqual([[1, 2, 3], [4, 5, 1], null]);
      expect(read('depth_mm,dose\n3,1\n2,5\n2.5,4')).toEqual([
        { line: 4, message: 'the depth 2.5 is out of order; allowed: descending depths' },
      ]);
    });
  });
});

describe('units of dose', () => {
  describe('a depth dose', () => {
    // 1 MeV = 1.602176634e-13 J; 1 MeV cm²/g = 1.602176634e-13 J × 1e-4 m² / 1e-3 kg, in nGy mm².
    const perMass = ((1.602176634e-13 * 1e-4) / 1e-3) * 1e9 * 1e6;

    test.each([
      ['MeV/mm', 'length', 1, false],
      ['MeV_cm^-1', 'length', 0.1, false],
      ['MeV/mm/proton', 'length', 1, true],
      ['MeV cm² g⁻¹ per proton', 'mass', perMass, true],
      ['MeV_cm2/g/proton', 'mass', perMass, true],
      ['MeV·cm^2/g', 'mass', perMass, false],
      ['nGy mm²', 'mass', 1, false],
      ['Gy cm2', 'mass', 1e11, false],
      // Gy per 10⁹ protons equals nGy per proton.
      ['Gy mm² per 10⁹ protons', 'mass', 1, true],
      ['Gy_mm2/1e9_protons', 'mass', 1, true],
    ] as const)('is converted if it is in %s', (text, by, factor, perProton) => {
      const found = parseDepthDoseUnit(text);
      expect(found).toMatchObject({ by, perProton });
      expect((found?.factor ?? Number.NaN) / factor).toBeCloseTo(1, 9);
    });

    test.each([[null], ['%'], ['a.u.'], ['Gy'], ['MeV'], ['1e9'], ['MeV/mm/week']])(
      'cannot be absolute in %s',
      (text) => {
        expect(parseDepthDoseUnit(text)).toBeNull();
      },
    );
  });

  test('is in nGy per volume by mass, and in nGy mm for a plane', () => {
    expect(planeUnits['Gy/1e9'].factor).toBe(1);
    expect(planeUnits.Gy.factor).toBe(1e9);
    expect(planeUnits['MeV/g'].factor).toBeCloseTo((1.602176634e-13 / 1e-3) * 1e9, 12);
    expect(planeUnits['MeV cm/g'].factor).toBeCloseTo((1.602176634e-13 / 1e-3) * 1e9 * 10, 11);
  });
});

describe('the gamma index of curves', () => {
  const positions = Float64Array.from({ length: 401 }, (_, i) => i / 10);
  const bump = (centre: number): Float64Array => positions.map((x) => Math.exp(-((x - centre) ** 2) / 18));
  const reference = { positions, values: bump(20) };

  test('a curve has gamma 0 against itself, and a shifted curve has the shift over the distance criterion', () => {
    const same = gammaOfCurves(reference, reference, { dose: 0.01, distance_mm: 1 });
    expect([same.passed, same.worst]).toEqual([1, 0]);
    expect(same.points).toBe(same.values.filter((value) => !Number.isNaN(value)).length);
    const moved = gammaOfCurves(reference, { positions, values: bump(20.5) }, { dose: 0.01, distance_mm: 1 });
    // On the steep sides an equal dose is half a millimetre away.
    expect(moved.worst).toBeCloseTo(0.5, 2);
    expect(moved.passed).toBe(1);
    const tight = gammaOfCurves(reference, { positions, values: bump(20.5) }, { dose: 0.01, distance_mm: 0.25 });
    expect(tight.worst).toBeCloseTo(2, 1);
    expect(tight.passed).toBeLessThan(0.5);
  });

  test('the gamma index of a dose 1 % higher is relative to the peak if global, and to each point if local', () => {
    const flat = { positions, values: positions.map((x) => (x < 20 ? 1 : 0.2)) };
    const more = { positions, values: flat.values.map((dose) => 1.015 * dose) };
    const at = (local: boolean): readonly number[] => {
      const { values } = gammaOfCurves(flat, more, { dose: 0.01, distance_mm: 1, local });
      return [values[50] ?? 0, values[300] ?? 0];
    };
    expect(at(false)[0]).toBeCloseTo(1.5, 9);
    expect(at(false)[1]).toBeCloseTo(0.3, 9);
    expect(at(true)[1]).toBeCloseTo(1.5, 9);
  });

  test('points below the threshold are not evaluated; the histogram counts the others', () => {
    const { values, points, histogram, passed } = gammaOfCurves(
      reference,
      { positions, values: bump(21) },
      { dose: 0.02, distance_mm: 0.5, threshold: 0.5 },
    );
    expect(histogram.reduce((a, b) => a + b, 0)).toBe(points);
    expect(histogram.slice(0, 10).reduce((a, b) => a + b, 0) / points).toBeCloseTo(passed, 1);
    values.forEach((gamma, i) => {
      expect(Number.isNaN(gamma)).toBe((reference.values[i] ?? 0) < 0.5);
    });
  });

  test('points fail where the evaluated curve does not exist', () => {
    const half = { positions: positions.subarray(0, 200), values: bump(20).subarray(0, 200) };
    expect(gammaOfCurves(reference, half, { dose: 0.01, distance_mm: 1 }).worst).toBe(3);
  });
});
