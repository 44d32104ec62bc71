import { Resvg } from '@resvg/resvg-js';
import type { Chart } from '../alert/alert.ts';
import { fontSize } from './model.ts';
import { outlined } from './outlines.ts';
import { type DrawOptions, drawPicture, picture } from './picture.ts';
import { encodePng } from './png.ts';
import { markup } from './shape.ts';

/** The size that a picture of usual height should not exceed, bytes: a phone loads it without delay. One with lanes may be larger. */
export const maxPictureBytes = 60_000;

/** The height of a picture with two panels, CSS pixels. */
const usualHeight = 400;

/**
 * Draws a PNG within `maxPictureBytes`. A picture that would be larger is drawn with fewer pixels, down to a zoom of
 * about a half.
 */
export function drawPng(chart: Chart<string>, options: DrawOptions): Uint8Array {
  const svg = markup(outlined(drawPicture(chart, options), fontSize));
  for (let zoom: number = picture.zoom; ; zoom *= 0.75) {
    const { pixels, width, height } = new Resvg(svg, {
      fitTo: { mode: 'zoom', value: zoom },
      // No crop: resvg would copy the pixels of the whole picture.
      crop: { left: 0, top: 0, right: 0, bottom: 0 },
      font: { loadSystemFonts: false },
    }).render();
    const png = encodePng(pixels, { width, height });
    const most = maxPictureBytes * Math.max(1, height / zoom / usualHeight);
    if (png.byteLength <= most || zoom < 0.5) return png;
  }
}
