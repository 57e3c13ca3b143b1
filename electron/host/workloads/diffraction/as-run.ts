/** A run of any workload as an image. */
import { type AnyRunData, runOf } from '../run-data.ts';
import type { ImageRunData } from './image-data.ts';

/** Throws BraggError `unsupported` for a run of another workload. */
export const imageRunOf = (run: AnyRunData): ImageRunData => runOf('diffraction', run);
