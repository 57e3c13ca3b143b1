/**
 * Results of `npm run bench -- tuning` for each session: the default constants compared with the best ones.
 * assets/tuned contains one such file per GPU model, and tests compare them with the defaults of each GPU generation.
 */

/**
 * @typedef {Readonly<Record<string, number>>} Configuration
 * @typedef {Readonly<{
 *   configuration: Configuration,
 *   time_s: number,
 *   ratio: number,
 *   interval: Readonly<{ low: number, high: number }> | null,
 *   right: boolean,
 * }>} TunedEntry Its ratio is relative to the default constants.
 * @typedef {Readonly<{
 *   session: string, workload: string, bench: string, variant: string, file: string, scenario: string,
 *   measured: number, usual: Configuration, entries: readonly TunedEntry[],
 * }>} TunedSession
 * @typedef {Readonly<{ name: string, uuid: string | null, driver: string | null, architecture: number | null }>} TunedOn
 * @typedef {Readonly<{
 *   format: 'braggbench-tuned', format_version: 1, created: string, commit: string | null, on: TunedOn,
 *   sessions: readonly TunedSession[],
 * }>} TunedRecord
 */

/**
 * Constants in the label of a configuration; null for a variant with default constants.
 * @param {string} label
 * @returns {Configuration | null}
 */
function parseConstants(label) {
  const found = /^[^[]+\[([^\]]+)\]$/.exec(label);
  if (found === null) return null;
  return Object.fromEntries(
    (found[1] ?? '')
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), Number(part.slice(part.indexOf('=') + 1))]),
  );
}

/**
 * @param {{ readonly verdict: string }} entry
 */
const isCorrect = ({ verdict }) => !['wrong', 'impossible', 'not checked'].includes(verdict);

/**
 * Entries of the session that compares the best configurations. Its first variant has the default constants.
 * @param {any} session content of `best.json`
 * @returns {{ readonly usual: Configuration, readonly entries: readonly TunedEntry[] } | null}
 */
export function tunedEntries(session) {
  const report = session.reports[0];
  const usual = parseConstants(report.reference ?? '');
  if (usual === null) return null;
  /** @type {TunedEntry[]} */
  const entries = report.entries.flatMap((/** @type {any} */ entry) => {
    const configuration = parseConstants(entry.label);
    if (entry.status !== 'measured' || configuration === null) return [];
    const { value, interval } = entry.ratio;
    return [{ configuration, time_s: entry.time_s, ratio: value, interval, right: isCorrect(entry) }];
  });
  return { usual, entries: entries.toSorted((a, b) => a.ratio - b.ratio) };
}

/**
 * Correct entries that are certainly faster than the default constants, fastest first.
 * @param {TunedSession} session
 */
const fasterThanUsual = ({ entries }) =>
  entries.filter(({ right, interval }) => right && interval !== null && interval.high < 1);

/** @param {Configuration} configuration */
const configurationText = (configuration) =>
  Object.entries(configuration)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/**
 * @param {TunedSession} session
 * @returns {readonly string[]}
 */
export function sessionReport(session) {
  const { session: name, variant, scenario, measured, usual, entries } = session;
  const lines = entries.map(({ configuration, time_s, ratio, interval, right }) => {
    const range = interval === null ? '' : ` (${interval.low.toFixed(3)}–${interval.high.toFixed(3)})`;
    return `  ${(time_s * 1e3).toPrecision(5)} ms  ${ratio.toFixed(3)}${range}  ${configurationText(configuration)}${right ? '' : '  WRONG'}`;
  });
  return [`${name}: ${variant} on ${scenario}, ${measured} measured; defaults ${configurationText(usual)}`, ...lines];
}

/**
 * Configurations from earlier sessions to compare with the best ones: those of the same source that were faster than
 * the defaults, including on other GPUs.
 * @param {Readonly<{ file: string, variant: string }>} session
 * @param {readonly TunedSession[]} known
 */
export function knownFasterConfigurations({ file, variant }, known) {
  const MOST = 2;
  const names = known
    .filter((one) => one.file === file)
    .flatMap((one) => fasterThanUsual(one).slice(0, MOST))
    .map(({ configuration }) => {
      const parts = Object.entries(configuration).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return `${variant}[${parts.map(([name, value]) => `${name}=${value}`).join(';')}]`;
    });
  return [...new Set(names)];
}
