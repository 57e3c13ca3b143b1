/** The own variants that the host knows, and how they list beside the shipped ones. */
import type { OwnBase } from './base.ts';
import type { OwnVariant } from './file.ts';
import type { OwnSession } from './session.ts';

export interface KnownOwn {
  list(workload: string): readonly OwnVariant[];
  find(workload: string, id: string): OwnVariant | null;
  /** Its processes. */
  session(own: OwnVariant): OwnSession;
}

/** `shipped` with the own ones made from them, which list as theirs does but for the names. */
export function withOwn<V extends OwnBase>(shipped: readonly V[], own: readonly OwnVariant[]): V[] {
  const mine = own.flatMap(({ id, description, base }) => {
    const from = shipped.find((one) => one.id === base.id && one.bench === base.bench);
    if (from === undefined) return [];
    const { title, changes, replaces } = description;
    return [{ ...from, id, title, changes: changes || `Own code for ${replaces}`, buildsOn: base.id, source: id }];
  });
  return [...shipped, ...mine];
}
