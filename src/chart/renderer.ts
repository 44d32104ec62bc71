import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Chart } from '../alert/alert.ts';
import type { Picture } from '../card/picture.ts';
import { plainReader } from '../language/say.ts';
import { type WallClock, wallClock } from '../runtime/clock.ts';
import { minute, second } from '../runtime/units.ts';
import { describeChart } from './alt.ts';
import type { DrawOptions } from './option.ts';
import { sample } from './sample.ts';
import { createThread } from './thread.ts';

export type { DrawOptions } from './option.ts';

export interface ChartRenderer {
  /**
   * At most 60 KB, 990 pixels wide; shared by all who ask for it, so not to be changed. undefined: there is none, the
   * log says why, and the message goes without. Never throws.
   */
  render(chart: Chart<string>, options: DrawOptions): Promise<Picture | undefined>;
  /**
   * For places that ask for pictures: starts the thread at once, draws until its code is compiled, and keeps it. Its
   * first pictures take ten times as long as later ones; it holds some 80 MB.
   */
  warm(): Promise<void>;
  close(): Promise<void>;
}

export interface RendererOptions {
  readonly log?: Pick<Logger, 'warn'>;
  readonly wall?: WallClock;
  /** The entry of the thread that draws: takes `Request`s, says `Answer`s. */
  readonly entry?: URL;
}

/** Wall ms that whoever asks waits, and that a picture may take: some fifty times what a warm thread does. */
const patience = 5 * second;
/**
 * Wall ms a thread's first picture may take. Who asked no longer waits for it, but a machine so busy that it takes that
 * long would never have a picture if each one began a thread anew.
 */
const startPatience = 30 * second;
/** Wall ms: a thread holds some 100 MB, and people who ask once ask again. */
const idleAfter = 5 * minute;
/** Pictures asked for and not yet drawn: more would come later than their messages can wait. */
const longestQueue = 32;
const warmingPictures = 6;
/** More points than could be seen are a mistake, and copying them would hold up the bot. */
const maxPoints = 20_000;
/** One alert is one picture for all who get it. 64 of them are 4 MB at most. */
const remembered = 64;

/**
 * Draws charts in a thread of its own, one after the other; the first one starts it. A chart that could not be drawn is
 * not tried again while it is remembered: it may have cost the thread its life.
 */
export function createChartRenderer(options: RendererOptions = {}): ChartRenderer {
  const { log, wall = wallClock, entry = new URL('./worker.ts', import.meta.url) } = options;
  const thread = createThread({ entry, wall, patience, startPatience, idleAfter });
  const pictures = new Map<string, Promise<Picture | undefined>>();
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let closed = false;

  async function draw(chart: Chart<string>, options: DrawOptions): Promise<Picture | undefined> {
    waiting++;
    const turn = queue.then(() => thread.draw(chart, options));
    queue = turn.catch(() => {});
    try {
      return { png: await turn, alt: describeChart(chart, options) };
    } catch (error) {
      if (!closed)
        log?.warn(
          { err: error, chart: chart.title },
          'could not draw a chart; the message goes out without it',
        );
      return undefined;
    } finally {
      waiting--;
    }
  }

  /** A message does not wait longer; whoever asks later gets the picture as soon as it is drawn. */
  async function inTime(picture: Promise<Picture | undefined>, { title }: Chart<string>) {
    const drawn = new AbortController();
    const late = async () => {
      await wall.sleep(patience, drawn.signal);
      log?.warn({ chart: title }, 'a chart is not drawn yet; the message goes out without it');
      return undefined;
    };
    try {
      return await Promise.race([picture, late()]);
    } finally {
      drawn.abort();
    }
  }

  return {
    async render(chart, options) {
      if (closed) return undefined;
      const key = createHash('sha256')
        .update(JSON.stringify([chart, options]))
        .digest('hex');
      const known = pictures.get(key);
      pictures.delete(key);
      if (known === undefined) {
        const problem = tooMuch(chart, waiting);
        if (problem !== undefined) {
          log?.warn({ chart: chart.title }, problem);
          return undefined;
        }
      }
      const picture = known ?? draw(chart, options);
      // The newest last: the first of the map is the one least lately asked for.
      pictures.set(key, picture);
      for (const [oldest] of pictures) {
        if (pictures.size <= remembered) break;
        pictures.delete(oldest);
      }
      return inTime(picture, chart);
    },
    async warm() {
      thread.keep();
      for (let n = 0; n < warmingPictures && !closed; n++) {
        const theme = n % 2 === 0 ? 'dark' : 'light';
        await draw(sample, { ...plainReader, theme });
      }
    },
    async close() {
      closed = true;
      pictures.clear();
      await thread.close();
    },
  };
}

function tooMuch(chart: Chart<string>, waiting: number): string | undefined {
  if (waiting >= longestQueue) return 'too many charts are waiting to be drawn: the message goes without';
  const points = [chart, ...(chart.below === undefined ? [] : [chart.below])]
    .flatMap(({ series }) => series)
    .reduce((sum, each) => sum + each.points.length, 0);
  return points > maxPoints
    ? `a chart of ${points} points is not drawn: at most ${maxPoints} are`
    : undefined;
}
