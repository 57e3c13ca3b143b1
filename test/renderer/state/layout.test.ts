import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { scenarioKindNames } from '../../../electron/contract/scenario/index.ts';
import { panelEntry } from '../../../renderer/frame/panel-registry.ts';
import { isOfKind, defaultLayouts as layoutsBy, panelSlots } from '../../../renderer/state/layout/defaults.ts';
import { createLayoutStore, shownRoot } from '../../../renderer/state/layout/store.ts';
import {
  activatePanel,
  group,
  groupsOf,
  groupWith,
  type LayoutNode,
  layoutNames,
  layoutSchema,
  movedPanel,
  panelsOf,
  px,
  resizeSplit,
  share,
  sizeClasses,
  split,
  withoutPanel,
  type Zone,
} from '../../../renderer/state/layout/tree.ts';
import { memoryStorage } from '../../../renderer/state/persisted.ts';
import { movedSizes } from '../../../renderer/widgets/controls/split.tsx';
import { pageWorkloads } from '../../../renderer/workloads/index.ts';

const defaultLayouts = layoutsBy(pageWorkloads);

const tree = split(
  'root',
  'row',
  [px(300), group('a', 'one', 'two')],
  [share(1), split('s', 'column', [share(2), group('b', 'three')], [share(1), group('c', 'four')])],
);

/**
 * Checks a layout tree: no panel is lost or duplicated, no split has a single part, and some part takes the remaining
 * space.
 */
function expectValidLayout(root: LayoutNode, panels: readonly string[]): void {
  expect([...panelsOf(root)].sort()).toEqual([...panels].sort());
  const visit = (node: LayoutNode): void => {
    if (node.type === 'group') {
      expect(node.panels).toContain(node.active);
      return;
    }
    expect(node.children.length).toBeGreaterThan(1);
    expect(node.sizes.length).toBe(node.children.length);
    expect(node.sizes.some((size) => size.unit === 'share')).toBe(true);
    node.children.forEach(visit);
  };
  visit(root);
  layoutSchema.parse(root);
  const ids: string[] = [];
  const collect = (node: LayoutNode): void => {
    ids.push(node.id);
    if (node.type === 'split') node.children.forEach(collect);
  };
  collect(root);
  expect(new Set(ids).size).toBe(ids.length);
}

describe('the arrangement of panels', () => {
  it('moves a panel into a group, next to one, and along its own tabs', () => {
    const into = movedPanel(tree, 'three', 'a', 'center', 1);
    expect(groupWith(into, 'three')).toMatchObject({ id: 'a', panels: ['one', 'three', 'two'], active: 'three' });
    // A split with a single remaining part is replaced by that part.
    expect(groupsOf(into).map((each) => each.id)).toEqual(['a', 'c']);
    const beside = movedPanel(tree, 'two', 'c', 'left');
    expectValidLayout(beside, panelsOf(tree));
    expect(groupWith(beside, 'two')?.id).not.toBe('a');
    expect(groupWith(movedPanel(tree, 'one', 'a', 'center', 2), 'one')?.panels).toEqual(['two', 'one']);
  });

  it('moves a tab to the right with correct indices', () => {
    const three = group('g', 'one', 'two', 'three');
    const order = (panel: string, index: number) =>
      groupWith(movedPanel(three, panel, 'g', 'center', index), panel)?.panels;
    expect(order('one', 2)).toEqual(['two', 'one', 'three']);
    expect(order('one', 3)).toEqual(['two', 'three', 'one']);
    expect(order('three', 1)).toEqual(['one', 'three', 'two']);
  });

  it('shows the neighbour of a closed tab', () => {
    const showing = (active: string) => activatePanel(group('g', 'one', 'two', 'three'), active);
    expect(withoutPanel(showing('two'), 'two')).toMatchObject({ panels: ['one', 'three'], active: 'three' });
    expect(withoutPanel(showing('three'), 'three')).toMatchObject({ panels: ['one', 'two'], active: 'two' });
    expect(withoutPanel(showing('two'), 'one')).toMatchObject({ panels: ['two', 'three'], active: 'two' });
  });

  it('is unchanged if nothing would move or the target is gone', () => {
    expect(movedPanel(tree, 'four', 'c', 'right')).toBe(tree);
    expect(movedPanel(tree, 'four', 'nowhere', 'center')).toBe(tree);
    expect(withoutPanel(group('g', 'only'), 'only')).toBeNull();
  });

  it('shows a panel and resizes a split', () => {
    expect(groupWith(activatePanel(tree, 'two'), 'two')?.active).toBe('two');
    expect(resizeSplit(tree, 's', [share(1), share(1)])).toMatchObject({
      children: [{}, { sizes: [share(1), share(1)] }],
    });
    expect(resizeSplit(tree, 's', [share(1)])).toEqual(tree);
  });

  it('stays valid for any drag', () => {
    const panels = panelsOf(tree);
    const zone = fc.constantFrom<Zone>('center', 'left', 'right', 'top', 'bottom');
    const drag = fc.tuple(fc.constantFrom(...panels), fc.nat(9), zone, fc.option(fc.nat(4), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(drag, { maxLength: 25 }), (drags) => {
        let root: LayoutNode = tree;
        for (const [panel, target, where, index] of drags) {
          const groups = groupsOf(root);
          root = movedPanel(root, panel, groups[target % groups.length]?.id ?? '', where, index);
          expectValidLayout(root, panels);
        }
      }),
    );
  });

  it('resizes only the two parts next to a handle', () => {
    const sizes = [px(300), share(1), share(3)];
    const [a, b, c] = movedSizes(sizes, [300, 200, 600], 1, 50, 100);
    expect(a).toEqual(px(300));
    expect((b?.value ?? 0) / (c?.value ?? 1)).toBeCloseTo(250 / 550, 9);
    expect(movedSizes(sizes, [300, 200, 600], 0, -500, 100)[0]).toEqual(px(100));
    expect(movedSizes(sizes, [120, 60, 600], 0, 50, 100)).toBe(sizes);
  });
});

describe('layouts of panels', () => {
  const all = scenarioKindNames.flatMap((kind) =>
    layoutNames.flatMap((layout) => sizeClasses.map((size) => [kind, layout, size] as const)),
  );

  it.each(all)('are valid and match the table of panels: %s, %s for %s windows', (kind, layout, size) => {
    const own = panelSlots.filter((panel) => isOfKind(panel, kind, pageWorkloads) && panel[layout] !== undefined);
    expectValidLayout(
      defaultLayouts[kind][layout][size],
      own.map(({ id }) => id),
    );
  });

  it('include every existing panel', () => {
    // One table lists all panels: a folder without an entry, or an entry without a folder, would be an invisible panel.
    const folders = readdirSync(path.resolve(import.meta.dirname, '../../../renderer/panels'));
    expect(panelSlots.map(({ id }) => id).sort()).toEqual(folders.sort());
    for (const { id, icon } of panelSlots) expect(panelEntry(id)).toMatchObject({ id, icon });
    for (const kind of scenarioKindNames) {
      const own = panelSlots.filter((panel) => isOfKind(panel, kind, pageWorkloads));
      const keys = own.flatMap(({ key }) => (key === undefined ? [] : [key]));
      expect(new Set(keys).size).toBe(keys.length);
      expect(own.map(({ id }) => id)).toContain(pageWorkloads[kind].mainPanel);
    }
  });

  it('are changed independently', () => {
    const store = createLayoutStore(memoryStorage(), vi.fn(), pageWorkloads);
    store.choose('profile');
    store.close('phase-space');
    for (const size of sizeClasses)
      expect(panelsOf(shownRoot(store.getState(), store.arranged.getState(), size))).not.toContain('phase-space');
    expect(store.getState().layouts.transport.simulate).toEqual(defaultLayouts.transport.simulate);
    store.reset();
    expect(store.getState().layouts).toEqual(defaultLayouts);
    expect(store.getState().shown).toBe('profile');
  });

  it('reopen a closed panel next to its former neighbours, wherever they are now', () => {
    const store = createLayoutStore(memoryStorage(), vi.fn(), pageWorkloads);
    store.move('wide', 'dose-map', 'lower', 'right');
    store.close('volume');
    store.close('phase-space');
    store.reveal('phase-space');
    const root = shownRoot(store.getState(), store.arranged.getState(), 'wide');
    expect(groupWith(root, 'phase-space')).toMatchObject({
      panels: ['dose-map', 'phase-space'],
      active: 'phase-space',
    });
    store.reveal('volume');
    const all = shownRoot(store.getState(), store.arranged.getState(), 'wide');
    expectValidLayout(all, panelsOf(defaultLayouts.transport.simulate.wide));
  });

  it('open a panel from another layout, and maximise it', () => {
    const store = createLayoutStore(memoryStorage(), vi.fn(), pageWorkloads);
    store.choose('profile');
    expect(panelsOf(shownRoot(store.getState(), store.arranged.getState(), 'wide'))).not.toContain('lateral');
    store.enlarge('lateral');
    expect(store.enlarged.getState().panel).toBe('lateral');
    expect(groupWith(shownRoot(store.getState(), store.arranged.getState(), 'wide'), 'lateral')?.active).toBe(
      'lateral',
    );
    store.choose('simulate');
    expect(store.enlarged.getState().panel).toBeNull();
  });

  it('do not close their last panel', () => {
    const store = createLayoutStore(memoryStorage(), vi.fn(), pageWorkloads);
    for (const { id } of panelSlots) store.close(id);
    for (const size of sizeClasses)
      expect(panelsOf(shownRoot(store.getState(), store.arranged.getState(), size))).toHaveLength(1);
    for (const { id } of panelSlots) store.reveal(id);
    for (const size of sizeClasses)
      expectValidLayout(
        shownRoot(store.getState(), store.arranged.getState(), size),
        panelSlots.map(({ id }) => id),
      );
  });
});

describe('stored layouts', () => {
  const current = { shown: 'simulate', layouts: defaultLayouts, known: panelSlots.map(({ id }) => id) };
  const withSimulate = (change: object): string =>
    JSON.stringify({
      version: 3,
      data: {
        ...current,
        layouts: {
          ...defaultLayouts,
          transport: {
            ...defaultLayouts.transport,
            simulate: { ...defaultLayouts.transport.simulate, ...change },
          },
        },
      },
    });

  it('are restored as they were left', () => {
    const storage = memoryStorage();
    const reset = vi.fn();
    const first = createLayoutStore(storage, reset, pageWorkloads);
    first.show('wide', 'runs');
    first.move('narrow', 'ledger', 'lower', 'bottom');
    first.choose('compare');
    first.close('lateral');
    const second = createLayoutStore(storage, reset, pageWorkloads);
    expect(second.getState()).toEqual(first.getState());
    expect(reset).not.toHaveBeenCalled();
  });

  it('migrate from the version that had one layout', () => {
    const storage = memoryStorage();
    const old = split('root', 'row', [px(300), group('input', 'scenario', 'runs')], [share(1), group('g', 'run')]);
    storage.setItem('braggbench.layout', JSON.stringify({ version: 1, data: { wide: old, narrow: old, small: old } }));
    const reset = vi.fn();
    const { shown, layouts } = createLayoutStore(storage, reset, pageWorkloads).getState();
    expect(reset).not.toHaveBeenCalled();
    expect([shown, groupWith(layouts.transport.simulate.wide, 'runs')?.panels.slice(0, 2)]).toEqual([
      'simulate',
      ['scenario', 'runs'],
    ]);
    expect(layouts.transport.profile).toEqual(defaultLayouts.transport.profile);
    expect(layouts.diffraction).toEqual(defaultLayouts.diffraction);
  });

  it('belong to transport if they predate other kinds', () => {
    const storage = memoryStorage();
    const before = createLayoutStore(memoryStorage(), vi.fn(), pageWorkloads);
    before.close('lateral');
    const { transport } = before.getState().layouts;
    const old = { shown: 'compare', layouts: transport, known: current.known };
    storage.setItem('braggbench.layout', JSON.stringify({ version: 2, data: old }));
    const reset = vi.fn();
    const { shown, layouts } = createLayoutStore(storage, reset, pageWorkloads).getState();
    expect(reset).not.toHaveBeenCalled();
    expect(shown).toBe('compare');
    expect(layouts).toEqual({ ...defaultLayouts, transport });
  });

  it('are separate for each kind of scenario', () => {
    const store = createLayoutStore(memoryStorage(), vi.fn(), pageWorkloads);
    expect(panelsOf(shownRoot(store.getState(), store.arranged.getState(), 'wide'))).toContain('dose-map');
    store.arrangeFor('diffraction');
    const panelsNow = () => panelsOf(shownRoot(store.getState(), store.arranged.getState(), 'wide'));
    expect(panelsNow()).toContain('image');
    expect(panelsNow()).not.toContain('dose-map');
    store.close('image');
    store.arrangeFor('transport');
    expect(store.getState().layouts.transport).toEqual(defaultLayouts.transport);
    store.arrangeFor('diffraction');
    expect(panelsNow()).not.toContain('image');
  });

  it('get new panels of a newer version behind the tabs in use', () => {
    const storage = memoryStorage();
    const known = current.known.filter((id) => id !== 'phase-space');
    const before = createLayoutStore(storage, vi.fn(), pageWorkloads);
    before.close('phase-space');
    const { layouts } = before.getState();
    storage.setItem('braggbench.layout', JSON.stringify({ version: 3, data: { ...current, layouts, known } }));
    const after = createLayoutStore(storage, vi.fn(), pageWorkloads);
    expect(groupWith(after.getState().layouts.transport.simulate.wide, 'phase-space')).toMatchObject({
      panels: ['dose-map', 'volume', 'phase-space'],
      active: 'dose-map',
    });
    // A panel that the user has closed stays closed.
    after.close('phase-space');
    expect(
      panelsOf(createLayoutStore(storage, vi.fn(), pageWorkloads).getState().layouts.transport.simulate.wide),
    ).not.toContain('phase-space');
  });

  it.each([
    ['broken text', '{"version": 2, "data": {'],
    ['no version', '{"data": {}}'],
    ['a newer program', JSON.stringify({ version: 99, data: current })],
    ['a layout that is unknown', JSON.stringify({ version: 2, data: { ...current, shown: 'paint' } })],
    ['a panel that stands twice', withSimulate({ wide: group('g', 'scenario', 'scenario') })],
    ['a panel that is unknown', withSimulate({ small: group('g', 'hologram') })],
  ])('are reset with a note if they are %s', (_what, text) => {
    const storage = memoryStorage();
    storage.setItem('braggbench.layout', text);
    const reset = vi.fn();
    expect(createLayoutStore(storage, reset, pageWorkloads).getState()).toEqual(current);
    expect(reset).toHaveBeenCalledWith('layout', expect.any(String));
  });
});
