import { defaultPreset } from '../../alert/presets.ts';
import { matcherText, type Receiver } from '../../alert/subscription.ts';
import { sampleCard } from '../../card/sample-card.ts';
import { UserError } from '../../language/errors.ts';
import { say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';
import type { Done } from '../../places/editing.ts';
import { createSilence, endSilences } from '../../places/silences.ts';
import { editSubscription } from '../../places/subscriptions.ts';
import { colorText, footerText, readStyle } from '../../places/templates.ts';
import type { Destinations } from '../../platforms/web/ports/destinations.ts';
import { day } from '../../runtime/units.ts';
import { editingOf } from '../../shell/editing.ts';
import type { Store } from '../../store/ports.ts';
import type { Answering } from '../answer-commands.ts';
import { asManagerOf, requirePlace } from './own-places.ts';

interface DestinationsOptions extends Pick<Answering, 'contextOf'> {
  readonly store: Pick<Store, 'deliveries' | 'subscriptions' | 'silences'>;
  /** Returns the name of a place, without the secret parts of its address. */
  readonly nameOf: (receiver: Receiver) => Promise<string>;
  /** Market ms. */
  readonly now: () => number;
}

/** How far back posts are counted, market days. */
const counted = 7;
/** The most places that are listed: those that subscribed last. */
const most = 200;

const whatOf = (what: Text, paused: boolean): Text => (paused ? msg('{what} (paused)', { what }) : what);

/** Creates what the page shows of the places that alerts go to. */
export function createDestinations({ store, contextOf, nameOf, now }: DestinationsOptions): Destinations {
  const silencesOfAll = async (receiver: Receiver) =>
    (await store.silences.of(receiver, now())).filter(
      ({ kinds, symbols }) => kinds.includes('*') && symbols.includes('*'),
    );
  return {
    async list(caller) {
      const { caller: reader, kinds } = await contextOf(caller);
      const places = await store.deliveries.places({ since: now() - counted * day, limit: most });
      return Promise.all(
        places.map(async ({ receiver, last, sent, failed }) => {
          const [subscriptions, silences, name] = await Promise.all([
            store.subscriptions.of(receiver),
            silencesOfAll(receiver),
            nameOf(receiver),
          ]);
          return {
            receiver,
            name,
            gets: subscriptions.map(({ id, paused, style, ...matcher }) => ({
              id,
              what: say(whatOf(matcherText(matcher, { kinds }), paused), reader),
              style: style?.name ?? 'normal',
              template: style?.template ?? '',
              color: style?.color === undefined ? '' : colorText(style.color),
              footer: style?.footer === undefined ? '' : footerText(style.footer),
            })),
            last,
            perDay: sent / counted,
            failed,
            mutedUntil: silences.map(({ endsAt }) => endsAt).sort((a, b) => b - a)[0],
          };
        }),
      );
    },
    async mute(receiver, { on, caller }) {
      await requirePlace(receiver, store.subscriptions);
      const context = await contextOf(asManagerOf(receiver, caller));
      const editing = editingOf(context);
      const done: Done[] = [];
      if (on) done.push(await createSilence({ kinds: ['*'], symbols: ['*'], length: day }, editing));
      else for (const { id } of await silencesOfAll(receiver)) done.push(await endSilences({ id }, editing));
      return say(done.at(-1)?.title ?? '', context.caller);
    },
    async restyle(receiver, { id, look, caller }) {
      const context = await contextOf(asManagerOf(receiver, caller));
      const { title } = await editSubscription(
        id,
        (before) => {
          const style = readStyle(look, before.style);
          return style === undefined ? {} : { style: style ?? undefined };
        },
        editingOf(context),
      );
      return say(title, context.caller);
    },
    async test(receiver, caller) {
      await requirePlace(receiver, store.subscriptions);
      const { kinds, tryPost, now: at } = await contextOf(caller);
      const sample = kinds.find((each) => each.sample !== undefined && each.preset === defaultPreset)?.sample;
      const card = sample && sampleCard(sample(at), at);
      if (card === undefined) throw new UserError(msg('No kind of alert has a sample.'), { code: 'unready' });
      await tryPost(receiver, card);
    },
  };
}
