/** Doses of other programs, handed over by a page for comparison with runs. The last few are retained as received. */
import { randomBytes } from 'node:crypto';
import type { ImportedDoseInfo } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { DoseMap } from '../../model/fields/gamma.ts';
import { type AskedPlane, lookIntoDose, type NamedBytes, planeOfDose } from '../../workloads/transport/dose-file.ts';

/** The oldest gives way. */
const MOST_KEPT = 4;

interface Kept {
  readonly files: readonly NamedBytes[];
  /** The plane requested last, cached because criteria change more often. */
  last: { readonly key: string; readonly map: Promise<DoseMap> } | null;
}

export class ImportedDoses {
  readonly #kept = new Map<string, Kept>();

  /** Throws BraggError with the file and what is allowed. */
  async take(files: readonly NamedBytes[]): Promise<ImportedDoseInfo> {
    const found = await lookIntoDose({ files });
    const id = randomBytes(9).toString('base64url');
    this.#kept.set(id, { files, last: null });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return { id, ...found };
  }

  /** Throws BraggError. */
  plane(id: string, asked: AskedPlane): Promise<DoseMap> {
    const kept = this.#kept.get(id);
    if (kept === undefined) throw new BraggError('not-found', 'This dose is no longer kept. Open its file again.');
    const key = JSON.stringify(asked);
    if (kept.last?.key === key) return kept.last.map;
    const map = planeOfDose({ files: kept.files, ...asked });
    kept.last = { key, map };
    return map;
  }
}
