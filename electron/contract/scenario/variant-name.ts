/** Field that names the implementation to run, in scenarios of every kind. */
import { z } from 'zod';
import { LONGEST_CONFIGURED } from '../tuning/configured.ts';

/** `description`: what auto takes. */
export function variantName(description: string) {
  return z
    .string()
    .min(1)
    .max(LONGEST_CONFIGURED)
    .regex(/^(?:[a-z0-9][a-z0-9-]{0,63}|[A-Za-z0-9][\w.-]{0,59}\.(?:cu|cpp|py))(?:\[[\w=;-]+\])?$/)
    .meta({
      title: 'Variant',
      description: `Which implementation runs. ${description}; my.cu or my.cpp is a user kernel beside this file, and name[kTile=16] one with other constants.`,
      $comment:
        'lower-case letters, digits and hyphens, such as auto; or the name of a file that ends in .cu, .cpp or .py; constants in [] behind it',
    })
    .default('auto');
}
