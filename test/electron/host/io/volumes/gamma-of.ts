/** Gamma of two dose files at 1 %/1 mm. */
import { gammaIndex } from '../../../../../electron/host/model/fields/gamma.ts';
import { readDoseFile } from '../../../../../electron/host/workloads/transport/dose-file.ts';

export async function gammaOf(a: string, b: string): Promise<{ readonly passed: number; readonly worst: number }> {
  const [first, second] = await Promise.all([a, b].map((file) => readDoseFile(file, {}, null)));
  if (first?.kind !== 'map' || second?.kind !== 'map') throw new Error('a dose file without a map');
  const { passed, worst } = gammaIndex(first.map, second.map, { dose: 0.01, distance_mm: 1 });
  return { passed, worst };
}
