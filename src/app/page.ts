import type { Logger } from 'pino';
import type { Receiver } from '../alert/subscription.ts';
import { sayAlert } from '../card/say-card.ts';
import { plainReader, say } from '../language/say.ts';
import { type Console, createConsole, type Readiness } from '../platforms/web/console.ts';
import type { WallClock } from '../runtime/clock.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { BotStatus } from '../shell/command.ts';
import type { Store } from '../store/store.ts';
import type { Answering } from './answering.ts';
import type { Config } from './config.ts';

/** An address without what may be secret in it: of a URL, all but where it leads. */
const shown = (address: Receiver['address']): Receiver['address'] =>
  Object.fromEntries(
    Object.entries(address).map(([name, value]) => [
      name,
      /^https?:/.test(String(value)) ? `${URL.parse(String(value))?.origin}/…` : value,
    ]),
  );

/** Rows that the console's lists show at the most. */
const listed = 100;

/** The console over what the bot remembers. */
export const openPage = (
  { http }: Pick<Config, 'http'>,
  given: {
    readonly store: Store;
    readonly answering: Answering;
    readonly status: () => Promise<BotStatus>;
    readonly metrics: Metrics;
    readonly ready: () => Readiness;
    readonly wall: WallClock;
    readonly log: Logger;
  },
): Promise<Console> => {
  const { store, answering, status, metrics, ready, wall, log } = given;
  return createConsole({
    ...http,
    ...{ status, ready, log },
    clock: wall,
    messages: store.messages,
    runCommand: answering.ask,
    reader: answering.reader,
    complete: answering.complete,
    recentAlerts: async () => (await store.alerts.recent(listed)).map(sayAlert),
    deliveries: async () =>
      (await store.deliveries.latest(listed)).map(({ receiver, title, reason, ...each }) => ({
        ...each,
        receiver: { ...receiver, address: shown(receiver.address) },
        title: say(title, plainReader),
        reason: reason && say(reason.text, plainReader),
      })),
    metrics: metrics.text,
    ping: store.ping,
  });
};
