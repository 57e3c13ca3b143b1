/** Fields common to all kinds of scenario, at the beginning of the file. */
import { z } from 'zod';

/** First in the file, before `kind` and `version`. */
export const editorShape = {
  $schema: z
    .string()
    .max(2000)
    .meta({ title: 'JSON Schema', description: 'Where an editor finds the JSON Schema of this file.' })
    .optional(),
};

/** Placed after `kind` and `version` in the file. */
export const namingShape = {
  name: z
    .string()
    .max(200)
    .meta({ title: 'Name', description: 'What lists and titles call this scenario.' })
    .default(''),
  notes: z
    .string()
    .max(20_000)
    .meta({ title: 'Notes', description: 'For the reader: what this scenario is for and where it comes from.' })
    .default(''),
};
