/**
 * Stores doses that a page sent for comparison with runs. They come from other programs. Only the most recent ones are
 * retained.
 */
import { randomBytes } from 'node:crypto';
import type { ImportedDoseInfo } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { DoseMap } from '../../model/fields/gamma.ts';
import { inspectDose, type NamedBytes, planeOfDose, type RequestedPlane } from '../../workloads/transport/dose-file.ts';

/** Maximum number of stored doses. A further dose replaces the oldest one. */
const MAX_DOSES = 4;

interface ImportedDose {
  readonly files: readonly NamedBytes[];
  /** The plane that was requested last. It is cached, because gamma criteria change more often than the plane. */
  last: { readonly key: string; readonly map: Promise<DoseMap> } | null;
}

export class ImportedDoses {
  readonly #cached = new Map<string, ImportedDose>();

  /** Stores a dose. Throws BraggError with the file and the allowed formats. */
  async add(files: readonly NamedBytes[]): Promise<ImportedDoseInfo> {
    const found = await inspectDose({ files });
    const id = randomBytes(9).toString('base64url');
    this.#cached.set(id, { files, last: null });
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_DOSES && oldest !== undefined) this.#cached.delete(oldest);
    return { id, ...found };
  }

  /** Returns a plane of a stored dose. Throws BraggError. */
  plane(id: string, requested: RequestedPlane): Promise<DoseMap> {
    const kept = this.#cached.get(id);
    if (kept === undefined) throw new BraggError('not-found', 'This dose is no longer in memory. Open its file again.');
    const key = JSON.stringify(requested);
    if (kept.last?.key === key) return kept.last.map;
    const map = planeOfDose({ files: kept.files, ...requested });
    kept.last = { key, map };
    return map;
  }
}
