import { severityRank } from '../alert/alert.ts';
import type { Card } from '../card/card.ts';
import type { CommandContext } from '../commands/command.ts';
import { count, number, span, time, title, words } from '../language/format.ts';
import { lines, listOf, msg, type Text } from '../language/text.ts';
import type { KnownPreview, Preview } from '../preview/preview.ts';
import { ApiError } from '../runtime/errors.ts';
import { day, hour } from '../runtime/units.ts';
import { candlesOf } from './candles.ts';

/** Wall ms that an answer about something else may wait for its preview. */
export const briefly = 2_000;
/** Wall ms where the preview is the answer: the other questions of its chat wait as long. */
export const patiently = 8_000;

/** Marks that can still be told apart on a phone. */
const mostMoments = 60;

/** The card with what the past says of it, in its summary, a fact and, where prices can be had, a chart. */
export async function withPreview(
  card: Card,
  preview: Preview,
  /** Those it is about; the first one's price is shown, bitcoin's where it is about many. */
  symbols: readonly string[],
  context: Pick<CommandContext, 'data' | 'now' | 'signal' | 'universe'>,
): Promise<Card> {
  const said = lines(card.summary, ...sayPreview(preview));
  if (preview.state !== 'known') return { ...card, summary: said };
  const chart = await priceChart(preview, symbols, context);
  const facts = [...(card.facts ?? []), ...presetFacts(preview)];
  return { ...card, summary: said, facts, ...(chart !== undefined && { chart }) };
}

/** What is not saved yet: with a button that saves it, and one that asks again. */
export async function previewCard(
  summary: Text,
  preview: Preview,
  symbols: readonly string[],
  context: Pick<CommandContext, 'data' | 'now' | 'signal' | 'universe' | 'again'>,
): Promise<Card> {
  const [save, ask] = [context.again({ preview: undefined }), context.again({})];
  const actions = [
    ...(save === undefined ? [] : [{ label: msg('Save'), command: save }]),
    ...(ask === undefined || preview.state !== 'pending' ? [] : [{ label: msg('Ask again'), command: ask }]),
  ];
  return withPreview(
    { title: msg('Preview: nothing is saved'), summary, actions },
    preview,
    symbols,
    context,
  );
}

function sayPreview(preview: Preview): (Text | undefined)[] {
  if (preview.state === 'impossible') return [preview.why];
  if (preview.state === 'pending') {
    return [
      msg('What it would have told in the past is still being worked out: ask again in a few minutes.'),
    ];
  }
  const { from, to, posts, alerts, source, partly } = preview;
  const length = to - from;
  const daily = (posts * day) / length;
  // Of less than a day it is no rate, and of hardly any "0.0".
  const rate = length < day || daily < 0.1 ? undefined : number(daily, 1);
  const values = { posts, alerts: alerts.length, length: span(length), rate: rate ?? '', since: time(from) };
  return [
    source === 'kept'
      ? msg(
          'Of the alerts kept here since {since}, this would have told you {posts, plural, one {once} other {# times}}. A hosted data service tells only the present: what it told before is not known.',
          values,
        )
      : source === 'seen'
        ? msg(
            'Since {since} this would have told you {posts, plural, =0 {nothing} one {once} other {# times}}, by what the data service tells of its past and what this bot has seen itself.',
            values,
          )
        : rate === undefined
          ? msg(
              'Over the last {length} this would have told you {posts, plural, =0 {nothing} one {once} other {# times}}.',
              values,
            )
          : msg(
              'Over the last {length} this would have told you {posts, plural, =0 {nothing} one {once} other {# times}} ({rate} a day).',
              values,
            ),
    posts < alerts.length
      ? msg(
          '{alerts, plural, one {# alert} other {# alerts}} in all; those of one moment come together.',
          values,
        )
      : undefined,
    partlySaid(partly),
  ];
}

function partlySaid(partly: KnownPreview['partly']): Text | undefined {
  const never = partly.filter(({ since }) => since === undefined);
  const later = partly.flatMap(({ kind, since }) => (since === undefined ? [] : [{ kind, since }]));
  if (partly.length === 0) return undefined;
  return lines(
    never.length === 0
      ? undefined
      : msg('Not counted, because its past is not kept: {kinds}.', {
          kinds: listOf(never.map(({ kind }) => kind)),
        }),
    later.length === 0
      ? undefined
      : msg('Counted only from later on: {kinds}.', {
          kinds: listOf(
            later.map(({ kind, since }) => msg('{kind} from {since}', { kind, since: time(since) })),
          ),
        }),
  );
}

const presetFacts = ({ presets }: KnownPreview) =>
  presets === undefined
    ? []
    : [
        {
          name: msg('Presets, over the same time'),
          value: listOf(
            presets.map(({ name, posts }) =>
              msg('{preset} {posts}', { preset: words(name), posts: count(posts) }),
            ),
          ),
        },
      ];

/** Undefined where nothing was told, or no price can be had. */
async function priceChart(
  { alerts, from, to }: KnownPreview,
  symbols: readonly string[],
  context: Pick<CommandContext, 'data' | 'now' | 'signal' | 'universe'>,
): Promise<Card['chart']> {
  const named = symbols.filter((symbol) => context.universe.includes(symbol));
  const symbol = symbols.length === 1 ? (named[0] ?? 'BTCUSDT') : 'BTCUSDT';
  if (alerts.length === 0) return undefined;
  try {
    const hours = Math.ceil((context.now - from) / hour);
    const { closes } = await candlesOf(symbol, hours, context);
    const shown = closes.filter(([at]) => at >= from && at <= to);
    if (shown.length < 2) return undefined;
    return {
      title: msg('{symbol} price and your alerts, last {length}', { symbol, length: span(to - from) }),
      unit: 'USD',
      series: [{ name: symbol, points: shown }],
      moments: mostSevere(alerts).map(({ at, severity }) => ({
        name: title(severity),
        at,
        tone: severity === 'critical' ? ('bad' as const) : ('caution' as const),
      })),
    };
  } catch (error) {
    // A picture less: what was asked for stands in the words.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The most severe of them, and of those the latest, in the order of time. */
const mostSevere = (alerts: KnownPreview['alerts']): KnownPreview['alerts'] =>
  alerts
    .toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity) || b.at - a.at)
    .slice(0, mostMoments)
    .sort((a, b) => a.at - b.at);
