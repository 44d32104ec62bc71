import { plainLine } from '../card/plain.ts';
import { fit, width } from '../card/width.ts';

/**
 * The size of a picture in CSS pixels. A phone shows it about 360 wide, so that 12 here are 10 there. It is drawn with
 * `zoom` pixels to one, 990 wide, for screens with three.
 */
export const picture = { width: 440, zoom: 2.25 } as const;
export const font = { title: 16, legend: 13, axis: 12 } as const;
export const margin = 16;
/** The room for text between the two margins. */
export const innerWidth = picture.width - 2 * margin;

export const legendTop = 39;
export const legendRow = 21;
const onePanel = 280;
const secondPanel = 90;
const betweenPanels = 20;
const abovePanels = 17;
const axisAndFooter = 48;

/**
 * Widths of the letters of Inter as parts of the font's size, rounded up: of narrow letters, of broad ones and of all
 * others. An East Asian wide character counts as two.
 */
const narrow = /[ijlItfr.,:;'|!()[\]{} -]/g;
const broad = /[A-HJ-Zmw%@&<>+=~#×–…]/g;
const [narrowWidth, broadWidth, usualWidth] = [0.37, 0.72, 0.6];

export const textWidth = (text: string, size: number): number => {
  const countOf = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const extra = countOf(broad) * (broadWidth - usualWidth) - countOf(narrow) * (usualWidth - narrowWidth);
  return (width(text) * usualWidth + extra) * size;
};

/** Characters that XML does not allow: a single one of them would prevent the whole picture. */
const notInXml = /[\ufffe\uffff]/g;

/** Returns a text that others have written, cut to the room that there is for it. */
export const label = (
  text: string,
  { room, size }: { readonly room: number; readonly size: number },
): string =>
  safeKey(fit(plainLine(text.replace(notInXml, ' ')), Math.max(1, Math.floor(room / (usualWidth * size)))));

/**
 * Returns a text that is safe as a key. ECharts keeps measured texts as keys of plain objects, where it would find an
 * inherited `__proto__` and write to it.
 */
const safeKey = (text: string): string => (text in Object.prototype ? `${text} ` : text);

export interface Layout {
  readonly height: number;
  /** One or two panels, from top to bottom. */
  readonly panels: readonly { readonly top: number; readonly height: number }[];
}

/** Returns the places of the panels. A longer legend or a second panel makes the picture higher and not the panel smaller. */
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
