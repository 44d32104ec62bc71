import { defaultPosts, defaultPreset, type PresetName, presetKinds, presets } from '../alert/presets.ts';
import type { Receiver } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { sayCard } from '../card/say-card.ts';
import { share, span } from '../language/format.ts';
import { plainReader } from '../language/say.ts';
import { lines, msg } from '../language/text.ts';
import type { Outlet } from '../pipeline/delivery.ts';
import { tryPost } from '../pipeline/try-post.ts';
import { defaultPreferences } from '../places/arrival.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Ports } from '../platforms/ports.ts';
import { day, second } from '../runtime/units.ts';
import type { BotStatus, Caller } from '../shell/command.ts';
import { managerRights } from '../shell/rights.ts';
import type { Store } from '../store/ports.ts';

/** A place of the person who runs the bot, with its time zone if that is known. */
interface HomeReceiver {
  readonly receiver: Receiver;
  readonly timeZone?: string;
}

/** Returns the home places of these platforms. @param localTimeZone this machine's time zone */
export const homesOf = (
  platforms: readonly Pick<Platform, 'name' | 'operatorPlace'>[],
  localTimeZone: string,
): readonly HomeReceiver[] =>
  platforms.flatMap(({ name, operatorPlace }) =>
    operatorPlace === undefined
      ? []
      : [
          {
            receiver: { notifier: name, address: operatorPlace.address },
            ...(operatorPlace.isLocal === true && { timeZone: localTimeZone }),
          },
        ],
  );

/**
 * Subscribes the home places on the very first start, as a bare `subscribe` would, so that alerts arrive without a command.
 * A local place gets this machine's time zone. Done once only: a place that unsubscribes stays unsubscribed. Returns the
 * places that it has subscribed.
 */
export async function welcome(
  store: Store,
  {
    homes,
    kinds,
    now,
  }: {
    readonly homes: readonly HomeReceiver[];
    readonly kinds: readonly { readonly name: string; readonly preset?: PresetName }[];
    readonly now: number;
  },
): Promise<readonly HomeReceiver[]> {
  if ((await store.settings.get('welcomed')) !== undefined) return [];
  const subscribed: HomeReceiver[] = [];
  for (const home of homes) {
    const { receiver, timeZone } = home;
    if (timeZone !== undefined) await store.preferences.set(receiver, { timeZone });
    const existing = await store.subscriptions.of(receiver);
    if (existing.length > 0) continue;
    subscribed.push(home);
    await store.subscriptions.add({
      receiver,
      kinds: presetKinds(defaultPreset, kinds),
      symbols: ['*'],
      ...defaultPreferences,
      minSeverity: presets.find(({ name }) => name === defaultPreset)?.minSeverity ?? 'info',
      createdBy: 'first start',
      createdAt: now,
    });
  }
  await store.settings.put('welcomed', 'yes');
  return subscribed;
}

interface Greeting extends Pick<Ports, 'ask' | 'reader'> {
  readonly status: () => Promise<BotStatus>;
  readonly outlets: readonly Outlet[];
}

/**
 * Posts to a place that the first start has subscribed what this is, whether the market is real and how far it is loaded, what
 * goes on in it, and what to do first. The first alert may be long in coming. @throws UserError if it could not be posted
 */
export async function greet(
  { receiver, timeZone = plainReader.timeZone }: HomeReceiver,
  { ask, reader, status, outlets }: Greeting,
): Promise<void> {
  const { language } = plainReader;
  const caller: Caller = { receiver, user: 'first start', rights: managerRights, language, timeZone };
  const [regime, market] = [await ask('regime', caller), await ask('market', caller)];
  const { chart } = regime;
  const now = [regime, market].every(({ failure }) => failure === undefined)
    ? [{ name: msg('The market now'), value: regime.title }, ...(market.facts ?? [])]
    : [];
  const card = sayCard({ ...greetingOf(await status()), facts: now, chart }, await reader(caller));
  await tryPost(outlets, { receiver, card, signal: AbortSignal.timeout(10 * second) });
}

const greetingOf = ({ source, speed, loaded }: BotStatus): Card => ({
  title: msg('Tocsin is here'),
  summary: lines(
    msg('Tocsin watches crypto derivatives and sends alerts to your chats.'),
    source === 'simulated'
      ? msg('This market is simulated and runs {speed} × as fast as a real one: no figure here is real.', {
          speed,
        })
      : source === 'recorded'
        ? msg('This market is a recording: no figure here is of now.')
        : undefined,
    loaded === undefined
      ? undefined
      : msg('Its history is still loading: {share}.', { share: share(loaded) }),
    msg('Of the standard alerts, which this chat gets, one comes about every {span}.', {
      span: span(day / defaultPosts / speed),
    }),
  ),
  actions: [
    { label: msg('See sample alerts'), command: 'test' },
    { label: msg('The market now'), command: 'market' },
    { label: msg('All commands'), command: 'help' },
  ],
});
