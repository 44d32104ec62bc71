import { fontSize, type LegendEntry, type MarkModel, type PanelModel } from './model.ts';
import { type Plane, round } from './paths.ts';
import { type Shape, shape } from './shape.ts';
import { shorten, textWidth } from './text-width.ts';
import { colourIn, type Theme } from './theme.ts';

/** A panel, and where it is. */
export interface Area extends Plane {
  readonly panel: PanelModel;
  readonly top: number;
  readonly bottom: number;
  readonly right: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The height of a line of text and how much a name may rise above its panel, pixels. */
const line = 15;
const inset = 4;
/** How far apart the places are that are tried along a level, pixels. */
const tries = 12;

/**
 * Writes the names of levels at their lines, each beside those that are there already: on the other side of its line, or further to
 * the right. What finds no room is returned for the legend.
 */
export function placeLabels(
  { panel: { marks, caption }, top, bottom, right, y }: Area,
  theme: Theme,
): { readonly shapes: Shape[]; readonly unnamed: LegendEntry[] } {
  const taken: Box[] =
    caption === undefined
      ? []
      : [{ left: 0, right: textWidth(caption, fontSize), top: top - line - 2, bottom: top - 2 }];
  const shapes: Shape[] = [];
  const unnamed: LegendEntry[] = [];
  for (const mark of marks) {
    const text = labelOf(mark, right - 2 * inset);
    const width = textWidth(text, fontSize);
    const sides = mark.side === 'above' ? [-line - 1, 1] : [1, -line - 1];
    const uppers = sides
      .map((from) => y(mark.value) + from)
      .filter((upper) => upper >= top - line - 1 && upper + line <= bottom);
    const count = Math.max(0, Math.floor((right - width - inset) / tries) + 1);
    const places = Array.from({ length: count }, (_, index) => inset + index * tries).flatMap((left) =>
      uppers.map((upper): Box => ({ left, right: left + width, top: upper, bottom: upper + line })),
    );
    const free = places.find((place) => !taken.some((other) => overlaps(place, other)));
    if (free === undefined) {
      const { name, text: value, colour } = mark;
      unnamed.push({ shape: 'level', name, value, colour });
      continue;
    }
    taken.push(free);
    shapes.push(
      shape(
        'text',
        {
          x: free.left,
          y: round(free.bottom - 3.5),
          fill: colourIn(theme, mark.colour),
          stroke: theme.ground,
          'stroke-width': 3,
          'stroke-linejoin': 'round',
          'paint-order': 'stroke',
          'font-weight': 600,
        },
        text,
      ),
    );
  }
  return { shapes, unnamed };
}

/** Returns a level’s name and value. The name is shortened where there is too little room, the value never. */
function labelOf({ name, text }: MarkModel, room: number): string {
  const value = `  ${text}`;
  const short = shorten(name, { room: room - textWidth(value, fontSize), size: fontSize });
  return short === '' ? text : `${short}${value}`;
}
