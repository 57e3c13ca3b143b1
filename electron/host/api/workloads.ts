/** Host functions of the command line: beams and doses, crystal images, and small measured workloads. */

export { metaImageBytes } from '../io/volumes/write.ts';
export { gammaIndex, normalizeToPeak, type VolumeAxis, type VolumePlane } from '../model/fields/gamma.ts';
export { type ImageRunData, isImageRun } from '../workloads/diffraction/image-data.ts';
export { type ImageBits, imageFigure, imageFile, imageFormats } from '../workloads/diffraction/images/index.ts';
export { type MaskedImage, readImage, readNexusImage, readRunOrNexus } from '../workloads/diffraction/images/read.ts';
export {
  headerMismatches,
  maskedImageOf,
  type RefinementResult,
  refineCrystal,
} from '../workloads/diffraction/refine.ts';
export { imageSummary, imageText } from '../workloads/diffraction/summary.ts';
export { variantsFor } from '../workloads/task/candidates.ts';
export { isTask } from '../workloads/task/scenario/index.ts';
export { taskVerdict, unknownUserKernelError } from '../workloads/task/user-kernels.ts';
export type { DepthUnit } from '../workloads/transport/beams/commission.ts';
export { type ImportedDose, readDoseFile } from '../workloads/transport/dose-file.ts';
export { depthDoseOf } from '../workloads/transport/metrics/run-metrics.ts';
export { gammaMap, summaryOf, supportedGammaQuantity, transportRunOf } from '../workloads/transport/readouts.ts';
export { measuredRunOf, type RunData } from '../workloads/transport/run-data.ts';
export { narrowToTransport } from '../workloads/transport/scenario/problem.ts';
