/** A material of the user's own: what it is made of, how dense it is. The rest follows from that. */
import { z } from 'zod';
import { isElement } from '../elements.ts';
import { atomsOf } from '../formula.ts';
import { materialNames } from '../materials.ts';
import { quantity } from '../quantity.ts';

/** The solver indexes what fills a cell by one byte. */
export const maxOwnMaterials = 100;
/** Mass fractions from publications are rounded. */
const SUM_SLACK = 0.01;

const nameSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/)
  .meta({
    title: 'Name',
    description: 'What regions and tables call the material.',
    $comment: 'a letter, then letters, digits, - and _, up to 64',
  });

export const ownMaterialSchema = z
  .strictObject({
    name: nameSchema,
    formula: z
      .string()
      .max(200)
      .meta({ title: 'Formula', description: 'A chemical formula, such as C5H8O2. Or a composition in its place.' })
      .optional(),
    composition: z
      .record(z.string().max(2), z.number().positive().max(1))
      .meta({ title: 'Composition', description: 'Mass fraction of each element by its symbol; together 1.' })
      .optional(),
    density_g_cm3: quantity({
      title: 'Density',
      description: 'Mass density of the material.',
      unit: 'g_cm3',
      min: 1e-6,
      max: 30,
    }),
    mean_excitation_eV: quantity({
      title: 'Mean excitation energy',
      description:
        "I. Left out: that of ICRU Reports 37 and 49 for a formula that they list, else the elements' own by Bragg's rule.",
      unit: 'eV',
      min: 10,
      max: 1000,
    }).optional(),
  })
  .superRefine(({ name, formula, composition }, context) => {
    const refuse = (path: readonly string[], message: string, allowed: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message, params: { allowed } });
    if ((materialNames as readonly string[]).includes(name)) {
      refuse(['name'], 'is a built-in material', 'a name of its own');
    }
    if ((formula === undefined) === (composition === undefined)) {
      const says = formula === undefined ? 'has neither formula nor composition' : 'stands beside formula';
      refuse(formula === undefined ? ['name'] : ['composition'], says, 'formula or composition, one of them');
      return;
    }
    if (formula !== undefined && atomsOf(formula) === null) {
      refuse(['formula'], 'is not a chemical formula', 'symbols of elements with numbers, such as C5H8O2 or Ca(OH)2');
    }
    const fractions = Object.entries(composition ?? {});
    const unknown = fractions.find(([symbol]) => !isElement(symbol));
    if (unknown !== undefined) {
      refuse(['composition', unknown[0]], 'belongs to no element', 'symbols such as H, C, O, Ca');
      return;
    }
    const sum = fractions.reduce((total, [, fraction]) => total + fraction, 0);
    if (composition !== undefined && !(Math.abs(sum - 1) <= SUM_SLACK)) {
      refuse(
        ['composition'],
        `has mass fractions that sum to ${Number(sum.toPrecision(5))}`,
        `fractions whose sum is 1 within ${SUM_SLACK}`,
      );
    }
  });

export type OwnMaterial = z.output<typeof ownMaterialSchema>;
