import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { defaultLayouts } from '../../../renderer/state/layout/defaults.ts';
import { createLayoutStore } from '../../../renderer/state/layout/store.ts';
import {
  activated,
  group,
  groupsOf,
  groupWith,
  type LayoutNode,
  layoutSchema,
  movedPanel,
  panelsOf,
  px,
  resized,
  share,
  split,
  withoutPanel,
  type Zone,
} from '../../../renderer/state/layout/tree.ts';
import { memoryStorage } from '../../../renderer/state/persisted.ts';
import { movedSizes } from '../../../renderer/widgets/split.tsx';

const tree = split(
  'root',
  'row',
  [px(300), group('a', 'one', 'two')],
  [share(1), split('s', 'column', [share(2), group('b', 'three')], [share(1), group('c', 'four')])],
);

/** No panel is lost or doubled, no split is left with one part, and somebody takes the rest of the room. */
function sound(root: LayoutNode, panels: readonly string[]): void {
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
  it('moves a panel into a group, beside one, and along its own tabs', () => {
    const into = movedPanel(tree, 'three', 'a', 'center', 1);
    expect(groupWith(into, 'three')).toMatchObject({ id: 'a', panels: ['one', 'three', 'two'], active: 'three' });
    // The split that was left with one part is that part.
    expect(groupsOf(into).map((each) => each.id)).toEqual(['a', 'c']);
    const beside = movedPanel(tree, 'two', 'c', 'left');
    sound(beside, panelsOf(tree));
    expect(groupWith(beside, 'two')?.id).not.toBe('a');
    expect(groupWith(movedPanel(tree, 'one', 'a', 'center', 2), 'one')?.panels).toEqual(['two', 'one']);
  });

  it('leaves everything as it is when nothing would change or the target is gone', () => {
    expect(movedPanel(tree, 'four', 'c', 'right')).toBe(tree);
    expect(movedPanel(tree, 'four', 'nowhere', 'center')).toBe(tree);
    expect(withoutPanel(group('g', 'only'), 'only')).toBeNull();
  });

  it('shows a panel and resizes a split', () => {
    expect(groupWith(activated(tree, 'two'), 'two')?.active).toBe('two');
    expect(resized(tree, 's', [share(1), share(1)])).toMatchObject({ children: [{}, { sizes: [share(1), share(1)] }] });
    expect(resized(tree, 's', [share(1)])).toEqual(tree);
  });

  it('stays sound whatever is dragged where', () => {
    const panels = panelsOf(tree);
    const zone = fc.constantFrom<Zone>('center', 'left', 'right', 'top', 'bottom');
    const drag = fc.tuple(fc.constantFrom(...panels), fc.nat(9), zone, fc.option(fc.nat(4), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(drag, { maxLength: 25 }), (drags) => {
        let root: LayoutNode = tree;
        for (const [panel, target, where, index] of drags) {
          const groups = groupsOf(root);
          root = movedPanel(root, panel, groups[target % groups.length]?.id ?? '', where, index);
          sound(root, panels);
        }
      }),
    );
  });

  it('resizes the two parts at a handle and no others', () => {
    const sizes = [px(300), share(1), share(3)];
    const [a, b, c] = movedSizes(sizes, [300, 200, 600], 1, 50, 100);
    expect(a).toEqual(px(300));
    expect((b?.value ?? 0) / (c?.value ?? 1)).toBeCloseTo(250 / 550, 9);
    expect(movedSizes(sizes, [300, 200, 600], 0, -500, 100)[0]).toEqual(px(100));
    expect(movedSizes(sizes, [120, 60, 600], 0, 50, 100)).toBe(sizes);
  });
});

describe('the stored arrangement', () => {
  it('comes back as it was left', () => {
    const storage = memoryStorage();
    const reset = vi.fn();
    const first = createLayoutStore(storage, reset);
    first.show('wide', 'runs');
    first.move('narrow', 'ledger', 'curve', 'bottom');
    const second = createLayoutStore(storage, reset);
    expect(second.getState()).toEqual(first.getState());
    expect(reset).not.toHaveBeenCalled();
    second.reset();
    expect(second.getState()).toEqual(defaultLayouts);
  });

  it.each([
    ['broken text', '{"version": 1, "data": {'],
    ['no version', '{"data": {}}'],
    ['a newer program', JSON.stringify({ version: 99, data: defaultLayouts })],
    [
      'a panel that is missing',
      JSON.stringify({ version: 1, data: { ...defaultLayouts, wide: group('g', 'scenario') } }),
    ],
    [
      'a panel that is unknown',
      JSON.stringify({ version: 1, data: { ...defaultLayouts, small: group('g', 'hologram') } }),
    ],
  ])('is reset with a note when it is %s', (_what, text) => {
    const storage = memoryStorage();
    storage.setItem('braggbench.layout', text);
    const reset = vi.fn();
    expect(createLayoutStore(storage, reset).getState()).toEqual(defaultLayouts);
    expect(reset).toHaveBeenCalledWith('layout', expect.any(String));
  });
});
