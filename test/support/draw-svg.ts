import type { Chart } from '#src/alert/alert.ts';
import { type DrawOptions, drawPicture } from '#src/chart/picture.ts';
import { markup } from '#src/chart/shape.ts';

/** Returns a picture as SVG, its texts as texts. */
export const drawSvg = (chart: Chart<string>, options: DrawOptions): string =>
  markup(drawPicture(chart, options));
