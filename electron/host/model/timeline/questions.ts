/** What can be asked of a timeline, by name; the same in the worker thread and in a process of its own. */
import { gzipSync } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';
import type { Params, Result } from '../../../contract/wire/methods.ts';
import { chromeTraceText } from './export.ts';
import { searchTrace } from './search.ts';
import { arrowsWithin, spanDetails } from './span.ts';
import { selectionStatistics } from './statistics.ts';
import { stepsOf } from './steps.ts';
import { traceSummary } from './summary.ts';
import { spanCount, type Trace } from './trace.ts';
import { timelineWindow } from './window.ts';

export type Question =
  | 'window'
  | 'names'
  | 'span'
  | 'arrows'
  | 'search'
  | 'statistics'
  | 'steps'
  | 'summary'
  | 'export';
export type Asked<Q extends Question> = Omit<Params<`timeline.${Q}`>, 'trace'>;
export type Answer<Q extends Question> = Result<`timeline.${Q}`>;

type Answers = { readonly [Q in Question]: (trace: Trace, asked: Asked<Q>, ceiling: number | null) => Answer<Q> };

/** Above this a file of JSON is packed: Perfetto and the importer here open .json.gz too. */
const PACK_FROM_SPANS = 100_000;

function exported(trace: Trace, within: readonly [number, number] | null): Answer<'export'> {
  const stem = trace.name.replace(/\.(h5|json|gz|sqlite)$/gi, '').replace(/[^A-Za-z0-9._-]+/g, '-') || 'timeline';
  const pieces: Buffer[] = [];
  for (const text of chromeTraceText(trace, within)) pieces.push(Buffer.from(text));
  const bytes = Buffer.concat(pieces);
  if (spanCount(trace) < PACK_FROM_SPANS) {
    return { name: `${stem}-trace.json`, mime: 'application/json', bytes: new Uint8Array(bytes) };
  }
  return { name: `${stem}-trace.json.gz`, mime: 'application/gzip', bytes: new Uint8Array(gzipSync(bytes)) };
}

export const answers: Answers = {
  window: (trace, asked) => timelineWindow(trace, asked),
  names: (trace, { names }) => ({ texts: names.map((name) => trace.names[name] ?? '') }),
  span: (trace, { span }, ceiling) => spanDetails(trace, span, ceiling),
  arrows: (trace, asked) => arrowsWithin(trace, asked),
  search: (trace, { text, limit }) => searchTrace(trace, text, limit),
  statistics: (trace, asked) => {
    if (!(asked.to_ns >= asked.from_ns)) throw new BraggError('bad-request', 'The selection ends before it begins.');
    return selectionStatistics(trace, asked);
  },
  steps: (trace) => stepsOf(trace),
  summary: (trace) => traceSummary(trace),
  export: (trace, { within }) => exported(trace, within),
};
