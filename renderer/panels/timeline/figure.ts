/** The timeline as an exportable figure: vector drawing, and its rectangles as numeric arrays. */
import type { Drawing2D } from '../../drawing/context-2d.ts';
import type { Figure, FigureArray } from '../../drawing/export/figure.ts';
import type { TimelineScene } from '../../drawing/timeline/scene.ts';

export function timelineFigure(
  scene: TimelineScene,
  size: { readonly width: number; readonly height: number },
  paint: (context: Drawing2D) => void,
): Figure {
  const columns: Record<'block' | 'track' | 'start_ns' | 'end_ns' | 'spans', number[]> = {
    block: [],
    track: [],
    start_ns: [],
    end_ns: [],
    spans: [],
  };
  const { from, to } = scene.view;
  for (const [block, { window, origin_ns }] of scene.blocks.entries()) {
    if (window === null) continue;
    const pixel = (window.to_ns - window.from_ns) / window.pixels;
    const time = (edge: number | undefined): number => window.from_ns + (edge ?? 0) * pixel - origin_ns;
    for (const [i, track] of window.tracks.entries()) {
      for (let at = window.offsets[i] ?? 0; at < (window.offsets[i + 1] ?? 0); at += 1) {
        const [start, end] = [time(window.left[at]), time(window.right[at])];
        if (end < from || start > to) continue;
        columns.block.push(block);
        columns.track.push(track);
        columns.start_ns.push(start);
        columns.end_ns.push(end);
        columns.spans.push(window.count[at] ?? 1);
      }
    }
  }
  const count = columns.block.length;
  const array = (name: keyof typeof columns, unit: string, description: string): FigureArray => ({
    name,
    unit,
    description,
    shape: [count],
    values: Float64Array.from(columns[name]),
    ...(name !== 'start_ns' && { axes: ['start_ns'] }),
  });
  const titles = scene.blocks.map(({ title, about }) => (about === '' ? title : `${title}: ${about}`));
  return {
    name: `${scene.blocks[0]?.title ?? 'run'}, timeline`,
    title: titles.join('; '),
    ...size,
    arrays: [
      array('start_ns', 'ns', 'Start of the rectangle on the common axis'),
      array('end_ns', 'ns', 'End of the rectangle'),
      array('block', '', 'Number of the timeline, from 0, in the order of the title'),
      array('track', '', 'Row of the timeline'),
      array('spans', '', 'Number of spans in the rectangle'),
    ],
    notes: { from_ns: from, to_ns: to, timelines: titles.join('; ') },
    paint,
  };
}
