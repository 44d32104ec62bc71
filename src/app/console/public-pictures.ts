import { randomBytes } from 'node:crypto';
import type { Draw } from '../../card/picture.ts';
import type { PublicPictures } from '../../platforms/ports.ts';
import type { Clock } from '../../runtime/clock.ts';
import { RecentMap } from '../../runtime/recent-map.ts';
import { minute } from '../../runtime/units.ts';

/** For how long a picture can be read, wall ms: an answer is chosen and posted within moments. */
const lifetime = 10 * minute;
/** The most pictures that can be read together: beyond them the oldest one is gone. */
const most = 200;

interface Published {
  readonly until: number;
  read(): Promise<Uint8Array | undefined>;
}

/** Keeps the pictures that anyone may read who has their address. Each is drawn once, when it is read. */
export function createPublicPictures({
  url,
  image,
  wall,
}: {
  /** The page's public address. */
  readonly url: string;
  readonly image: Draw;
  readonly wall: Pick<Clock, 'now'>;
}): PublicPictures {
  const published = new RecentMap<string, Published>(most);
  return {
    publish(answer) {
      if (answer.chart === undefined && answer.later === undefined) return undefined;
      const name = randomBytes(16).toString('hex');
      let drawn: Promise<Uint8Array | undefined> | undefined;
      const draw = async () => (await image((await answer.later) ?? answer))?.png;
      published.set(name, {
        until: wall.now() + lifetime,
        async read() {
          drawn ??= draw();
          const png = await drawn;
          // What could not be drawn now may be drawn when it is read again.
          if (png === undefined) drawn = undefined;
          return png;
        },
      });
      return `${url}/pictures/${name}.png`;
    },
    async read(name) {
      const found = published.get(name);
      return found === undefined || found.until <= wall.now() ? undefined : found.read();
    },
  };
}
