/** Tables of how often verdicts are wrong: simulated, and measured against the same bytes. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { root } from './documents.ts';
import { code, table } from './text.ts';

const share = z.number().min(0).max(1);

export const keptRatesSchema = z.strictObject({
  /** Simulated sessions behind each figure. */
  trials: z.number().int().positive(),
  seed: z.number().int(),
  rows: z
    .array(
      z.strictObject({
        model: z.string(),
        /** Requested half width. */
        precision: share,
        contestants: z.number().int().positive(),
        /** By what sessions ended. */
        rule: z.enum(['decided', 'precise']),
        falseVerdicts: share,
        ratioCoverage: share,
        /** Null if the model defines no time. */
        timeCoverage: share.nullable(),
        apartCoverage: share.nullable(),
        found: share,
        sameAtTwoPercent: share,
        ended: share,
        instances: z.number().positive(),
      }),
    )
    .min(1),
});
export type KeptRates = Readonly<z.infer<typeof keptRatesSchema>>;

const keptRealSchema = z.strictObject({
  /** ISO 8601. */
  measured: z.string(),
  machine: z.string(),
  cores: z.number().int().positive(),
  variant: z.string(),
  /** False verdicts on steps that each half may have. */
  allowed: z.number().nonnegative(),
  took_s: z.number().positive(),
  halves: z
    .array(
      z.strictObject({
        /** Other load on the machine. */
        name: z.string(),
        sessions: z
          .array(
            z.strictObject({
              /**
               * `verdict`: by steps. `whole`: by end-to-end runs, in which the copy's answer goes from process to
               * process.
               */
              verdict: z.string(),
              whole: z.string(),
              ratio: z.number().positive(),
              interval: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
              floor: z.number().nullable(),
              rounds: z.number().int().nonnegative(),
              otherLoad_cores: z.number().nullable(),
            }),
          )
          .min(1),
      }),
    )
    .min(1),
});
export type KeptReal = Readonly<z.infer<typeof keptRealSchema>>;

function read<T>(name: string, schema: z.ZodType<T>): T | null {
  const file = path.join(root, 'assets/rates', `${name}.json`);
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

/** Error rates of each noise model compared with the requested ones. */
export function simulatedRates(): string {
  const kept = read('simulated', keptRatesSchema);
  if (kept === null) return `Not simulated yet: ${code('npm run bench -- verdicts --keep')}`;
  return table(
    [
      'Noise',
      'Ends when',
      '>Precision',
      '>False',
      '>Ratio covered',
      '>Time covered',
      '>Ratio of two sessions covered',
      '>Found',
      '>Same at 2 %',
      '>Instances',
    ],
    kept.rows.map((row) => [
      row.contestants === 1 ? row.model : `${row.model}, ${row.contestants} contestants`,
      row.rule,
      percent(row.precision),
      percent(row.falseVerdicts),
      percent(row.ratioCoverage),
      ...[row.timeCoverage, row.apartCoverage].map((share) => (share === null ? '–' : percent(share))),
      percent(row.found),
      percent(row.sameAtTwoPercent),
      row.instances.toFixed(1),
    ]),
  );
}

function middle(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]?.toFixed(1) ?? '–';
}

/** Results of A/A sessions: the same binary measured against a copy in a separate process. */
export function realRates(kept: KeptReal | null = read('real', keptRealSchema)): string {
  if (kept === null) return `Not measured yet: ${code('npm run bench -- aa --keep')}`;
  return table(
    ['Machine', '>Sessions', '>Cores busy for others', '>False', '>Allowed', '>Same', '>Undecided', '>Rounds'],
    kept.halves.map(({ name, sessions }) => {
      const [same, undecided] = ['same', 'undecided'].map(
        (word) => sessions.filter(({ verdict }) => verdict === word).length,
      ) as [number, number];
      return [
        `${kept.machine}, ${name}`,
        String(sessions.length),
        middle(sessions.flatMap(({ otherLoad_cores }) => otherLoad_cores ?? [])),
        ...[sessions.length - same - undecided, kept.allowed, same, undecided].map(String),
        middle(sessions.map(({ rounds }) => rounds)),
      ];
    }),
  );
}
