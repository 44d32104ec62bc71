import type { Alert, Fact, FirstMover, Labels, MarketThen } from '../alert/alert.ts';
import { marketSymbol, priceSymbolOf } from '../alert/outcome.ts';
import { marketName, price as priceText, share, span } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import type { Card } from './card.ts';

/**
 * Returns the facts of an alert, headed by the price of its market with its changes, which takes the place of the price alone,
 * and followed by what moved first. An alert about the market as a whole names whose price it is.
 */
export const factsWithMarket = (
  facts: readonly Fact[],
  market: MarketThen,
  { symbol }: Labels,
): readonly Fact[] => [
  {
    name: symbol === undefined ? marketName(marketSymbol) : msg('Price'),
    value: priceWithChanges(market),
  },
  ...facts.filter((fact) => !isPrice(fact)),
  ...(market.first === undefined ? [] : [{ name: msg('Moved first'), value: firstText(market.first) }]),
];

const isPrice = ({ name, value }: Fact): boolean =>
  typeof name === 'object' &&
  'message' in name &&
  name.message === 'Price' &&
  Object(value).number !== undefined;

/** Says where the price stands and which way it has gone: `42,000.00 · up 1.2% in 1 h · down 3.4% in 24 h`. */
const priceWithChanges = ({ price, change1hPct, change24hPct }: MarketThen): Text =>
  join([priceText(price), changeText(change1hPct, '1 h'), changeText(change24hPct, '24 h')], ' · ');

/** Less than this rounds to nothing, percent. */
const leastShown = 0.05;

/** @param window `24 h`, which a length of time would write as a day */
export const changeText = (pct: number | undefined, window: '1 h' | '24 h'): Text | undefined =>
  pct === undefined
    ? undefined
    : msg('{way, select, up {up {size}} down {down {size}} other {unchanged}} in {window}', {
        way: Math.abs(pct) < leastShown ? 'none' : pct > 0 ? 'up' : 'down',
        size: share(Math.abs(pct) / 100, 1),
        window,
      });

export const firstText = (first: FirstMover | null): Text =>
  first === null
    ? msg('nothing unusual before the price')
    : msg(
        '{what, select, liquidations {liquidations} interest {open interest} basis {the basis} other {the price on {venue}}}, {lead} before the price here',
        { what: first.what, venue: first.venue ?? '', lead: span(first.lead) },
      );

/** The most markets of which a post about several says the price. */
const maxPriced = 3;

/** Returns the prices of the first markets of a post about several alerts, and the page of each. */
export function marketsOf(ranked: readonly Alert[]): {
  readonly prices: readonly Fact[];
  readonly links: NonNullable<Card['links']>;
} {
  const told = ranked.filter(({ annotations: { market } }) => market !== undefined);
  const shown = [...Map.groupBy(told, ({ labels }) => priceSymbolOf(labels)).values()]
    .flatMap(([first]) => first ?? [])
    .slice(0, maxPriced);
  return {
    prices: shown.flatMap(({ labels, annotations: { market } }) =>
      market ? [{ name: marketName(priceSymbolOf(labels)), value: priceWithChanges(market) }] : [],
    ),
    links: shown.flatMap((alert) => {
      const [page] = marketLinks(alert).links ?? [];
      return page === undefined ? [] : [{ label: page.label, url: page.url }];
    }),
  };
}

/** Returns the pages of an alert's market. The exchange's gets a button while the alert goes on. */
export function marketLinks({ annotations: { market }, labels, status }: Alert): Pick<Card, 'links'> {
  const { pages = [], imitated } = market ?? {};
  if (pages.length === 0) return {};
  const name = marketName(priceSymbolOf(labels));
  return {
    links: pages.map(({ title, url }, index) => ({
      label: imitated
        ? msg('{market} on {page} (the real market)', { market: name, page: title })
        : msg('{market} on {page}', { market: name, page: title }),
      url,
      ...(index === 0 &&
        status !== 'resolved' && { button: imitated ? msg('Trade (real market)') : msg('Trade') }),
    })),
  };
}
