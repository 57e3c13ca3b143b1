/**
 * Depth doses as Monte Carlo codes write them: binned along one axis, with what the bins are in comments. Read are TOPAS
 * (scorers as CSV), GATE (actors as text) and FLUKA (plot files of usxsuw and usbsuw). So are PHITS (tallies for ANGEL)
 * and SHIELD-HIT12A (text of bdo2txt and of pymchelper).
 */

export interface BinnedTable {
  /** Centres of the bins in `unit`, and line numbers of each. */
  readonly depths: readonly number[];
  readonly doses: readonly number[];
  readonly lines: readonly number[];
  /** Unit of depth; null where the file states none. */
  readonly depthUnit: string | null;
  /** Unit of the values. */
  readonly unit: string | null;
}

interface BinnedFault {
  readonly line: number;
  readonly message: string;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

type Read = (lines: readonly Line[]) => BinnedTable | BinnedFault;

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`;
const NUMBERS = new RegExp(String.raw`^\s*${NUMBER}(?:[\s,]+${NUMBER})*[\s,]*$`);

const isComment = ({ text }: Line): boolean => text.trimStart().startsWith('#');
const numbersIn = (text: string): readonly number[] =>
  NUMBERS.test(text)
    ? text
        .trim()
        .split(/[\s,]+/)
        .filter((word) => word !== '')
        .map(Number)
    : [];

/** Parses rows of numbers; returns an error for any other line. */
function rowsOf(lines: readonly Line[], columns: number) {
  const rows: { readonly line: number; readonly values: readonly number[] }[] = [];
  for (const line of lines) {
    if (line.text.trim() === '' || isComment(line)) continue;
    const values = numbersIn(line.text);
    if (values.length !== columns || !values.every(Number.isFinite)) {
      const shown = JSON.stringify(line.text.trim().slice(0, 40));
      return { line: line.number, message: `${shown} is not ${columns} numbers, as its header announces` };
    }
    rows.push({ line: line.number, values });
  }
  return rows;
}

interface Bins {
  readonly axis: string;
  readonly count: number;
  readonly size: number;
  readonly unit: string;
}

/** Bins of radius, angle, energy or time are none of depth. */
const isLength = (axis: string): boolean => /^[xyz]$/i.test(axis);
const noDepth = (line: number, axis: string): BinnedFault => ({
  line,
  message: `its bins are along ${axis}: no depth dose; allowed: bins along x, y or z`,
});

/** The only axis with several bins. */
function depthBins(bins: readonly Bins[], line: number): { readonly at: number; readonly bins: Bins } | BinnedFault {
  const several = bins.flatMap((one, at) => (one.count > 1 ? [{ at, bins: one }] : []));
  const [first] = several;
  if (first !== undefined && several.length === 1)
    return isLength(first.bins.axis) ? first : noDepth(line, first.bins.axis);
  const counts = bins.map(({ axis, count }) => `${count} along ${axis}`).join(', ');
  return { line, message: `it has bins of ${counts}: no depth dose; allowed: several bins along one axis` };
}

const TOPAS_BINS = /^\s*#\s*(\S+) in (\d+) bins?\s+of\s+(\S+)\s+(\S+)/;
const TOPAS_QUANTITY = /^\s*#\s*([\w^]+)\s*(?:\(\s*(.*?)\s*\))?\s*:\s*(.+)$/;
/** Scorers of deposited energy. Others score fluence, LET or charge along the same bins. */
const TOPAS_DOSES = /^(dose(to\w+)?|energydeposit\w*)$/i;

const topas: Read = (lines) => {
  const heads = lines.filter(isComment);
  const bins = heads.flatMap(({ text }) => {
    const [, axis = '', count, size, unit = ''] = TOPAS_BINS.exec(text) ?? [];
    return count === undefined ? [] : [{ axis, count: Number(count), size: Number(size), unit }];
  });
  const binLine = heads.find(({ text }) => TOPAS_BINS.test(text))?.number ?? 1;
  const depth = depthBins(bins, binLine);
  if ('message' in depth) return depth;
  const quantity = heads.findLast(({ text, number }) => number > binLine && TOPAS_QUANTITY.test(text));
  const [, scored = '', unit = '', names = ''] = TOPAS_QUANTITY.exec(quantity?.text ?? '') ?? [];
  if (scored !== '' && !TOPAS_DOSES.test(scored)) {
    const allowed = 'DoseToMedium, DoseToWater, DoseToMaterial, EnergyDeposit';
    return { line: quantity?.number ?? binLine, message: `its quantity is ${scored}; allowed: ${allowed}` };
  }
  const columns = names.trim().split(/\s+/);
  const value = ['Sum', 'Mean'].map((name) => columns.indexOf(name)).find((at) => at >= 0);
  if (value === undefined) {
    return {
      line: quantity?.number ?? binLine,
      message: `it reports ${names.trim() || 'nothing'}; allowed: Sum or Mean among its columns`,
    };
  }
  const rows = rowsOf(lines, bins.length + columns.length);
  if ('message' in rows) return rows;
  const wrong = rows.find(({ values }, i) => values[depth.at] !== i);
  if (wrong !== undefined || rows.length !== depth.bins.count) {
    const line = wrong?.line ?? rows.at(-1)?.line ?? binLine;
    return { line, message: `it has ${rows.length} lines of bins; allowed: ${depth.bins.count}, from 0 on` };
  }
  return {
    depths: rows.map((_, i) => (i + 0.5) * depth.bins.size),
    doses: rows.map(({ values }) => values[bins.length + value] ?? Number.NaN),
    lines: rows.map(({ line }) => line),
    depthUnit: depth.bins.unit,
    unit: unit === '' ? null : unit,
  };
};

const GATE_BINS = /^\s*#\s*Resol\s*=\s*\(([^)]*)\)/;
const GATE_SIZE = /^\s*#\s*VoxelSize\s*=\s*\(([^)]*)\)/;

/** Lengths of Geant4 are printed in mm. */
const gate: Read = (lines) => {
  const head = lines.find(({ text }) => GATE_BINS.test(text));
  const sizes = lines.find(({ text }) => GATE_SIZE.test(text));
  const line = head?.number ?? 1;
  const counts = (GATE_BINS.exec(head?.text ?? '')?.[1] ?? '').split(',').map(Number);
  const steps = (GATE_SIZE.exec(sizes?.text ?? '')?.[1] ?? '').split(',').map(Number);
  const bins = ['X', 'Y', 'Z'].map((axis, i) => ({ axis, count: counts[i] ?? 0, size: steps[i] ?? 0, unit: 'mm' }));
  const depth = depthBins(bins, line);
  if ('message' in depth) return depth;
  if (!(depth.bins.size > 0)) return { line, message: 'its VoxelSize has no length along the bins; allowed: above 0' };
  const rows: { readonly line: number; readonly value: number }[] = [];
  for (const one of lines) {
    if (isComment(one)) continue;
    rows.push(...numbersIn(one.text).map((value) => ({ line: one.number, value })));
  }
  if (rows.length !== depth.bins.count) {
    return { line, message: `it has ${rows.length} values; allowed: ${depth.bins.count}, as Resol says` };
  }
  return {
    depths: rows.map((_, i) => (i + 0.5) * depth.bins.size),
    doses: rows.map(({ value }) => value),
    lines: rows.map((one) => one.line),
    depthUnit: 'mm',
    unit: null,
  };
};

/** Edges that follow each other may be off by this much of a bin: they are printed with few digits. */
const EDGE = 1e-3;
/** START and END have four digits. */
const PRINTED = 5e-4;

/** Rows of lower edge, upper edge, value. */
function fromEdges(
  rows: readonly { readonly line: number; readonly values: readonly number[] }[],
  value: number,
  depthUnit: string | null,
): BinnedTable | BinnedFault {
  const gap = rows.findIndex(({ values: [low = 0, high = 0] }, i) => {
    const before = rows[i - 1]?.values[1];
    return !(high > low) || (before !== undefined && Math.abs(low - before) > EDGE * (high - low));
  });
  if (gap >= 0) return { line: rows[gap]?.line ?? 1, message: 'its bin does not begin where the one before ends' };
  return {
    depths: rows.map(({ values: [low = 0, high = 0] }) => (low + high) / 2),
    doses: rows.map(({ values }) => values[value] ?? Number.NaN),
    lines: rows.map(({ line }) => line),
    depthUnit,
    unit: null,
  };
}

const FLUKA_DETECTOR = /^\s*#\s*Detector n:/;
const FLUKA_INTERVALS = /^\s*#\s*N\.?\s*of\s+(?:solid\s+)?(\w+)\s+intervals/i;

const fluka: Read = (lines) => {
  const [, second] = lines.filter(({ text }) => FLUKA_DETECTOR.test(text));
  if (second !== undefined) return { line: second.number, message: 'it has several detectors; allowed: one in a file' };
  // Detectors of USRBDX and USRTRACK count by energy, in the same columns.
  const axes = lines.flatMap((line) => {
    const axis = FLUKA_INTERVALS.exec(line.text)?.[1];
    return axis === undefined ? [] : [{ axis, line: line.number }];
  });
  const other = axes.find(({ axis }) => !isLength(axis));
  if (other !== undefined) return noDepth(other.line, other.axis);
  const rows = rowsOf(lines, 4);
  if ('message' in rows) return rows;
  return fromEdges(rows, 2, null);
};

const PHITS_SCORED = /^\s*#?\s*y:\s*(.*\S)\s*$/;
const PHITS_DOSES = /dose|heat|deposit|\[(MeV|Gy|J)\b/i;
const PHITS_HEAD = /^\s*#\s*(\w+)-lower\s+\1-upper\s+(.+)$/;

const phits: Read = (lines) => {
  const heads = lines.filter(({ text }) => PHITS_HEAD.test(text));
  const [head, second] = heads;
  if (second !== undefined) return { line: second.number, message: 'it has several pages; allowed: one in a file' };
  const [, axis = '', names = ''] = PHITS_HEAD.exec(head?.text ?? '') ?? [];
  if (!isLength(axis)) return noDepth(head?.number ?? 1, axis);
  // Tallies of flux have the same columns.
  const scored = lines.find(({ text }) => PHITS_SCORED.test(text));
  const quantity = PHITS_SCORED.exec(scored?.text ?? '')?.[1] ?? '';
  if (quantity !== '' && !PHITS_DOSES.test(quantity)) {
    return {
      line: scored?.number ?? 1,
      message: `its quantity is ${quantity}; allowed: dose, heat or deposited energy`,
    };
  }
  const columns = names.trim().split(/\s+/);
  const values = columns.filter((name) => !/^r\.err$/i.test(name));
  const value = values.length === 1 ? columns.indexOf(values[0] ?? '') : columns.indexOf('all');
  if (value < 0) {
    return { line: head?.number ?? 1, message: `it has columns of ${values.join(', ')}; allowed: one of them, or all` };
  }
  const begin = lines.indexOf(head ?? ({} as Line)) + 1;
  const end = lines.findIndex((line, i) => i >= begin && numbersIn(line.text).length === 0);
  const rows = rowsOf(lines.slice(begin, end < 0 ? undefined : end), 2 + columns.length);
  if ('message' in rows) return rows;
  const unit = lines.map(({ text }) => /^\s*#?\s*x:.*\[(\w+)\]/.exec(text)?.[1]).find((found) => found !== undefined);
  return fromEdges(rows, 2 + value, unit ?? null);
};

const SHIELD_HIT = /^\s*#\s*DETECTOR OUTPUT\b/;
const SHIELD_HIT_BINS = /(\w+)\s+BIN:\s*(\d+)/g;
const SHIELD_HIT_EDGES = /\w+\s+(?:START|END\s*):\s*([-+\d.eEdD]+)/g;
const SHIELD_HIT_TYPE = /DETECTOR TYPE:\s*(\S+)/;
/** Quantities that a depth dose is of. */
const DEPOSITED = /^(dose|dose_?gy|energy|ddd)$/i;

/** Rows of x, y, z, value and perhaps its error; lengths are in cm. */
const shieldHit: Read = (lines) => {
  const heads = lines.filter(isComment);
  const [, second] = heads.filter(({ text }) => SHIELD_HIT.test(text));
  if (second !== undefined) return { line: second.number, message: 'it has several detectors; allowed: one in a file' };
  const lineOf = (mark: RegExp): Line | undefined => heads.find(({ text }) => mark.test(text));
  const [binLine, typeLine] = [lineOf(/BIN:/), lineOf(SHIELD_HIT_TYPE)];
  const line = binLine?.number ?? heads[0]?.number ?? 1;
  const type = SHIELD_HIT_TYPE.exec(typeLine?.text ?? '')?.[1];
  if (type === undefined || !DEPOSITED.test(type)) {
    const allowed = 'DOSE, DOSE_GY, ENERGY, DDD';
    return {
      line: typeLine?.number ?? line,
      message: `its detector type is ${type ?? 'missing'}; allowed: ${allowed}`,
    };
  }
  const edges = (mark: RegExp): readonly number[] =>
    [...(lineOf(mark)?.text ?? '').matchAll(SHIELD_HIT_EDGES)].map(([, text = '']) => Number(text.replace(/d/i, 'e')));
  const [starts, ends] = [edges(/START:/), edges(/END\s*:/)];
  const bins = [...(binLine?.text ?? '').matchAll(SHIELD_HIT_BINS)].map(([, axis = '', count], i) => {
    const size = ((ends[i] ?? Number.NaN) - (starts[i] ?? Number.NaN)) / Number(count);
    return { axis, count: Number(count), size, unit: 'cm' };
  });
  const depth = depthBins(bins, line);
  if ('message' in depth) return depth;
  if (!(depth.bins.size > 0))
    return { line, message: 'its START and END state no length along the bins; allowed: above 0' };
  const first = lines.find((one) => !isComment(one) && one.text.trim() !== '');
  const columns = numbersIn(first?.text ?? '').length;
  const rows = rowsOf(lines, columns === 5 ? 5 : 4);
  if ('message' in rows) return rows;
  const start = starts[depth.at] ?? 0;
  const wrong = rows.find(({ values }, i) => {
    const centre = start + (i + 0.5) * depth.bins.size;
    return Math.abs((values[depth.at] ?? 0) - centre) > EDGE * depth.bins.size + PRINTED * Math.abs(centre);
  });
  if (wrong !== undefined || rows.length !== depth.bins.count) {
    const at = wrong?.line ?? rows.at(-1)?.line ?? line;
    return {
      line: at,
      message: `it has ${rows.length} lines of bins; allowed: ${depth.bins.count} in the order of START and END`,
    };
  }
  return {
    depths: rows.map((_, i) => start + (i + 0.5) * depth.bins.size),
    doses: rows.map(({ values }) => values[3] ?? Number.NaN),
    lines: rows.map((one) => one.line),
    depthUnit: 'cm',
    unit: /gy$/i.test(type) ? 'Gy' : null,
  };
};

const dialects: readonly (readonly [RegExp, Read])[] = [
  [TOPAS_BINS, topas],
  [GATE_BINS, gate],
  [FLUKA_DETECTOR, fluka],
  [PHITS_HEAD, phits],
  [SHIELD_HIT, shieldHit],
];

/** Null if the format is not recognised. */
export function binnedTable(lines: readonly string[]): BinnedTable | BinnedFault | null {
  for (const [mark, read] of dialects) {
    if (lines.some((line) => mark.test(line))) return read(lines.map((text, i) => ({ number: i + 1, text })));
  }
  return null;
}
