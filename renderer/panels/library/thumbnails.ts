/** Thumbnail of an example: its field, or the bars of its recorded session. `npm run pictures` generates both. */
import recorded from '../../../assets/examples/bars.json';

export interface Bar {
  readonly time_s: number;
  readonly device: string;
  readonly right: boolean;
}

const files = import.meta.glob('../../../assets/examples/**/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>;

const fields = new Map(Object.entries(files).map(([file, url]) => [file.replace(/^.*assets\/examples\//, ''), url]));
const bars: Readonly<Record<string, readonly Bar[]>> = recorded;

/** Which scenario a recorded run is of: its file says so by how it begins. */
function scenarioOf(key: string): string {
  if (!key.startsWith('recorded/')) return key;
  const name = key.replace(/^recorded\/[a-z0-9]+-/, '');
  const known = [...Object.keys(bars), ...[...fields.keys()].map((file) => file.replace(/\.png$/, '.json'))];
  return known.find((file) => name.startsWith(file.replace(/^.*\/|\.json$/g, ''))) ?? key;
}

type Thumbnail = Readonly<{ kind: 'field'; url: string }> | Readonly<{ kind: 'bars'; bars: readonly Bar[] }>;

/** Null if there is nothing to show. */
export function thumbnailOf(key: string): Thumbnail | null {
  const scenario = scenarioOf(key);
  const url = fields.get(scenario.replace(/\.json$/, '.png'));
  if (url !== undefined) return { kind: 'field', url };
  const own = bars[scenario];
  return own === undefined ? null : { kind: 'bars', bars: own };
}

/** The slowest is this many times as long as the fastest may look; beyond it bars would be dots. */
const SHORTEST = 0.06;

/** Lengths between nothing and one, by the logarithm: variants differ a hundredfold. */
export function lengths(all: readonly Pick<Bar, 'time_s'>[]): readonly number[] {
  const logs = all.map(({ time_s }) => Math.log10(time_s));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  return logs.map((log) => (high === low ? 1 : 1 - ((1 - SHORTEST) * (high - log)) / (high - low)));
}
