import { plainLine } from '../card/plain.ts';
import { fit, width } from '../card/width.ts';

/**
 * Sizes in CSS pixels, of a picture that a phone shows about 360 wide: what is 12 here is 10 there. It is drawn at
 * `zoom` pixels to one, for screens of three: 990 wide.
 */
export const picture = { width: 440, zoom: 2.25 } as const;
export const font = { title: 16, legend: 13, axis: 12 } as const;
export const margin = 16;
/** Room for text between the two. */
export const inner = picture.width - 2 * margin;

export const legendTop = 39;
export const legendRow = 21;
const onePanel = 280;
const secondPanel = 90;
const betweenPanels = 20;
const abovePanels = 17;
const axisAndFooter = 48;

/** Widths of Inter in parts of its size, rounded up: narrow letters, capitals, all else; a wide character is two. */
const narrow = /[ijlItfr.,:;'|!()[\]{} -]/g;
const broad = /[A-HJ-Zmw%@&<>+=~#×–…]/g;
const [narrowWidth, broadWidth, usual] = [0.37, 0.72, 0.6];

export const textWidth = (text: string, size: number): number => {
  const some = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const extra = some(broad) * (broadWidth - usual) - some(narrow) * (usual - narrowWidth);
  return (width(text) * usual + extra) * size;
};

/** XML has no such characters: one of them, and there would be no picture. */
const noXml = /[\ufffe\uffff]/g;

/** Text of others, as long as there is room for. */
export const label = (
  text: string,
  { room, size }: { readonly room: number; readonly size: number },
): string => ownKey(fit(plainLine(text.replace(noXml, ' ')), Math.max(1, Math.floor(room / (usual * size)))));

/** ECharts keeps what it measured in plain objects: `__proto__` it would find there unasked, and write to. */
const ownKey = (text: string): string => (text in Object.prototype ? `${text} ` : text);

export interface Layout {
  readonly height: number;
  /** One or two, top to bottom. */
  readonly panels: readonly { readonly top: number; readonly height: number }[];
}

/** A longer legend or a second panel makes the picture higher, not its values smaller. */
export function layOut(panels: number, legendRows: number): Layout {
  const top = legendTop + legendRows * legendRow + abovePanels;
  const height = onePanel + Math.max(0, legendRows - 1) * legendRow;
  const main = { top, height: height - top - axisAndFooter };
  if (panels === 1) return { height, panels: [main] };
  return {
    height: height + secondPanel,
    panels: [main, { top: top + main.height + betweenPanels, height: secondPanel - betweenPanels }],
  };
}
