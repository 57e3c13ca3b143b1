/** Result of reading a diffraction scenario. */
import type { DiffractionDocument, DiffractionScenario } from '../../../../contract/scenario/index.ts';
import type { DiffractionProblem } from '../../../io/addon/diffraction.ts';
import type { Read } from '../../scenarios/read.ts';

export interface DiffractionReading extends Read {
  readonly kind: 'diffraction';
  readonly document: DiffractionDocument | null;
  readonly scenario: DiffractionScenario;
  /** In the list that the scenario names; 0 without one. */
  readonly reflections: number;
  readonly problem: (() => DiffractionProblem) | null;
}
