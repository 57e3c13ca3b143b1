import { describe, expect, it, test } from 'vitest';
import type { Issue } from '../../../electron/contract/errors.ts';
import {
  type JsonSchema,
  newDocument,
  parseFormula,
  publishedSchema,
  schemaOfKind,
} from '../../../electron/contract/scenario/index.ts';
import type { ResolvedTransport } from '../../../electron/contract/scenario/transport/workload.ts';
import {
  changesSinceNotes,
  choicesOf,
  currentIssues,
  fieldModel,
  issuesAt,
} from '../../../renderer/panels/scenario/fields.ts';
import { moveEntry } from '../../../renderer/panels/scenario/list-field.tsx';
import { compositionText, setComposition } from '../../../renderer/panels/scenario/materials-field.tsx';
import { newRegion } from '../../../renderer/panels/scenario/regions-field.tsx';
import { issueCount } from '../../../renderer/panels/scenario/scenario-panel.tsx';
import { sectionSummary, sectionsOf } from '../../../renderer/panels/scenario/sections.ts';
import { createScenarioStore, documentOfNotes } from '../../../renderer/state/scenario.ts';

const draft = { kind: 'transport', version: 1, beam: { energy_MeV: 70 } };
const resolvedScenario = {
  scenario: {
    geometry: { width_mm: 40, depth_mm: 50, background: 'water' },
    grid: { dx_mm: 0.25, energy: { kind: 'range', step_mm: 0.2 } },
  },
  range_mm: 40.8,
} as unknown as ResolvedTransport;

const issue = (path: string, message: string): Issue => ({
  severity: 'error',
  file: null,
  path,
  line: null,
  column: null,
  message,
  value: null,
  allowed: null,
});

describe('notes in a scenario', () => {
  const opened = { ...draft, notes: 'Expect R80 = 40.8 mm.' };

  it('list the changes made since they were written', () => {
    const store = createScenarioStore();
    const hint = () => changesSinceNotes(documentOfNotes(store.getState()), store.getState().draft);
    store.open({ draft: opened, file: null, readOnly: true });
    store.edit(['name'], 'Mine', 'Name');
    expect(hint()).toBeNull();
    store.edit(['beam', 'energy_MeV'], 120, 'Energy');
    expect(hint()).toBe('Written before these changes: Energy was 70 MeV.');
    store.markSaved(store.getState().draft, {
      file: { root: 'library', key: 'mine.json' },
      name: 'mine.json',
    } as never);
    expect(hint()).toBe('Written before these changes: Energy was 70 MeV.');
    store.edit(['notes'], 'Expect R80 = 106.2 mm.', 'Notes');
    expect(hint()).toBeNull();
    store.undo();
    expect(hint()).toBe('Written before these changes: Energy was 70 MeV.');
    store.undo();
    expect(hint()).toBeNull();
  });

  it('list three changes and count the others', () => {
    const far = { ...opened, beam: { energy_MeV: 120, x_mm: 1 }, geometry: { width_mm: 60, depth_mm: 200 } };
    expect(changesSinceNotes(opened, far)).toMatch(
      /^Written before these changes: (?:[^,]+ was [^,]+, ){3}and 1 more\.$/,
    );
    expect(changesSinceNotes(draft, { ...draft, beam: { energy_MeV: 120 } })).toBeNull();
  });
});

describe('a field with listed values', () => {
  const micro = { kind: 'micro', version: 1, problem: { kind: 'coalescing' } };
  const choices = (key: string) => {
    const field = fieldModel(micro, null, ['problem', key]);
    return field === null ? undefined : { of: choicesOf(field.schema), fallback: field.currentDefault };
  };

  it('offers words and numbers, and keeps a number a number', () => {
    expect(choices('order')).toEqual({ of: ['forward', 'random'], fallback: 'forward' });
    expect(choices('element_bytes')).toEqual({ of: [4, 8, 16], fallback: 4 });
  });

  it('is absent if any number is allowed, or one of several shapes', () => {
    expect(choices('stride')?.of).toBeNull();
    const energy = fieldModel(draft, null, ['grid', 'energy']);
    expect(energy === null ? undefined : choicesOf(energy.schema)).toBeNull();
  });
});

const sections = sectionsOf('transport');

/** Paths of the settings in the schema of a scenario, such as `beam.energy_MeV`. A union counts as one setting. */
function keysOf(schema: JsonSchema, path = ''): readonly string[] {
  const below = Object.entries(schema.properties ?? {});
  if (schema.type !== 'object' || below.length === 0) return [path];
  return below.flatMap(([key, each]) => keysOf(each, path === '' ? key : `${path}.${key}`));
}

describe('the scenario form', () => {
  it('counts errors and warnings separately', () => {
    const error = issue('a', 'is wrong');
    const warning: Issue = { ...error, severity: 'warning' };
    expect(issueCount([warning])).toBe('One warning');
    expect(issueCount([warning, warning])).toBe('2 warnings');
    expect(issueCount([error])).toBe('One value needs attention');
    expect(issueCount([error, warning, error])).toBe('2 values need attention, one warning');
  });

  it('has a field for every key of the schema', () => {
    const shown = new Set(sections.flatMap((section) => section.fields.map((path) => path.join('.'))));
    // Fields outside the sections: `$schema`, `kind` and `version` belong to the file; name and notes are above the
    // sections.
    const elsewhere = new Set(['$schema', 'kind', 'version', 'name', 'notes']);
    const schema = publishedSchema();
    const transport: JsonSchema = schema.oneOf?.[0] ?? schema.anyOf?.[0] ?? schema;
    const missing: string[] = [];
    for (const [head, value] of Object.entries(transport.properties ?? {})) {
      if (elsewhere.has(head) || shown.has(head)) continue;
      for (const key of Object.keys(value.properties ?? {}))
        if (!shown.has(`${head}.${key}`)) missing.push(`${head}.${key}`);
    }
    expect(Object.keys(transport.properties ?? {}).length).toBeGreaterThan(8);
    expect(missing).toEqual([]);
    for (const section of sections) {
      for (const path of section.fields) expect(fieldModel(draft, null, path), path.join('.')).not.toBeNull();
    }
  });

  it('distinguishes a value set by the user from the current default', () => {
    expect(fieldModel(draft, null, ['beam', 'energy_MeV'])).toMatchObject({
      value: 70,
      unit: 'MeV',
      title: 'Energy',
      allowed: '0.5 to 300 MeV; in water with your own table up to 1000 MeV',
    });
    expect(fieldModel(draft, null, ['beam', 'weight'])).toMatchObject({ value: undefined, currentDefault: 1 });
    // This default follows from the beam: the host has computed it.
    expect(fieldModel(draft, resolvedScenario.scenario, ['grid', 'dx_mm'])).toMatchObject({
      value: undefined,
      currentDefault: 0.25,
    });
    expect(fieldModel(draft, null, ['grid', 'dx_mm'])?.currentDefault).toBeUndefined();
  });

  it('does not report a set value as its own default, and offers no reset to nothing', () => {
    const own = { ...draft, grid: { dx_mm: 1 } };
    const kept = { ...resolvedScenario.scenario, grid: { ...(resolvedScenario.scenario['grid'] as object), dx_mm: 1 } };
    expect(fieldModel(own, kept, ['grid', 'dx_mm'])).toMatchObject({ displayedDefault: undefined, resettable: true });
    expect(fieldModel(draft, resolvedScenario.scenario, ['grid', 'dx_mm'])).toMatchObject({
      displayedDefault: 0.25,
      resettable: false,
    });
    const weighted = { ...draft, beam: { energy_MeV: 70, weight: 3 } };
    expect(fieldModel(weighted, null, ['beam', 'weight'])).toMatchObject({ displayedDefault: 1, resettable: true });
    expect(fieldModel(draft, resolvedScenario.scenario, ['beam', 'energy_MeV'])).toMatchObject({
      displayedDefault: undefined,
      resettable: false,
    });
  });

  it('has the fields of the active branch of the document', () => {
    const uniform = { ...draft, grid: { energy: { kind: 'uniform' } } };
    expect(fieldModel(draft, null, ['grid', 'energy', 'step_mm'])).not.toBeNull();
    expect(fieldModel(uniform, null, ['grid', 'energy', 'step_mm'])).toBeNull();
    expect(fieldModel(uniform, null, ['grid', 'energy', 'step_MeV'])?.currentDefault).toBe(0.2);
  });

  it('validates at once with the schema, and keeps issues from the host until the value changes', () => {
    const outside = issue('geometry.regions[0].z_mm', 'lies outside the geometry');
    const regions = [{ material: 'lead', x_mm: [0, 1], z_mm: [0, 90] }];
    const checked = { ...draft, geometry: { regions } };
    const check = { draft: checked, issues: [outside], resolved: null };
    expect(currentIssues(checked, check)).toEqual([outside]);
    // Change another field: the host's issue is still valid, and the schema's new issue is added.
    const both = currentIssues({ ...checked, beam: { energy_MeV: 'x' } }, check);
    expect(both.map((each) => each.path)).toEqual(['beam.energy_MeV', 'geometry.regions[0].z_mm']);
    // The value itself changes: its old issue is gone until the host has checked it.
    const mended = { ...draft, geometry: { regions: [{ ...regions[0], z_mm: [0, 9] }] } };
    expect(currentIssues(mended, check)).toEqual([]);
  });

  it('shows an error at its field and at its parents', () => {
    const issues = [issue('geometry.regions[1].x_mm[0]', 'a'), issue('beam.energy_MeV', 'b')];
    expect(issuesAt(issues, ['geometry', 'regions', 1]).map((each) => each.message)).toEqual(['a']);
    expect(issuesAt(issues, ['geometry', 'regions', 0])).toEqual([]);
    expect(issuesAt(issues, ['geometry'])).toHaveLength(1);
  });

  it('follows the schema for a kind without its own layout', () => {
    const fields = sectionsOf('diffraction').flatMap((section) => section.fields.map((path) => path.join('.')));
    const naming = ['$schema', 'kind', 'version', 'name', 'notes'];
    const all = keysOf(schemaOfKind('diffraction')).filter((key) => !naming.includes(key));
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((key) => !fields.some((field) => key === field || key.startsWith(`${field}.`)))).toEqual([]);
    const draft = newDocument('diffraction');
    expect(fieldModel(draft, null, ['beam', 'wavelength_A'])).toMatchObject({
      title: 'Wavelength',
      unit: 'A',
      value: 6.2,
      allowed: '0.01 to 100 Å',
    });
    expect(fieldModel(draft, null, ['crystal', 'misset', 'x_deg'])?.unit).toBe('deg');
    const [beam] = sectionsOf('diffraction');
    expect(beam && sectionSummary(beam, draft, null)).toBe('6.2 Å');
    const faulty = { ...draft, detector: { pixel_mm: 99 } };
    expect(issuesAt(currentIssues(faulty, null), ['detector', 'pixel_mm'])).toMatchObject([
      { message: '99 mm is too large; allowed: 0.0001 to 10 mm' },
    ]);
  });

  it('summarises a collapsed section', () => {
    const geometry = sections.find((section) => section.id === 'geometry');
    if (geometry === undefined) throw new Error('no geometry');
    expect(sectionSummary(geometry, draft, resolvedScenario.scenario)).toBe('40 mm · 50 mm · water');
  });

  it('adds regions inside the geometry', () => {
    for (const preset of ['slab', 'half', 'box'] as const) {
      const region = newRegion(preset, resolvedScenario);
      expect(region.z_mm[0]).toBeGreaterThan(0);
      expect(region.z_mm[1]).toBeLessThanOrEqual(50);
      for (const x_mm of region.x_mm ?? []) expect(Math.abs(x_mm)).toBeLessThanOrEqual(20);
    }
    // A slab extends over the full width, even if that changes later.
    expect(newRegion('slab', resolvedScenario)).toEqual({ material: 'bone-compact-icru', z_mm: [16, 21] });
    expect(newRegion('half', resolvedScenario).x_mm).toEqual([0, 20]);
    expect(moveEntry(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
    expect(moveEntry(['a', 'b'], 0, 5)).toEqual(['a', 'b']);
  });
});

const rest = { name: 'a', density_g_cm3: 1 };

describe('the composition of a material in one line', () => {
  test.each([
    ['C5H8O2', { formula: 'C5H8O2' }],
    ['H 0.112, O 0.888', { composition: { H: 0.112, O: 0.888 } }],
    ['H: 0.112; O=0.888', { composition: { H: 0.112, O: 0.888 } }],
    ['H 0.112, O much', { composition: { H: 0.112, O: 'much' } }],
    ['CO', { formula: 'CO' }],
    ['nothing known', { formula: 'nothing known' }],
    ['', { formula: '' }],
  ])('is shown as %j', (text, expected) => {
    expect(setComposition({ ...rest, formula: 'H2O' }, text, parseFormula)).toEqual({ ...rest, ...expected });
  });

  test.each([['C5H8O2'], ['H 0.112, O 0.888']])('reads back as typed: %s', (text) => {
    expect(compositionText(setComposition(rest, text, parseFormula))).toBe(text);
  });
});
