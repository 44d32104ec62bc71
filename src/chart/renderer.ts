import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Chart } from '../alert/alert.ts';
import { panelsOf } from '../alert/panels.ts';
import type { Picture } from '../card/picture.ts';
import { plainReader } from '../language/say.ts';
import { type WallClock, wallClock } from '../runtime/clock.ts';
import { createThread } from '../runtime/thread.ts';
import { minute, second } from '../runtime/units.ts';
import type { DrawOptions } from './picture.ts';
import { describeChart } from './plain-chart.ts';
import { sample } from './sample.ts';
import type { Drawer } from './worker.ts';

export interface ChartRenderer {
  /**
   * Returns a chart as a picture of at most 60 KB, 990 pixels wide. It is shared by all who ask for it and must not be
   * changed. Undefined: there is no picture, the log says why, and the message is sent without it. Never throws.
   */
  render(chart: Chart<string>, options: DrawOptions): Promise<Picture | undefined>;
  /**
   * Prepares for places that want pictures: starts the thread at once, draws until its code is compiled, and keeps the
   * thread. Its first pictures take ten times as long as later ones. The thread holds some 80 MB.
   */
  warm(): Promise<void>;
  close(): Promise<void>;
}

export interface RendererOptions {
  readonly log?: Pick<Logger, 'warn'>;
  readonly wall?: WallClock;
  /** The entry of the thread that draws: it offers a `Drawer`. */
  readonly entry?: URL;
}

/**
 * How long a caller waits for a picture, and how long a picture may take, wall ms: some fifty times what a warm thread
 * needs.
 */
const pictureTimeout = 5 * second;
/**
 * How long a thread's first picture may take, wall ms. The caller no longer waits for it then. But if each picture
 * began a new thread, a machine so busy that the first one takes this long would never have a picture.
 */
const firstPictureTimeout = 30 * second;
/** After how long an idle thread ends, wall ms: it holds some 100 MB, and people who ask once ask again. */
const idleAfter = 5 * minute;
/** How many pictures can wait to be drawn. More would come later than their messages can wait. */
const maxQueueLength = 32;
const warmingPictures = 6;
/** The most points of a chart. More could not be seen and must be a mistake, and copying them would hold up the bot. */
const maxPoints = 20_000;
/** How many pictures are cached: the picture of an alert is the same for all who get it. 64 of them are 4 MB at most. */
const maxCachedPictures = 64;
/**
 * How long a chart that could not be drawn is not tried again, wall ms. It may have caused the thread's end, or the
 * machine had no time for it.
 */
const retryAfter = minute;
/**
 * If the heap is exceeded, the thread ends and not the bot. The young generation is small because each picture leaves
 * megabytes of pixels that only a collection frees. Measured over 400 pictures: 100 MB with 4, 200 MB with V8's own 32.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

/**
 * Makes a renderer that draws charts in a thread of its own, one after the other; the first chart starts the thread. A
 * chart that could not be drawn is not tried again for a minute.
 */
export function createChartRenderer(options: RendererOptions = {}): ChartRenderer {
  const { log, wall = wallClock, entry = new URL('./worker.ts', import.meta.url) } = options;
  const drawing = openDrawing(entry, wall);
  const pictures = new Map<string, Promise<Picture | undefined>>();
  /** The times, wall ms, at which charts could not be drawn. */
  const failures = new WeakMap<Promise<Picture | undefined>, number>();
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let closed = false;

  async function draw(chart: Chart<string>, options: DrawOptions): Promise<Picture | undefined> {
    waiting++;
    const turn = queue.then(() => {
      if (closed) throw new Error('the renderer is closed');
      return drawing.draw(chart, options);
    });
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

  /** Waits for a picture at most `pictureTimeout` ms. A picture that is drawn later is in the cache for the next caller. */
  async function waitForPicture(picture: Promise<Picture | undefined>, { title }: Chart<string>) {
    const drawn = new AbortController();
    const late = async () => {
      await wall.sleep(pictureTimeout, drawn.signal);
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
      const cached = pictures.get(key);
      const failedAt = cached && failures.get(cached);
      const known =
        failedAt !== undefined && Math.abs(wall.now() - failedAt) >= retryAfter ? undefined : cached;
      pictures.delete(key);
      if (known === undefined) {
        const problem = findProblem(chart, waiting);
        if (problem !== undefined) {
          log?.warn({ chart: chart.title }, problem);
          return undefined;
        }
      }
      const picture = known ?? draw(chart, options);
      if (known === undefined)
        void picture.then((drawn) => drawn === undefined && failures.set(picture, wall.now()));
      // The picture is put last in the map, so that the first is the one that has not been asked for the longest.
      pictures.set(key, picture);
      for (const [oldest] of pictures) {
        if (pictures.size <= maxCachedPictures) break;
        pictures.delete(oldest);
      }
      return waitForPicture(picture, chart);
    },
    async warm() {
      drawing.keep();
      for (let n = 0; n < warmingPictures && !closed; n++) {
        const theme = n % 2 === 0 ? 'dark' : 'light';
        await draw(sample, { ...plainReader, theme });
      }
    },
    async close() {
      closed = true;
      pictures.clear();
      await drawing.end();
    },
  };
}

/** A thread that draws one chart at a time. It ends when it has been idle, and after a chart that could not be drawn. */
function openDrawing(entry: URL, wall: WallClock) {
  const thread = createThread<Drawer>(entry, { options: () => ({ name: 'charts', resourceLimits }) });
  let hasDrawn = false;
  let isKept = false;
  let idle = new AbortController();
  const end = async (reason?: unknown) => {
    idle.abort();
    hasDrawn = false;
    await thread.end(reason);
  };
  return {
    end,
    async draw(chart: Chart<string>, options: DrawOptions): Promise<Uint8Array> {
      idle.abort();
      const timeout = hasDrawn ? pictureTimeout : firstPictureTimeout;
      const answered = new AbortController();
      wall.sleep(timeout, answered.signal).then(
        () => end(new Error(`the thread that draws said nothing for ${timeout} ms`)),
        () => {},
      );
      try {
        const png = await thread.remote.drawPng(chart, options);
        hasDrawn = true;
        idle = new AbortController();
        if (!isKept) wall.sleep(idleAfter, idle.signal).then(end, () => {});
        return png;
      } catch (error) {
        // The next picture begins in a fresh thread. The end of this one is not waited for, because it may hang.
        void end();
        throw error;
      } finally {
        answered.abort();
      }
    },
    /** Keeps the thread from ending when it is idle. */
    keep() {
      isKept = true;
      idle.abort();
    },
  };
}

function findProblem(chart: Chart<string>, waiting: number): string | undefined {
  if (waiting >= maxQueueLength) return 'too many charts are waiting to be drawn: the message goes without';
  const points = panelsOf(chart)
    .flatMap(({ series }) => series)
    .reduce((sum, each) => sum + each.points.length, 0);
  return points > maxPoints
    ? `a chart of ${points} points is not drawn: at most ${maxPoints} are`
    : undefined;
}
