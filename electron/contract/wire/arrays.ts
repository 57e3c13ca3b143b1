/**
 * Schemas of typed arrays. They check the tag instead of using `instanceof`, because arrays may come from another
 * JavaScript realm, such as an Electron frame.
 */
import { z } from 'zod';

export type NumericArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array;

function hasTag(value: unknown, tag: string): boolean {
  return ArrayBuffer.isView(value) && Reflect.get(value, Symbol.toStringTag) === tag;
}

export const float32 = z.custom<Float32Array>((v) => hasTag(v, 'Float32Array'), 'expected a Float32Array');
export const float64 = z.custom<Float64Array>((v) => hasTag(v, 'Float64Array'), 'expected a Float64Array');
export const uint32 = z.custom<Uint32Array>((v) => hasTag(v, 'Uint32Array'), 'expected a Uint32Array');
export const uint16 = z.custom<Uint16Array>((v) => hasTag(v, 'Uint16Array'), 'expected a Uint16Array');
export const uint8 = z.custom<Uint8Array>((v) => hasTag(v, 'Uint8Array'), 'expected a Uint8Array');
export const bytes = z.custom<Uint8Array>((v) => hasTag(v, 'Uint8Array'), 'expected a Uint8Array');
