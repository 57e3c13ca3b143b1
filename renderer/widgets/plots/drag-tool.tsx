/** Drag tools of a map: move it, draw a profile's segment, or mark a region. */
import type { ReactElement } from 'react';
import type { DragTool } from '../../drawing/map-gestures.ts';
import { Segmented } from '../controls/segmented.tsx';

const tools: readonly { readonly value: DragTool; readonly label: string; readonly title: string }[] = [
  { value: 'pan', label: 'move', title: 'Dragging moves the zoomed field' },
  { value: 'segment', label: 'line', title: 'Drag a segment: the values along it' },
  { value: 'region', label: 'region', title: 'Drag a rectangle: sum, mean, largest value, centre and width' },
];

interface DragToolChoiceProps {
  readonly value: DragTool;
  readonly onChange: (tool: DragTool) => void;
}

export function DragToolChoice({ value, onChange }: DragToolChoiceProps): ReactElement {
  return <Segmented label="Dragging on the map" value={value} options={tools} onChange={onChange} />;
}
