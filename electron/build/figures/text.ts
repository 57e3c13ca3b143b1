/** Numbers and tables as documents write them. */

/** Three digits that count. */
export function digits(value: number, count = 3): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(count));
  const places = count - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return value.toFixed(Math.min(20, Math.max(0, places)));
}

const units = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
] as const;

export function seconds(value: number | null): string {
  if (value === null) return '–';
  const [scale, unit] = units.find(([least]) => value >= 0.9995 * least) ?? [1e-9, 'ns'];
  return `${digits(value / scale)} ${unit}`;
}

export const times = (value: number | null): string => (value === null ? '–' : `${digits(value)}×`);

export const percent = (value: number | null): string => (value === null ? '–' : `${digits(100 * value, 2)} %`);

type Align = 'left' | 'right';
const rules = { left: '---', right: '--:' } as const;

/** A Markdown table. A title that begins with `>` is of a column of numbers. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const aligned = titles.map((title): readonly [string, Align] =>
    title.startsWith('>') ? [title.slice(1).trim(), 'right'] : [title, 'left'],
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(aligned.map(([title]) => title)),
    line(aligned.map(([, align]) => rules[align])),
    ...rows.map(line),
  ].join('\n');
}

export const code = (text: string): string => `\`${text}\``;
