/** How scenarios of every kind name the implementation that runs. */
import { z } from 'zod';

/** `description`: what auto takes. */
export function variantName(description: string) {
  return z
    .string()
    .min(1)
    .max(64)
    .regex(/^(?:[a-z0-9][a-z0-9-]*|[A-Za-z0-9][\w.-]*\.(?:cu|cpp))$/)
    .meta({
      title: 'Variant',
      description: `Which implementation runs. ${description}; my.cu or my.cpp is a user kernel beside this file.`,
      $comment: 'lower-case letters, digits and hyphens, such as auto; or the name of a file that ends in .cu or .cpp',
    })
    .default('auto');
}
