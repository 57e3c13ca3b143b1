/** The parts that each question declares exist: its example, its panels, its pictures. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import { type Question, questions } from '../../../renderer/base/questions.ts';
import { defaultLayouts, panelSlots } from '../../../renderer/state/layout/defaults.ts';
import { panelsOf } from '../../../renderer/state/layout/tree.ts';
import { pageWorkloads } from '../../../renderer/workloads/index.ts';

const assets = path.resolve(import.meta.dirname, '../../../assets');
const json = (...parts: readonly string[]): unknown => JSON.parse(readFileSync(path.join(assets, ...parts), 'utf8'));
const draftOf = ({ scenario }: Question) => json('scenarios', scenario) as Parameters<typeof kindOfDocument>[0];
const most_bytes = 50_000;

describe.each(questions)('the question $id', (question) => {
  const kind = kindOfDocument(draftOf(question));
  const inLayout = panelsOf(defaultLayouts(pageWorkloads)[kind][question.layout].wide);

  it('opens panels of its layout and workload, and its hints stand in three of them', () => {
    expect(inLayout).toEqual(expect.arrayContaining([...question.panels, ...question.hints.map(({ panel }) => panel)]));
    expect(new Set(question.hints.map(({ panel }) => panel)).size).toBe(3);
    expect(question.panels).toContain(question.picture);
  });

  it('says each thing in sentences of at most 25 words', () => {
    const said = [question.title, question.text, ...question.hints.map(({ text }) => text)];
    for (const sentence of said.flatMap((text) => text.split(/(?<=[.:!?]) /))) {
      expect(sentence.split(/\s+/).length, sentence).toBeLessThanOrEqual(25);
    }
  });

  it('has pictures of both themes, small enough to come with the page', () => {
    for (const theme of ['light', 'dark']) {
      const file = path.join(assets, 'questions', `${question.id}-${theme}.webp`);
      expect(readFileSync(file).subarray(8, 12).toString()).toBe('WEBP');
      expect(statSync(file).size).toBeLessThan(most_bytes);
    }
  });
});

const of = <K extends Question['example']['kind']>(kind: K) =>
  questions.flatMap(({ example }) => (example.kind === kind ? [example as Extract<typeof example, { kind: K }>] : []));

it('sessions came with the program, and hold the row that the others are compared with, which is right', () => {
  const named = of('session');
  expect(named.length).toBeGreaterThan(0);
  for (const { session, reference } of named) {
    const { reports } = json('runs', session) as {
      reports: { entries: { label: string; status: string; verdict: string }[] }[];
    };
    const found = reports.at(-1)?.entries.find(({ label }) => label === reference);
    expect(found, session).toMatchObject({ status: 'measured' });
    expect(found?.verdict).not.toBe('wrong');
  }
});

it('recorded runs came with the program', () => {
  for (const { run } of of('recorded')) {
    expect(existsSync(path.join(assets, 'runs', run.replace(/^recorded\//, ''))), run).toBe(true);
  }
});

it('the gallery is one of the panels', () => {
  expect(panelSlots.map(({ id }) => id)).toContain('questions');
});
