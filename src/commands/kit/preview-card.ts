import { severityRank } from '../../alert/alert.ts';
import type { Answer, Card } from '../../card/card.ts';
import { count, labelTitle, marketName, number, span, time, words } from '../../language/format.ts';
import { lines, listOf, msg, type Text } from '../../language/text.ts';
import { deliveryText, type SubscriptionPreferences } from '../../places/arrival.ts';
import { type KnownPreview, type Preview, previewPeriod } from '../../preview/preview.ts';
import { ApiError } from '../../runtime/errors.ts';
import { day, hour } from '../../runtime/units.ts';
import type { CommandContext } from '../../shell/command.ts';
import { candlesOf } from './candles.ts';

/** The most marks that can be told apart on a phone. */
const maxMoments = 60;

/** How a subscription's alerts arrive, as far as a preview does not count it. */
type Arriving = Partial<Pick<SubscriptionPreferences, 'digest' | 'quietHours'>>;

type Previewing = Pick<CommandContext, 'data' | 'now' | 'signal' | 'universe' | 'renewContext'>;

interface Previewed<Context> {
  readonly preview: Preview;
  readonly arriving?: Arriving;
  /** The markets that are previewed, of which a single one is drawn. */
  readonly symbols: readonly string[];
  readonly context: Context;
}

/**
 * Adds to the card what the past alerts would have been: in the summary, a fact and, if there are prices, a chart. If the
 * preview takes longer, the card comes without it first, and with it as the answer's `later`.
 */
export async function withPreview(
  card: Card,
  { preview, arriving = {}, symbols, context }: Previewed<Previewing>,
): Promise<Answer> {
  const cardWithPreview = { ...card, summary: lines(card.summary, ...previewLines(preview, arriving)) };
  if (preview.state === 'impossible') return cardWithPreview;
  if (preview.state === 'pending') {
    const later = preview.complete.then((known) =>
      withPreview(card, { preview: known, arriving, symbols, context: context.renewContext() }),
    );
    return { ...cardWithPreview, later };
  }
  const chart = await priceChart(preview, { symbols, context });
  const facts = [...(card.facts ?? []), ...(isPostponed(arriving) ? [] : presetFacts(preview))];
  return { ...cardWithPreview, facts, chart };
}

/**
 * Builds the preview of what is not saved yet, with a button to save it and, while the preview is pending, one to ask
 * again.
 */
export async function previewCard(
  summary: Text,
  {
    saved,
    ...previewed
  }: Previewed<Previewing & Pick<CommandContext, 'rewriteLine'>> & {
    /** Further inputs that the command needs in order to save. */
    readonly saved?: Readonly<Record<string, string>>;
  },
): Promise<Answer> {
  const { preview, context } = previewed;
  const [save, ask] = [context.rewriteLine({ ...saved, preview: undefined }), context.rewriteLine({})];
  const actions = save === undefined ? [] : [{ label: msg('Save'), command: save, weight: 'main' as const }];
  const card = { title: msg('Preview: nothing is saved'), summary, actions };
  const answer = await withPreview(card, previewed);
  return preview.state === 'pending' && ask !== undefined
    ? { ...answer, actions: [...actions, { label: msg('Ask again'), command: ask }] }
    : answer;
}

/** Whether alerts may come later than they begin, so that the number of messages is not that of the preview. */
const isPostponed = ({ digest = null, quietHours = null }: Arriving): boolean =>
  digest !== null || quietHours !== null;

function previewLines(preview: Preview, arriving: Arriving): (Text | undefined)[] {
  if (preview.state === 'impossible') return [preview.why];
  if (preview.state === 'pending') {
    const days = previewPeriod / day;
    const isBegun = preview.days !== undefined && preview.days > 0 && preview.days < days;
    return [
      isBegun
        ? msg('Counting the last {days, plural, one {day} other {# days}}: {done} so far…', {
            days,
            done: preview.days ?? 0,
          })
        : msg('Counting the last {days, plural, one {day} other {# days}}…', { days }),
    ];
  }
  const alertsText = isPostponed(arriving) ? bareCountText(preview) : alertCountText(preview);
  return [
    sinceText(preview, alertsText),
    ...arrivingLines(preview, arriving),
    selectiveText(preview.selective),
    partlyText(preview.partly),
  ];
}

function arrivingLines(
  { alerts }: KnownPreview,
  { digest = null, quietHours = null }: Arriving,
): (Text | undefined)[] {
  if (alerts.length === 0) return [];
  return [
    digest === null
      ? undefined
      : msg('They come together in a digest ({delivery}), critical ones at once.', {
          delivery: deliveryText(digest),
        }),
    quietHours === null
      ? undefined
      : msg('Quiet hours are not taken into account: what begins in them comes later or not at all.'),
  ];
}

function sinceText(preview: KnownPreview, had: Text): Text {
  const { from, to, source } = preview;
  const values = { had, days: daysOf(preview), since: time(from) };
  if (source === 'kept')
    return msg(
      'Of the alerts kept here since {since}, you’d have had {had}. A hosted data service has no history, so earlier ones are not counted.',
      values,
    );
  if (source === 'seen')
    return msg(
      'Since {since} you’d have had {had}, going by the data service’s past and what this bot has seen every 5 minutes.',
      values,
    );
  return to - from < 2 * day
    ? msg('Since {since} you’d have had {had}.', values)
    : msg('In the last {days, plural, one {day} other {# days}} you’d have had {had}.', values);
}

const daysOf = ({ from, to }: KnownPreview): number => Math.max(1, Math.round((to - from) / day));

const bareCountText = ({ alerts }: KnownPreview): Text =>
  msg('{alerts, plural, =0 {no alerts} one {# alert} other {# alerts}}', { alerts: alerts.length });

/** Says how many alerts there would have been, in how many messages, and how many messages a day. */
function alertCountText(preview: KnownPreview): Text {
  const { from, to, posts, alerts } = preview;
  const values = { posts, alerts: alerts.length };
  const alertsText =
    posts === alerts.length
      ? bareCountText(preview)
      : posts < alerts.length
        ? msg(
            '{alerts, plural, one {# alert} other {# alerts}} in {posts, plural, one {# message} other {# messages}} (simultaneous ones are grouped)',
            values,
          )
        : msg(
            '{alerts, plural, one {# alert} other {# alerts}} in {posts, plural, one {# message} other {# messages}} (each escalation is another message)',
            values,
          );
  const daily = (posts * day) / (to - from);
  // Less than a day of the past gives no daily rate, and a tiny rate would be shown as "0.0".
  return to - from < day || daily < 0.1
    ? alertsText
    : msg('{alerts}, {rate} a day', { alerts: alertsText, rate: number(daily, 1) });
}

const selectiveText = (selective: KnownPreview['selective']): Text | undefined =>
  selective.length === 0
    ? undefined
    : msg(
        'All markets are counted. Fewer alerts may come of kinds that watch only some at a time: {kinds}.',
        {
          kinds: listOf(
            selective.map(({ kind, maxSymbols }) =>
              msg('{kind} ({markets})', { kind: words(kind), markets: count(maxSymbols) }),
            ),
          ),
        },
      );

function partlyText(partly: KnownPreview['partly']): Text | undefined {
  if (partly.length === 0) return undefined;
  const bySince = [...Map.groupBy(partly, ({ since }) => since)].sort(([a = 0], [b = 0]) => a - b);
  return lines(
    ...bySince.map(([since, of]) => {
      const kinds = listOf(of.map(({ kind }) => words(kind)));
      return since === undefined
        ? msg('Not counted, no history kept: {kinds}.', { kinds })
        : msg('Data only since {since}: {kinds}.', { since: time(since), kinds });
    }),
  );
}

const presetFacts = (preview: KnownPreview) =>
  preview.presets === undefined
    ? []
    : [
        {
          name: msg('Other presets, same {days, plural, one {day} other {# days}}', {
            days: daysOf(preview),
          }),
          value: listOf(
            preview.presets.map(({ name, posts }) =>
              msg('{preset} {posts}', { preset: words(name), posts: count(posts) }),
            ),
          ),
        },
      ];

/** Draws the alerts on a price chart. Undefined if there were no alerts or there are no prices. */
async function priceChart(
  { alerts, from, to }: KnownPreview,
  { symbols, context }: Pick<Previewed<Previewing>, 'symbols' | 'context'>,
): Promise<Card['chart']> {
  const named = symbols.filter((symbol) => context.universe.includes(symbol));
  const symbol = symbols.length === 1 ? (named[0] ?? 'BTCUSDT') : 'BTCUSDT';
  if (alerts.length === 0) return undefined;
  try {
    const hours = Math.ceil((context.now - from) / hour);
    const { closes } = await candlesOf(symbol, { ...context, hours });
    const shown = closes.filter(([at]) => at >= from && at <= to);
    if (shown.length < 2) return undefined;
    return {
      title: msg('{symbol} price and your alerts, last {length}', {
        symbol: marketName(symbol),
        length: span(to - from),
      }),
      unit: 'USD',
      series: [{ name: marketName(symbol), points: shown }],
      moments: mostSevere(alerts).map(({ at, severity }) => ({
        name: labelTitle(severity),
        at,
        tone: severity === 'critical' ? ('bad' as const) : ('caution' as const),
      })),
    };
  } catch (error) {
    // Only the chart is missing: the summary has what was asked for.
    if (error instanceof ApiError || context.signal.aborted) return undefined;
    throw error;
  }
}

/** Returns the most severe alerts, the latest ones first among equals, in the order of time. */
const mostSevere = (alerts: KnownPreview['alerts']): KnownPreview['alerts'] =>
  alerts
    .toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity) || b.at - a.at)
    .slice(0, maxMoments)
    .sort((a, b) => a.at - b.at);
