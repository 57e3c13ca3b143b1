/** How documents of older versions are rewritten, each as the next version. */
import type { Migration } from '../workload.ts';

/** Version 1 left nuclear reactions out unless asked for: what was written then keeps its meaning. */
const withoutReactions: Migration = (document) => {
  const { physics = {} } = document;
  if (typeof physics !== 'object' || physics === null || Array.isArray(physics)) return { ...document };
  return { ...document, physics: { nuclear: 'off', ...physics } };
};

export const transportMigrations = { 1: withoutReactions } as const;
