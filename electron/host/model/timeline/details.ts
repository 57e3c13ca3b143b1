/**
 * Arguments of a span, in one form for all sources. Equal arguments of many spans are stored only once. Values that
 * differ in every span are therefore left out: correlation numbers, sequence numbers, waiting times.
 */
import type { SpanField } from '../../../contract/timeline.ts';

export interface SpanArguments {
  readonly grid?: readonly number[];
  readonly block?: readonly number[];
  readonly registers?: number;
  readonly staticShared_bytes?: number;
  readonly dynamicShared_bytes?: number;
  /** Shared memory of a kernel, if static and dynamic shared memory are not distinguished. */
  readonly shared_bytes?: number;
  readonly bytes?: number;
  readonly stream?: number;
  readonly device?: number;
  readonly graph?: number;
  readonly graphNode?: number;
  readonly more?: Readonly<Record<string, string>>;
}

const NO_ARGUMENTS: SpanArguments = {};

/** Parses arguments from the text that `argumentsText` returns. */
export function spanArguments(detail: string): SpanArguments {
  return detail === '' ? NO_ARGUMENTS : (JSON.parse(detail) as SpanArguments);
}

export function argumentsText(values: SpanArguments): string {
  return Object.keys(values).length === 0 ? '' : JSON.stringify(values);
}

const triple = (values: readonly number[]): string => values.join(' × ');

const decimal = (value: number): string => value.toLocaleString('en').replaceAll(',', '\u202f');

/** Arguments as titled fields for display, the most interesting ones first. */
export function fieldsOf(values: SpanArguments): SpanField[] {
  const fields: SpanField[] = [];
  const add = (name: string, value: string | undefined, unit = ''): void => {
    if (value !== undefined) fields.push({ name, value, unit });
  };
  const number = (name: string, value: number | undefined, unit = ''): void =>
    add(name, value === undefined ? undefined : decimal(value), unit);
  const threads = values.block?.reduce((product, size) => product * size, 1);
  add('Grid', values.grid && triple(values.grid), 'blocks');
  add('Block', values.block && triple(values.block), 'threads');
  if (threads !== undefined && values.grid !== undefined) {
    number(
      'Threads',
      values.grid.reduce((product, size) => product * size, threads),
    );
  }
  number('Registers', values.registers, 'per thread');
  number('Static shared memory', values.staticShared_bytes, 'bytes per block');
  number('Dynamic shared memory', values.dynamicShared_bytes, 'bytes per block');
  number('Shared memory', values.shared_bytes, 'bytes per block');
  number('Stream', values.stream);
  number('Device', values.device);
  number('Graph', values.graph);
  number('Graph node', values.graphNode);
  for (const [name, value] of Object.entries(values.more ?? {})) add(name, value);
  return fields;
}
