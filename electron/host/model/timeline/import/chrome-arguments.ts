/** Arguments of a Chrome trace event, as PyTorch's and our own exports name them, in the form of the model. */
import { argumentsText, type SpanArguments } from '../details.ts';

// Times of a Chrome trace in nanoseconds. They are microseconds with decimals;
// PyTorch counts them from 1970, where a double resolves a quarter of a
// microsecond only: such times are taken from their digits.

/** 2^42 µs: up to here a double of microseconds resolves a nanosecond. */
const EXACT_BELOW = 2 ** 42;

const DIGITS = /"ts"\s*:\s*"?(\d+)(?:\.(\d+))?/;

export class ChromeClock {
  readonly #base_us: number;

  /** Times are relative to the median of those given: no single wrong one decides which of the others are valid. */
  constructor(some_us: readonly number[]) {
    const sorted = [...some_us].sort((a, b) => a - b);
    this.#base_us = Math.floor(sorted[Math.floor((sorted.length - 1) / 2)] ?? 0);
  }

  /** `text`: the event's JSON. */
  ns(ts: number, text: string): number {
    if (Math.abs(ts) < EXACT_BELOW) return (ts - this.#base_us) * 1000;
    const found = DIGITS.exec(text);
    const whole = Number(found?.[1]);
    // The matched `ts` may be one of the arguments.
    if (found === null || Math.abs(whole - Math.trunc(ts)) > 1) return (ts - this.#base_us) * 1000;
    return (whole - this.#base_us) * 1000 + Number(`0.${found[2] ?? '0'}`) * 1000;
  }
}

/** Different in every span, and of use only to the program that wrote them. */
const PER_SPAN =
  /^(external id|ev idx|record function id|correlation|cbid|sequence number|fwd thread id|python (parent )?id|python module id|queued|step|ts|id)$/i;
const MOST_MORE = 12;
const LONGEST_VALUE = 200;

function number(value: unknown): number | undefined {
  const converted = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof converted === 'number' && Number.isFinite(converted) ? converted : undefined;
}

/** `[2, 3, 4]` of PyTorch, `2 × 3 × 4` of ours. */
function sizes(value: unknown): readonly number[] | undefined {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[×x,]/) : [];
  const numbers = parts.map(number);
  return parts.length === 3 && numbers.every((part) => part !== undefined) ? (numbers as number[]) : undefined;
}

type Numeric = Exclude<keyof SpanArguments, 'grid' | 'block' | 'more'>;

const numeric: Readonly<Record<string, Numeric>> = {
  'registers per thread': 'registers',
  'static shared memory, bytes': 'staticShared_bytes',
  'dynamic shared memory, bytes': 'dynamicShared_bytes',
  'shared memory': 'shared_bytes',
  bytes: 'bytes',
  stream: 'stream',
  device: 'device',
  graph: 'graph',
  'graph id': 'graph',
  'graph node': 'graphNode',
  'graph node id': 'graphNode',
};

function short(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}

export function chromeArguments(args: Readonly<Record<string, unknown>>): string {
  const values: { -readonly [K in keyof SpanArguments]: SpanArguments[K] } = {};
  const more: Record<string, string> = {};
  let others = 0;
  for (const [name, value] of Object.entries(args)) {
    const key = name.toLowerCase();
    if (PER_SPAN.test(key)) continue;
    if (key === 'grid' || key === 'block') {
      const found = sizes(value);
      if (found !== undefined) values[key] = found;
      continue;
    }
    const known = numeric[key];
    const found = known === undefined ? undefined : number(value);
    if (known !== undefined && found !== undefined) values[known] = found;
    else if (others < MOST_MORE) {
      const text = short(value);
      if (text === null) continue;
      more[name] = text;
      others += 1;
    }
  }
  if (others > 0) values.more = more;
  return argumentsText(values);
}
