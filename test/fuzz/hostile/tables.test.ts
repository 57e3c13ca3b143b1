/**
 * Tables, lists of reflections and lists of spots that other programs wrote, or that were damaged. Each is read
 * correctly, read with a warning, or rejected with a message that names the problem. This file is long, because each
 * format is one table of cases.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCurveCsv } from '../../../electron/domain/dose/curve-csv.ts';
import { readCurve, readOneCurve } from '../../../electron/host/workloads/transport/beams/commission.ts';
import { readDoseFile } from '../../../electron/host/workloads/transport/dose-file.ts';
import { readSpots } from '../../../electron/host/workloads/transport/scenario/spots-file.ts';
import { curve, folder, hkl, testHostileFiles, xds } from './files.ts';

const fluka = (rows: string) => () =>
  readCurveCsv(` # Detector n:   1  EnDep     \n # N. of Z intervals  2\n${rows}`, 'cm');
/** A depth-dose file whose dose falls beyond the peak. */
const fallingDoseFile = (name: string): string =>
  `${name},dose\n${[1, 1, 1, 1, 2, 3, 6, 2, 0.1, 0.01].map((dose, i) => `${i},${dose}`).join('\n')}\n`;
const spots = (text: string) => () => {
  const name = `spots-${text.length}.csv`;
  writeFileSync(path.join(folder, name), text);
  return readSpots(name, { name: 'a.json', folder });
};

const MAP_HEAD = 'depth_mm,dose_at_x_-0.5_mm,dose_at_x_0.5_mm';
const MAP = /"dose":\[1,2,3,4\],"nz":2,"nx":2,"dz_mm":1,"dx_mm":1,/;
/** A map of 2 × 2 cells, with decimal commas unless the comma separates fields. */
const doseMap =
  (head: string, separator = ',', end = '\n', last = '4') =>
  () => {
    const rows = [
      ['0.5', '1', '2'],
      ['1.5', '3', last],
    ].map((row) => row.map((cell) => (separator === ',' ? cell : cell.replace('.', ','))).join(separator));
    const file = path.join(folder, 'map.csv');
    writeFileSync(file, [...head.split('\n'), ...rows, ''].join(end));
    return readDoseFile(file, {}, null);
  };

/** Counts of a detector, one of which is replaced. */
const counts = (replaced: string) => () => {
  const rows = [10, 10, 10, 10, 20, 30, 60, 20, 1, 0.1].map((one, i) => `${i},${i === 2 ? replaced : one * 1e5}`);
  return readCurve(`depth_mm,dose\n${rows.join('\n')}\n`, null);
};

testHostileFiles([
  [
    'marks for missing values in depth doses',
    [
      ...['-999', '-9999', '-999.00'].map(
        (mark) => [mark, counts(mark), /the dose is -9+ at 2 mm, a mark for a missing value/] as const,
      ),
      ['far above all others', counts('999999999'), /the dose is 999999999 at 2 mm, a mark for a missing value/],
      ['a count of nines', counts('999999'), /"dose":\[1000000,1000000,999999,/],
    ],
  ],
  [
    'lists of reflections',
    [
      ['decimal commas between commas', hkl('h,k,l,F\n1,0,0,32,5'), /has 5 values; allowed: 4, as in its header/],
      ['decimal commas between semicolons', hkl('h;k;l;F\n1;0;0;32,5'), /\[1,0,0,32\.5\]/],
      ['thousands and decimals', hkl('h;k;l;F\n1;0;0;1.234,5'), /F = 1\.234,5 is not allowed/],
      ['a computed phase', hkl('h k l FC PHIC\n1 0 0 4 90'), /has neither F nor I/],
      ['a logarithm', hkl('h k l log(I)\n1 0 0 4'), /has neither F nor I/],
      ['indices without spaces', hkl('-10-12-13 1234.56 10.00'), /has 3 values; needed: h k l F/],
      ...[
        ['CIF', '# made by x\r\n\ndata_x\nloop_\n_refln_index_h\n'],
        ['FCF', '#\n# h,k,l, Fc-squared, Fo-squared, sigma(Fo-squared) and status flag\n#\ndata_x\n'],
        ['CNS', '{ made by x }\n NREFlection=     2\n ANOMalous=FALSE\n INDE 1 0 0 FOBS= 100\n'],
        ['MTZ', 'MTZ \x1a\0'],
        [
          'Scalepack',
          '    1\n -985\n    79.143    79.143    38.011    90.000    90.000    90.000 p43212\n   0   0   4   638.4   9.1\n',
        ],
        ['Scalepack without', '    2 p21\n  1  0  0\n  0  1  0\n  0  0  1\n  0  0  0\n  1  0  0\n'],
      ].map(
        ([name, text = '']) =>
          [
            `${name} in it`,
            hkl(text),
            new RegExp(`it is a list of .*${name}.*: export h k l .*allowed: h k l F`),
          ] as const,
      ),
      ['blank lines alone', hkl('\n'.repeat(5000)), /contains no reflection/],
      [
        'a second twin of HKLF 5',
        hkl('h k l I sigma batch\n1 0 0 100 1 1\n2 0 0 64 1 -2\n'),
        /batch = -2 is not allowed; allowed: 1: one crystal, no twin and one scale/,
      ],
      ['one batch', hkl('h k l I sigma batch\n1 0 0 100 1 1\n2 0 0 64 1 1\n'), /"reflections":\[1,0,0,10,2,0,0,8\]/],
      [
        'satellites of a modulation',
        hkl('h k l m I sigma\n1 0 0 0 100 1\n1 0 0 1 64 1\n'),
        /m = 1 is not allowed; allowed: 0: only main reflections/,
      ],
      ['satellites of two modulations', hkl('h k l m n F\n1 0 0 0 1 100\n'), /n = 1 is not allowed; allowed: 0/],
      ['the names of CIF', hkl('h k l F_squared_calc F_squared_meas\n1 0 0 4 9\n'), /"reflections":\[1,0,0,3\]/],
      ['the names of Phenix', hkl('H,K,L,FOBS,SIGFOBS,R-free-flags\n1,0,0,10,1,0\n'), /"reflections":\[1,0,0,10\]/],
      ['four indices of a hexagonal lattice', hkl('h k i l I\n1 0 -1 0 100\n1 1 -2 3 64\n'), /\[1,0,0,10,1,1,3,8\]/],
      [
        'four indices that are not of one reflection',
        hkl('h k i l F\n1 0 1 0 100\n'),
        /i = 1 is not allowed; allowed: -\(h \+ k\)/,
      ],
      [
        'one of several equivalent reflections',
        hkl('h k l d-spacing F^2 multiplicity\n1 0 0 5.4 100 6\n'),
        /multiplicity = 6 is not allowed; allowed: 1: one reflection per line/,
      ],
      ['each of its reflections', hkl('h k l d-spacing F^2 multiplicity\n1 0 0 5.4 100 1\n'), /\[1,0,0,10\]/],
      [
        'calculated values and phases',
        hkl('h k l Fobs sigF Fcalc phase sin(theta)/lambda\n1 0 0 5 1 6 90 1\n'),
        /\[1,0,0,5\]/,
      ],
      ['a column of unknown meaning', hkl('h k l F foo\n1 0 0 5 1\n'), /has the unknown column \\"foo\\"/],
      // Weighted mean of the two intensities: (100 / 1 + 200 / 4) / (1 + 1 / 4) = 120.
      [
        'observations of HKLF 4',
        hkl('h k l I sigma\n1 0 0 100 1\n1 0 0 200 2\n'),
        /"reflections":\[1,0,0,10\.954451\d*\],"notes":\["1 lines repeat a reflection: .* weighted by 1\/sigma²/,
      ],
      [
        'two amplitudes of one reflection',
        hkl('h k l F sigma\n1 0 0 10 1\n1 0 0 20 2\n'),
        /1 0 0 has F = 20, but F = 10/,
      ],
      ['observations of one reflection', xds([], ['1 0 0 100 1', '1 0 0 400 2']), /\[1,0,0,12\.649\d*,-1,0,0,12\.649/],
      [
        'a space group',
        xds(['!SPACE_GROUP_NUMBER=19'], ['1 0 0 100 1']),
        /space group is 19, but no symmetry is applied/,
      ],
      [
        'unique reflections',
        hkl(
          '!FORMAT=XDS_ASCII MERGE=TRUE\n!ITEM_H=1\n!ITEM_K=2\n!ITEM_L=3\n!ITEM_IOBS=4\n!SPACE_GROUP_NUMBER=19\n!END_OF_HEADER\n1 0 0 4',
        ),
        /SPACE_GROUP_NUMBER=19 with MERGE=TRUE/,
      ],
      [
        'fewer values than a record has',
        xds(['!NUMBER_OF_ITEMS_IN_EACH_DATA_RECORD=6'], ['1 0 0 100 1']),
        /has 5 values; allowed: 6/,
      ],
      [
        'intensities before correction',
        hkl('!OUTPUT_FILE=INTEGRATE.HKL\n!H,K,L,IOBS,SIGMA\n1 2 3 4 1'),
        /with uncorrected intensities; allowed: XDS_ASCII\.HKL/,
      ],
      [
        'differences of Friedel mates',
        hkl('h k l F(+) SIGF(+) F(-) SIGF(-)\n1 2 3 4 1 5 1'),
        /has 2 values; allowed: one of F or I/,
      ],
      [
        'Friedel mates that are equal by its header',
        xds([], ['1 0 0 100 1', '-1 0 0 64 1']),
        /"reflections":\[1,0,0,9\.055\d*,-1,0,0,9\.055\d*\]/,
      ],
      [
        'merged Friedel mates that differ',
        hkl(
          "!FORMAT=XDS_ASCII MERGE=TRUE FRIEDEL'S_LAW=TRUE\n!ITEM_H=1\n!ITEM_K=2\n!ITEM_L=3\n!ITEM_IOBS=4\n!END_OF_HEADER\n1 0 0 100\n-1 0 0 64\n!END_OF_DATA",
        ),
        /-1 0 0 has F = 8, but F = 10 in line 7/,
      ],
      ['the name of a file of XSCALE', xds(['!OUTPUT_FILE=lyso.ahkl'], ['1 0 0 100 1']), /"reflections":\[1,0,0,10,/],
      [
        'numbers of HKLF 4 that touch',
        hkl(
          'h k l I sigma\n -10 -12-100 1234.56    1.00\n   1   0   0   64.00    1.00\n   1   0   199999.99  123.45\n',
        ),
        /"reflections":\[-10,-12,-100,35\.13\d*,1,0,0,8,1,0,1,316\.2277\d*\]/,
      ],
      [
        'an intensity of HKLF 4 that touches its index and has no decimals',
        hkl('h k l I\n   1   0   012345.00\n'),
        /"reflections":\[1,0,0,111\.10\d*\]/,
      ],
      [
        'batches of HKLF 4 that no header names',
        hkl('h k l I sigma\n -10 -12-100 1234.56    1.00   2\n'),
        /has 6 values; allowed: 5/,
      ],
      [
        'text after the end of HKLF 4',
        hkl('h k l I sigma\n   1   0   0  100.00    1.00\n   0   0   0    0.00    0.00\n\nTITL x\n_exptl_absorpt 1\n'),
        /"reflections":\[1,0,0,10\],"notes":\["Line 3, 0 0 0 without a value, ends the list/,
      ],
      ['the end of HKLF 4', hkl('h k l I sigma\n1 0 0 100 1\n0 0 0 0 0\n'), /"reflections":\[1,0,0,10\],"notes":\[\]/],
      [
        'a reflection 0 0 0 of no intensity amid others',
        hkl('h k l I sigma\n-1 0 0 100 1\n0 0 0 0 0\n1 0 0 100 1\n'),
        /"reflections":\[-1,0,0,10,0,0,0,0,1,0,0,10\]/,
      ],
      [
        'the numbers of HKLF 4 between single spaces',
        hkl('1 2 3 400 2\n1 2 4 1 1\n'),
        /^\{"ok":false,"faults":\[\{"line":1,"message":"[^}]*no header says whether the fourth is F or I[^}]*HKLF 4[^}]*\}\]\}$/,
      ],
      [
        'the fixed columns of HKLF 4 without a header',
        hkl('   1   2   3  400.00    2.00   1\n   1   0   0   64.00    1.00   1\n   0   0   0    0.00    0.00   0\n'),
        /"reflections":\[1,2,3,20,1,0,0,8\],"notes":\["Its fixed columns are read as SHELX HKLF 4: the fourth value is F²/,
      ],
      [
        'a twin in the fixed columns of HKLF 5',
        hkl('   1   2   3  400.00    2.00  -2\n   1   0   0   64.00    1.00   1\n'),
        /batch = -2 is not allowed; allowed: 1/,
      ],
      [
        'an XDS_ASCII that is cut',
        hkl(
          '!FORMAT=XDS_ASCII MERGE=FALSE\n!ITEM_H=1\n!ITEM_K=2\n!ITEM_L=3\n!ITEM_IOBS=4\n!END_OF_HEADER\n1 0 0 100\n',
        ),
        /"line":8,"message":"its XDS_ASCII list has no !END_OF_DATA and may be truncated/,
      ],
    ],
  ],
  [
    'depth doses',
    [
      ['LET averaged by dose', curve('depth_mm,dose_averaged_LET_keV_um\n1,2\n2,3\n'), /has no dose; allowed/],
      ['a rate', curve('depth_mm,dose_rate_Gy_min\n1,2\n2,3\n'), /has no dose/],
      ['a dose weighted by biology', curve('depth_mm,biological dose\n1,2\n2,3\n'), /has no dose/],
      ['a dose next to a weighted one', curve('depth_mm,RBE_dose,dose\n1,9,2\n2,9,3\n'), /"dose":\[2,3\]/],
      ...[
        ...[
          'mean_energy_MeV',
          'stopping_power',
          'RSP',
          'survival_fraction',
          'kerma',
          'charge_state',
          'LET',
          'energy (MeV)',
        ],
        ...['oxygen_%', 'signal to noise', 'W'],
      ].map(
        (name) =>
          [`depths of ${name}`, curve(`depth_mm,${name}\n1,2\n2,3\n`), /has no dose; allowed: dose \(/] as const,
      ),
      ...['dose_mean_lineal_energy', 'dose_gradient', 'dose enhancement factor'].map(
        (name) =>
          [
            `depths of ${name}`,
            curve(`depth_mm,${name}\n1,2\n2,3\n`),
            /contains a word that does not belong to a dose; allowed: dose/,
          ] as const,
      ),
      ...['x_mm', 'r_mm', 'crossline (mm)', 'off-axis distance (mm)', 'radius_mm', 'position [mm]', 'y (mm)'].map(
        (name) =>
          [
            `a profile along ${name}`,
            curve(`${name},dose_Gy\n1,2\n2,3\n`),
            /has no depth; allowed: depth or z/,
          ] as const,
      ),
      ...[
        ...[
          'PDD',
          'IDD',
          'D',
          'D (Gy)',
          '%',
          'PDD [%]',
          'Energy Deposit',
          'edep_MeV',
          'EnergyDeposit',
          'charge_nC',
          'Gy',
        ],
        ...[
          'ionization',
          'signal',
          'Depth dose',
          'relative dose (%)',
          'Dosis',
          'DoseToWater',
          'dose_MeV_per_mm_per_proton',
        ],
      ].map((name) => [`a dose named ${name}`, curve(`Tiefe (mm);${name}\n1;2\n2;3\n`), /"dose":\[2,3\]/] as const),
      ...[
        'Dose equivalent [pSv/source]',
        'Flux [MeV/cm^2/source]',
        'Dose-averaged LET [keV/um]',
        'Dose [pSv/source]',
      ].map(
        (quantity) =>
          [
            `PHITS with ${quantity}`,
            curve(`x: z [cm]\ny: ${quantity}\n#  z-lower  z-upper  all  r.err\n0 1 1 0.1\n1 2 2 0.1\n`),
            /its quantity is .*; allowed: dose, heat or deposited energy in Gy/,
          ] as const,
      ),
      ...['Dose [Gy/source]', 'Heat [MeV/cm^3/source]', 'Deposit energy [MeV/source]'].map(
        (quantity) =>
          [
            `PHITS with ${quantity}`,
            curve(`x: z [cm]\ny: ${quantity}\n#  z-lower  z-upper  all  r.err\n0 1 1 0.1\n1 2 2 0.1\n`),
            /"depth_mm":\[5,15\],"dose":\[1,2\]/,
          ] as const,
      ),
      ['fluence', curve('depth_mm,fluence\n1,2\n2,3\n'), /has no dose/],
      ['names after #', curve('# depth_cm dose_Gy\n1 2\n2 3\n'), /"depth_mm":\[10,20\],"dose":\[2,3\],"unit":"Gy"/],
      [
        'names of three columns after #',
        curve('# depth_cm sigma dose\n1 9 2\n2 9 3\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\]/,
      ],
      ['another quantity after #', curve('# depth_mm mean_energy_MeV\n1 2\n2 3\n'), /has no dose; allowed: dose/],
      ['a profile after #', curve('# x_mm,dose_Gy\n1,2\n2,3\n'), /has no depth; allowed: depth or z/],
      [
        'names after the comment of MATLAB',
        curve('% depth_cm dose_Gy\n1 2\n2 3\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\]/,
      ],
      ['comments of C', curve('// water\ndepth_mm,dose\n1,2\n2,3\n'), /"depth_mm":\[1,2\],"dose":\[2,3\]/],
      [
        'units in words',
        curve('# depth in cm, dose in Gy\n1,2\n2,3\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\],"unit":"Gy"/,
      ],
      [
        'a document of JSON',
        curve('{"depth_mm":[1,2],"dose":[2,3]}'),
        /it is JSON; allowed: a table of depth and dose/,
      ],
      [
        'a unit in a comment',
        curve('# depth unit: cm\ndepth,dose\n1,2\n2,3\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\],"unit":null,"depthUnit":"cm"/,
      ],
      [
        'another unit in a comment than in its column',
        curve('# depths in cm\ndepth_mm,dose\n1,2\n2,3\n'),
        /"line":2,"message":"the depth is in mm, and in cm by the comment in line 1; allowed: one unit"/,
      ],
      [
        'an ionization next to its time',
        curve('depth_mm,ionization_nC,time_s\n1,2,5\n2,3,6\n'),
        /"ionization_nC\\" is next to \\"time_s\\", by which it may have to be divided/,
      ],
      ...[
        '1/dose',
        'dose (10^-2 Gy)',
        'dose^2',
        'dose²',
        '1-dose',
        '-dose',
        'dose x1000',
        'dose [1e-3 Gy]',
        'dose_to_bone',
        'neutron_dose',
        'H*(10) dose',
        'entrance dose',
      ].map(
        (name) =>
          [
            `depths of ${name}`,
            curve(`depth_mm,${name}\n1,2\n2,3\n`),
            /contains a word that does not belong to a dose|has no dose/,
          ] as const,
      ),
      ...['PMMA', 'tissue', 'material'].flatMap((matter) =>
        [`depth_${matter}_mm`, `depth in ${matter} [mm]`, `depth [mm] in ${matter}`].map(
          (name) =>
            [
              `depths in ${name}`,
              () => [readOneCurve(fallingDoseFile(name), null), readCurve(fallingDoseFile(name), null)],
              new RegExp(
                `^\\[\\{"ok":false,.*its depths are in ${matter.toLowerCase()}, but the fit is in water; allowed: .*"ok":true`,
              ),
            ] as const,
        ),
      ),
      [
        'depths in PMMA by a comment',
        () => readOneCurve(`# depths in PMMA\n${fallingDoseFile('depth_mm')}`, null),
        /its depths are in PMMA, but the fit is in water/,
      ],
      [
        'depths in water by a comment and a column',
        () => readOneCurve(`# phantom: water\n${fallingDoseFile('depth in water [mm]')}`, null),
        /"ok":true/,
      ],
      ...[
        ['depth_mm,dose\ncm,Gy\n1,2\n2,3\n', 'depth_mm \\(cm\\)', 'mm and cm'],
        ['depth_mm [cm],dose\n1,2\n2,3\n', 'depth_mm \\[cm\\]', 'mm and cm'],
        ['depth,dose_Gy\ncm,cGy\n1,2\n2,3\n', 'dose_Gy \\(cGy\\)', 'gy and cgy'],
      ].map(
        ([text = '', name, units]) =>
          [
            `two units in ${name}`,
            curve(text),
            new RegExp(`${name}\\\\" has the units ${units}; allowed: one unit`),
          ] as const,
      ),
      [
        'one unit in two lines',
        curve('depth_mm,dose\nmm,Gy\n1,2\n2,3\n'),
        /"depth_mm":\[1,2\],"dose":\[2,3\],"unit":"Gy"/,
      ],
      ...[
        ...[
          'background',
          'bg',
          'dark current',
          'kTP',
          'k_pol',
          'gain',
          'range',
          'depth_offset_mm',
          'correction factor',
        ],
        'scale',
      ].map(
        (name) =>
          [
            `a reading next to ${name}`,
            curve(`depth_mm,reading,${name}\n1,2,5\n2,3,5\n`),
            new RegExp(
              `the column \\\\"${name}\\\\" would change the depth or the dose; allowed: values with the change`,
            ),
          ] as const,
      ),
      [
        'a charge next to its time',
        curve('depth_mm,charge,time_s\n1,2,5\n2,3,6\n'),
        /"charge\\" is next to \\"time_s\\", by which it may have to be divided/,
      ],
      [
        'a place across the beam that changes',
        curve('depth_mm,x_mm,dose\n1,0,2\n2,3,3\n'),
        /"line":3,"message":"\\"x_mm\\" is 3, but 0 in the first row; allowed: one lateral position/,
      ],
      [
        'a place across the beam',
        curve('depth_mm,x_mm,dose\n1,0,2\n2,0.0,3\n'),
        /"dose":\[2,3\].*"notes":\["Its column \\"x_mm\\" is ignored"\]/,
      ],
      [
        'columns that change nothing',
        curve('time_s,depth_mm,dose,sigma,valid\n1,1,2,9,1\n2,2,3,9,1\n'),
        /"dose":\[2,3\].*"notes":\["Its columns \\"time_s\\", \\"valid\\" are ignored"\]/,
      ],
      [
        'an offset next to its dose',
        curve('depth_mm,dose,dose_offset\n1,2,5\n2,3,5\n'),
        /the column \\"dose_offset\\" would change the depth or the dose/,
      ],
      [
        'an ignored column, for gamma',
        () => {
          const file = path.join(folder, 'ignored.csv');
          writeFileSync(file, fallingDoseFile('depth_mm').replaceAll('\n', ',1\n').replace('dose,1', 'dose,valid'));
          return readDoseFile(file, {}, null);
        },
        /"kind":"curve".*"notes":\["Its column \\"valid\\" is ignored"\]/,
      ],
      ['an error of the dose', curve('depth_mm,dose,dose_error\n1,2,9\n2,3,9\n'), /"dose":\[2,3\].*"notes":\[\]/],
      ...['dose_mean_energy', 'dose_energy_mean', 'edep_mean_energy'].map(
        (name) =>
          [
            `depths of ${name}`,
            curve(`depth_mm,${name}\n1,2\n2,3\n`),
            /contains a word that does not belong to a dose|has no dose/,
          ] as const,
      ),
      ['a mean of deposited energy', curve('depth_mm,mean energy deposit\n1,2\n2,3\n'), /"dose":\[2,3\]/],
      ...['N. of Z intervals  3', 'N.of z-intervals 3'].map(
        (count) =>
          [
            `FLUKA cut after two of ${count}`,
            curve(` # Detector n:   1  EnDep\n # ${count}\n 0 1 2 1\n 1 2 3 1\n`),
            /"line":2,"message":"it has 2 lines of bins; allowed: 3, its N\. of intervals/,
          ] as const,
      ),
      ...[
        ['nz = 3', 'it has 2 lines of bins; allowed: 3, its nz'],
        ['nx = 4', 'its nx is 4, but it has one column of bins; allowed: 1'],
        ['zmin = -1.', 'its bins reach 0; allowed: -1, its zmin'],
        ['zmax = 5.', 'its bins reach 2; allowed: 5, its zmax'],
        ['trcl = 1', 'its header contains .*trcl = 1.*; allowed: 0: no transformation of the mesh'],
        ['trcl = 0\n nz = 2\n nx = 1\n zmin = 0.\n zmax = 2.', '"depth_mm":\\[5,15\\],"dose":\\[1,2\\]'],
      ].map(
        ([mesh, answer = '']) =>
          [
            `PHITS with ${mesh}`,
            curve(
              `[ T - Deposit ]\n ${mesh}\nx: z [cm]\ny: Dose [Gy/source]\n#  z-lower  z-upper  all  r.err\n0 1 1 0.1\n1 2 2 0.1\n`,
            ),
            new RegExp(answer),
          ] as const,
      ),
      [
        'reversed bins of TOPAS',
        curve('# Z in 2 bins of 1 cm\n# DoseToMedium ( Gy ) : Sum\n0, 0, 1, 1\n0, 0, 0, 2\n'.replaceAll('0, 0, ', '')),
        /its line is for bin 1, but bin 0 is expected; allowed: bins in order from 0 to 1/,
      ],
      ['edges of bins', curve('z_low_mm,z_high_mm,dose\n0,1,2\n1,2,3\n'), /has no depth; allowed: depth or z/],
      ['prose after #', curve('# a depth dose in water\n1 2\n2 3\n'), /"depth_mm":\[1,2\]/],
      ['depths of water equivalence', curve('Depth [mm H2O],Dose\n1,2\n2,3\n'), /is in mm H2O; allowed: mm, cm, m/],
      [
        'apostrophes between thousands',
        curve("depth_mm;dose\n1;1'200\n2;1'300\n"),
        /the dose \\"1'200\\" is not a number/,
      ],
      [
        'exponents without an E, as Fortran writes them',
        fluka(' 0.0 1.0 1.0000-103 1.0\n 1.0 2.0 3.0D+01 1.0\n'),
        /"dose":\[1e-103,30\]/,
      ],
      ['an exponent of two digits without an E', fluka(' 0.0 1.0 1.0-10 1.0\n'), /is not 4 numbers/],
      [
        'decimal commas in quotes',
        curve('"depth_mm","dose"\n"1,5","2,5"\n"2,5","3"\n'),
        /the depth \\"1,5\\" is not a number; allowed: a decimal point \(or ; between columns\)/,
      ],
      ['decimal commas between commas', curve('depth_mm,dose\n1,5,2,5\n2,5,3,5\n'), /4 values; allowed: 2/],
      [
        'a second curve below',
        curve('depth_mm,dose\n0,1\n1,2\n\ndepth_mm,dose\n0,1\n'),
        /the depth \\"depth_mm\\" is not a number/,
      ],
      ['a last line that is cut', curve('depth_mm,dose\n1,2\n2,3\n3,'), /the dose \\"\\" is not a number/],
      ['a scan of W2CAD', curve('$NUMS 001\n$STOM\n< +000.0 +000.0 +000.0 +100.0>\n'), /has no depth/],
      ['a scan of a PTW tank', curve('BEGIN_SCAN_DATA\n\tFORMAT=CC-Export V1.9\n'), /has no depth/],
      ['a histogram of Geant4', curve('#class tools::histo::h1d\nentries,Sw,Sw2\n0,0,0\n'), /has no depth/],
      [
        'a bin that is not a number',
        curve(
          '# X in 1 bin of 20 cm\n# Y in 1 bin of 20 cm\n# Z in 2 bins of 5 mm\n# DoseToMedium ( Gy ) : Sum\n0, 0, 0, 2\n0, 0, 1, nan\n',
        ),
        /is not 4 numbers, as its header specifies/,
      ],
      ["Excel's separator", curve('sep=;\ndepth_mm;dose\n1;2\n2;3\n'), /"ok":true/],
      [
        'units on a line of their own',
        curve('depth,dose\ncm,Gy\n1,2\n2,3\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\],"unit":"Gy","depthUnit":"cm"/,
      ],
      [
        'units in brackets on a line of their own',
        curve('Tiefe;Fehler;Dosis\n[cm];;[%]\n1;9;2\n2;9;3\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\],"unit":null/,
      ],
      [
        'units of inches on a line of their own',
        curve('depth,dose\ninch,mm\n1,2\n2,3\n'),
        /the depth \\"depth \(inch\)\\" is in inch; allowed: mm, cm, m/,
      ],
      [
        'units after spaces',
        curve('Depth (cm) Dose (Gy)\n1 2\n2 3\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\],"unit":"Gy"/,
      ],
      [
        'names of several words between spaces',
        curve('depth_mm relative dose\n1 2\n2 3\n'),
        /2 values; allowed: 3, as in the first line \(names with spaces need commas, tabs or quotes\)/,
      ],
      [
        'names with commas in quotes',
        curve('"Depth, cm","Dose, relative","sigma, %"\n1,2,9\n2,3,9\n'),
        /"depth_mm":\[10,20\],"dose":\[2,3\]/,
      ],
      ...[
        ...['dose_primary_Gy', 'dose primary protons', 'dose_protons', 'Dose (secondary)', 'Dose [pSv]'],
        ...['dose per 100 MU per field'],
      ].map(
        (name) =>
          [
            `a part of the dose: ${name}`,
            curve(`depth_mm,${name}\n1,2\n2,3\n`),
            /contains a word that does not belong to a dose; allowed: dose/,
          ] as const,
      ),
      ...[
        ...['dose_Gy_per_primary', 'dose per incident proton', 'Dose [Gy/source]', 'IDD (MeV cm²/g per 1e9 protons)'],
        ...['Dose [Gy/MU]', 'Dose (a.u.)', 'Ionization [nC]', 'signal/reference', 'Dose, %', 'dose/Gy'],
      ].map(
        (name) =>
          [
            `a dose of a scale: ${name}`,
            curve(`depth_mm;${name}\n1;2\n2;3\n`),
            /"depth_mm":\[1,2\],"dose":\[2,3\]/,
          ] as const,
      ),
      ['depths that count backwards', curve('-depth_mm,dose\n1,2\n2,3\n'), /has no depth; allowed/],
      ['a share of another column', curve('depth_mm,kerma,%\n1,2,9\n2,3,9\n'), /has no dose; allowed/],
      ['a depth in place of a dose', curve('depth_mm,d_mm\n1,2\n2,3\n'), /has no dose; allowed/],
      ['the charge of particles', curve('depth_mm,particle_charge\n1,2\n2,3\n'), /has no dose; allowed/],
      [
        'a signal next to its reference',
        curve('depth_mm,signal,reference\n1,2,5\n2,3,5\n'),
        /"signal\\" is next to \\"reference\\", by which it may have to be divided; allowed: only a column with their ratio/,
      ],
      ['a dose next to a reference', curve('depth_mm,dose,reference_dose\n1,2,5\n2,3,5\n'), /"dose":\[2,3\]|one dose/],
      [
        'points in air before the surface',
        curve('depth_mm,dose\n-5,1\n0,2\n5,3\n'),
        /the depth -5 is before the surface; allowed: depths of 0 and more/,
      ],
      [
        'bins before the surface',
        fluka(' -1.0 0.0 1.0 1.0\n 0.0 1.0 2.0 1.0\n'),
        /its bin at -0\.5 is before the surface/,
      ],
      ...[
        ['proton alone', '', 'proton'],
        ['protons and neutrons', '', 'proton  r.err  neutron'],
        ['one particle in its echo', 'part = proton\n', 'all'],
        ['one material', 'material = 1\n', 'all'],
        ['a function of the stopping power', 'dedxfnc = 1 # user\n', 'all'],
        ['the stopping power of a material', 'letmat = 1\n', 'all'],
        ['counters', 'ctmin(1) = 1\n', 'all'],
        ['a multiplier', 'multiplier = all\n', 'all'],
        ['another output', 'output = kerma\n', 'all'],
      ].map(
        ([what, echo, column = '']) =>
          [
            `PHITS with ${what}`,
            curve(
              `[ T - Deposit ]\n${echo}x: z [cm]\ny: Dose [Gy/source]\n#  z-lower  z-upper  ${column}  r.err\n0 1 1 0.1${' 1 0.1'.repeat(column.split('r.err').length - 1)}\n`,
            ),
            /its header contains .*; allowed: |it has columns of proton.*; allowed: a column for all particles/,
          ] as const,
      ),
      [
        'PHITS with all it may state',
        curve(
          'part = all # (D=all)\nmaterial = all\ndedxfnc = 0\noutput = dose # total\nx: z [cm]\ny: Dose [Gy/source]\n#  z-lower  z-upper  proton  r.err  all  r.err\n0 1 1 0.1 4 0.1\n1 2 2 0.1 5 0.1\n',
        ),
        /"depth_mm":\[5,15\],"dose":\[4,5\]/,
      ],
      [
        'PHITS without its quantity',
        curve('x: z [cm]\n#  z-lower  z-upper  all  r.err\n0 1 1 0.1\n1 2 2 0.1\n'),
        /its quantity is missing \(no line y:\); allowed/,
      ],
      ['percent signs', curve('depth_mm,dose\n1,20%\n2,30%\n'), /the dose \\"20%\\" is not a number/],
      ['two doses', curve('depth_mm,dose_a,dose_b\n1,2,3\n2,3,4\n'), /allowed: one dose/],
      ['thousands', curve('depth_mm,dose\n1,"1,200"\n2,"1,300"\n'), /the dose \\"1,200\\" is not a number/],
      [
        'a filtered scorer of TOPAS',
        curve(
          '# Z in 2 bins of 1 cm\n# Filtered by: OnlyIncludeParticlesNamed proton\n# DoseToMedium ( Gy ) : Sum\n0, 0, 0, 1\n',
        ),
        /Filtered by.*allowed: absent: doses for all particles/,
      ],
      [
        'a box of GATE of another size',
        curve('# Matrix Size= (1,1,9)\n# Resol = (1,1,2)\n# VoxelSize = (1,1,2)\n1\n2\n'),
        /Matrix Size is 9 mm; allowed: 4/,
      ],
      [
        'protons alone of SHIELD-HIT12A',
        curve('# DETECTOR OUTPUT A\n# Z BIN: 2\n# JPART: 2 DETECTOR TYPE: DOSE\n0 0 1 2\n'),
        /JPART: 2.*allowed: -1/,
      ],
    ],
  ],
  [
    'dose maps',
    [
      ['decimal commas between semicolons', doseMap(MAP_HEAD.replaceAll(',', ';'), ';'), MAP],
      ['tabs', doseMap(MAP_HEAD.replaceAll(',', '\t'), '\t'), MAP],
      ['line ends of a Mac', doseMap(MAP_HEAD, ',', '\r'), MAP],
      [
        'a factor in a comment',
        doseMap(`# scale factor: 2\n${MAP_HEAD}`),
        /"dose":\[1,2,3,4\].*"notes":\["Its comment \\"scale factor: 2\\" is not applied/,
      ],
      [
        'a factor of Gy in a comment',
        doseMap(`# scale factor: 2\n${MAP_HEAD.replaceAll('dose_', 'dose_Gy_')}`),
        /^refused: .*line 1: its comment "scale factor: 2" would change the dose; allowed: values with it applied/,
      ],
      [
        'a background in a comment',
        doseMap(`# background = 0.5\n${MAP_HEAD}`),
        /^refused: .*line 1: its comment "background = 0\.5" would change the depth or the dose/,
      ],
      ...['-999', '-9999.0', '9999', '99999.99'].map(
        (mark) =>
          [
            `the mark ${mark} for a missing value`,
            doseMap(MAP_HEAD, ',', '\n', mark),
            /^refused: .*value 4 is -?9+(\.9+)?, a mark for a missing value; allowed: doses of 0 and more/,
          ] as const,
      ),
      [
        'a large negative value, as outside of a resampled grid',
        doseMap(MAP_HEAD, ',', '\n', '-1000'),
        /^refused: .*value 4 is -1000, a negative dose; allowed: doses of 0 and more/,
      ],
      [
        'places in centimetres',
        doseMap(MAP_HEAD.replaceAll('5_mm', '5_cm')),
        /^refused: .*allowed: depth_mm, then one quantity at each x, as in dose_at_x_-1\.5_mm/,
      ],
    ],
  ],
  [
    'lists of spots',
    [
      [
        'decimal commas between semicolons',
        spots('energy_MeV;x_mm;weight\n100,5;-2,5;1\n'),
        /"value":\[\{"energy_MeV":100\.5,"x_mm":-2\.5,"weight":1\}\]/,
      ],
      ['tabs', spots('energy_MeV\tx_mm\n100,5\t0\n'), /"value":\[\{"energy_MeV":100\.5,"x_mm":0,/],
      [
        'a weight below zero',
        spots('energy_MeV,x_mm,weight\n100,0,-1\n'),
        /"line":2.*"message":"weight: -1: is too small; allowed: >= 0"/,
      ],
      ['values in quotes', spots('"energy_MeV","x_mm"\n"100","-2.5"\n'), /"value":\[\{"energy_MeV":100,"x_mm":-2\.5,/],
      [
        'comments with commas',
        spots('# energies, places\nenergy_MeV,x_mm,weight\n# one, two\n100,0,1\n\n120,5,2\n'),
        /"value":\[\{"energy_MeV":100,"x_mm":0,"weight":1\},\{"energy_MeV":120,"x_mm":5,"weight":2\}\]/,
      ],
      [
        'a row without its weight',
        spots('energy_MeV,x_mm,weight\n100,0,1\n40,5\n'),
        /"line":3,.*"message":"2 values; allowed: 3, the number of columns in the first line \(leave an empty value blank between commas\)/,
      ],
      [
        'energies in other units',
        spots('energy_keV,x_mm\n100,0\n'),
        /the column .*energy_keV.* is not known \(did you mean energy_MeV\?\)/,
      ],
    ],
  ],
]);
