import { z } from 'zod';
import { wants } from '../alert/subscription.ts';
import { spellOut } from '../alert/symbols.ts';
import { time, words } from '../card/format.ts';
import { symbol } from '../command/input.ts';
import { silenceText } from '../command/settings.ts';
import type { Delivery } from '../store/store.ts';
import { type CommandContext, defineCommand } from './command.ts';

const shown = 10;

export default defineCommand({
  name: 'why',
  description: 'Why the last alert came here, was held back, or why there was none',
  input: z.object({
    symbol: symbol.describe('Only what concerns this market').optional(),
  }),
  async run({ symbol }, context) {
    const { store, caller, now } = context;
    const [deliveries, silences, waiting] = await Promise.all([
      store.deliveries.recent(caller.receiver, symbol === undefined ? shown : 200),
      store.silences.of(caller.receiver, now),
      store.deliveries.waiting(caller.receiver, shown),
    ]);
    const about = symbol === undefined ? deliveries : await concerning(symbol, deliveries, context);
    const [last, ...earlier] = about.slice(0, shown);
    const at = (delivery: Delivery) => time(delivery.at, caller.timeZone);
    return {
      title: last === undefined ? 'Nothing was told here' : `${words(last.outcome)}: ${last.title}`,
      summary: last === undefined ? await absence(symbol, context) : explanation(last),
      facts: [
        ...(last === undefined ? [] : [{ name: 'When', value: at(last) }]),
        ...waiting.map(({ title, due, reason }) => ({
          name: `Waiting until ${time(due, caller.timeZone)}`,
          value: reason === null ? title : `${title} (${reason})`,
        })),
        ...silences.map((silence) => ({
          name: `Silence ${silence.id}`,
          value: silenceText(silence, caller.timeZone),
        })),
      ],
      ...(earlier.length > 0 && {
        table: {
          columns: ['Before it', 'Outcome', 'Reason', 'When'],
          rows: earlier.map((each) => [each.title, each.outcome, each.reason ?? '', at(each)]),
        },
      }),
    };
  },
});

async function concerning(
  symbol: string,
  deliveries: readonly Delivery[],
  { store }: CommandContext,
): Promise<Delivery[]> {
  const alerts = await store.alerts.recent(500);
  const ids = new Set(alerts.filter(({ labels }) => labels.symbol === symbol).map(({ id }) => id));
  return deliveries.filter(({ alertId }) => ids.has(alertId));
}

/** What a reason of the pipeline means to a person, by how it begins, and what they can do. */
const meanings: readonly (readonly [beginning: string, meaning: string])[] = [
  ['silenced', '"subscriptions" lists the silences, "unsilence" ends one.'],
  ['quiet hours', '"subscriptions" shows the quiet hours.'],
  ['over before the quiet hours', 'It began and ended within the quiet hours: "subscriptions" shows them.'],
  ['already told, at once', 'What is critical is told at once, and not again in a digest.'],
  ['no longer subscribed', 'The subscription it was for has ended or is paused.'],
  ['already told', 'What it says had been told here before.'],
  ['its beginning was not told', 'The end of something nobody here heard of is no news.'],
  ['inhibited', 'A broader alert says it already.'],
  ['held back', 'A broader alert says it already.'],
  ['over before what held it back', 'A broader alert stood for it until it ended.'],
  ['expired', 'It had waited so long that it was no longer worth telling.'],
  ['too many', 'A higher severity or fewer kinds in the subscription let fewer through.'],
];

function explanation({ outcome, reason }: Delivery): string {
  const given = reason ?? 'no reason was recorded';
  if (outcome === 'suppressed') {
    const meaning = meanings.find(([beginning]) => given.startsWith(beginning))?.[1];
    return `Not told: ${given}.${meaning === undefined ? '' : `\n${meaning}`}`;
  }
  if (outcome === 'failed') return `It could not be delivered: ${given}.`;
  const doubt = reason === null ? '' : `\nNote: ${reason}.`;
  return outcome === 'edited'
    ? `An earlier message here was brought up to date, which notifies nobody.${doubt}`
    : `It was told because a subscription of this place asks for it.${doubt}`;
}

async function absence(
  symbol: string | undefined,
  { store, caller, universe }: CommandContext,
): Promise<string> {
  const [subscriptions, firing] = await Promise.all([
    store.subscriptions.of(caller.receiver),
    store.alerts.firing(),
  ]);
  if (subscriptions.length === 0) return 'Nothing is subscribed here: "subscribe all" changes that.';
  const alerts = firing.filter(({ labels }) => symbol === undefined || labels.symbol === symbol);
  const about = symbol === undefined ? '' : ` about ${symbol}`;
  if (alerts.length === 0) return `No alert${about} is firing: there is nothing to tell yet.`;
  const followed = await store.watchlist.of(caller.receiver);
  const heeded = subscriptions
    .filter(({ paused }) => !paused)
    .map((each) => ({ ...each, symbols: spellOut(each.symbols, { universe, followed }) }));
  const wanted = alerts.filter((alert) => heeded.some((each) => wants(each, alert, universe)));
  const one = wanted[0];
  const held = (await store.alerts.heldBack()).find(({ alert }) => wanted.some(({ id }) => id === alert.id));
  if (held !== undefined) return `"${held.alert.annotations.title}" is firing and held back by "${held.by}".`;
  return one === undefined
    ? `${alerts.length} firing${about}, but no subscription here asks for them: the kind, the market or the severity differs.`
    : `"${one.annotations.title}" is firing and asked for: it fired before the subscription, or is on its way.`;
}
