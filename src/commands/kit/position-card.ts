import type { HeldPosition } from '../../alert/rule.ts';
import type { Card } from '../../card/card.ts';
import { percent, price, share, span, usd } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import {
  fundingCost,
  fundingLimitOf,
  liquidationOf,
  type PositionRule,
  positionText,
  sizeText,
} from '../../places/positions.ts';
import { compact } from '../../runtime/compact.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import { assumedRate } from '../../runtime/liquidation-price.ts';
import { day, hour } from '../../runtime/units.ts';
import type { CommandContext } from '../../shell/command.ts';
import { closesOf } from './candles.ts';
import { fileFact } from './file-column.ts';
import { priceRow } from './overview.ts';

/** How far a position is from its liquidation now. */
interface Distance {
  readonly now: number;
  /** Percent of the price, below 0 once it is passed. */
  readonly percent: number;
  /** The hours in which the price usually moves so far. Absent: not known. */
  readonly hours?: number;
  /** Profit or loss of the margin, percent. */
  readonly gain: number;
}

/** Days whose hourly moves are usual. */
const usualDays = 7;

async function distanceOf(
  { position, symbols: [symbol = ''] }: PositionRule,
  context: CommandContext,
): Promise<Distance | undefined> {
  const { side, entry, leverage } = position;
  const [closes = [], row] = await Promise.all([
    ifAnswered(closesOf(symbol, { ...context, hours: (usualDays * day) / hour })),
    priceRow(symbol, context),
  ]);
  const [closedAt = 0, close] = closes.at(-1) ?? [];
  const now = row !== undefined && Date.parse(row.timestamp) >= closedAt ? row.price : close;
  if (now === undefined) return undefined;
  const sign = side === 'long' ? 1 : -1;
  const distance = (sign * (now - liquidationOf(position))) / now;
  const moves = closes.slice(1).map(([, close], index) => Math.log(close / (closes[index]?.[1] ?? close)));
  const variance = moves.reduce((sum, move) => sum + move ** 2, 0) / moves.length;
  return {
    now,
    percent: distance * 100,
    gain: sign * (now / entry - 1) * leverage * 100,
    // A price that wanders moves by the root of the time.
    ...(moves.length >= 24 && variance > 0 && distance > 0 && { hours: distance ** 2 / variance }),
  };
}

/** Shows a position as it stands now. */
export async function positionCard(
  rule: PositionRule,
  { title, context }: { readonly title: Text; readonly context: CommandContext },
): Promise<Card> {
  const {
    position,
    symbols: [symbol = ''],
    id,
  } = rule;
  const [distance, funding] = await Promise.all([distanceOf(rule, context), fundingOf(rule, context)]);
  const { size } = position;
  return {
    title,
    summary: positionText(position, symbol),
    facts: compact([
      { name: msg('Id'), value: id },
      { name: msg('Liquidation (estimate)'), value: price(liquidationOf(position)) },
      { name: msg('Margin tier'), value: tierText(position, symbol) },
      ...(distance === undefined ? [] : distanceFacts(distance)),
      size !== undefined && {
        name: msg('Margin'),
        value: usd((size * position.entry) / position.leverage),
      },
      funding !== undefined && { name: msg('Funding since then'), value: percent(-funding, 2) },
      {
        name: msg('Alert on funding'),
        value: msg('from {share} of the margin on', { share: share(fundingLimitOf(position) / 100, 1) }),
      },
      ...fileFact(rule),
      { name: msg('How'), value: method },
    ]),
    actions: compact([
      rule.file === undefined && { label: msg('End'), command: `position end id=${id}`, weight: 'danger' },
      { label: msg('All positions'), command: 'position list' },
    ]),
  };
}

/** The most settlements that the service returns. */
const maxSettlements = 1_000;

/** Returns what funding has cost since the position was noted, percent of the margin; below 0 what it has brought. */
async function fundingOf(
  { position, symbols: [symbol = ''], createdAt }: PositionRule,
  { data, signal }: CommandContext,
): Promise<number | undefined> {
  const history = await ifAnswered(data.fundingHistory({ symbol, limit: maxSettlements }, signal));
  if (history === undefined) return undefined;
  const paid = history.data
    .filter(({ timestamp }) => Date.parse(timestamp) > createdAt)
    .reduce((sum, { rate }) => sum + Number(rate), 0);
  return fundingCost(position, paid);
}

const method = msg(
  'Isolated margin, by the exchange’s tiers where it publishes them; fees, funding and added margin are left out. The exchange’s own figure counts. You get an alert when 30 % of the way is left.',
);

/** Says by which rule of the exchange the liquidation was computed. */
function tierText({ size, tier }: HeldPosition, symbol: string): Text {
  if (tier === undefined)
    return msg('not known: {rate} maintenance is assumed', { rate: share(assumedRate, 1) });
  const { venue, rate, unit, upTo } = tier;
  const values = { venue, rate: share(rate, 2) };
  const said =
    upTo === undefined
      ? msg('{venue}: {rate} maintenance', values)
      : msg('{venue}: {rate} maintenance, up to {size}', {
          ...values,
          size: sizeText(upTo, { unit, symbol }),
        });
  return size === undefined ? msg('{tier} (the smallest tier, as no size is given)', { tier: said }) : said;
}

const distanceFacts = ({ now, percent: left, hours, gain }: Distance) => [
  { name: msg('Price'), value: price(now) },
  { name: msg('Distance'), value: distanceText(left, hours) },
  { name: msg('Result on the margin'), value: percent(gain, 1) },
];

function distanceText(left: number, hours: number | undefined): Text {
  if (left <= 0) return msg('passed');
  const far = share(left / 100, 1);
  return hours === undefined
    ? far
    : msg('{far}: it usually takes {time} to move so far', {
        far,
        time: span(Math.max(1, Math.round(hours)) * hour),
      });
}

/** Shows positions as they stand now; without any, how one is noted. */
export async function positionList(
  positions: readonly PositionRule[],
  { example, context }: { readonly example: Text; readonly context: CommandContext },
): Promise<Card> {
  const distances = await Promise.all(positions.map((rule) => distanceOf(rule, context)));
  return {
    title: msg('Positions in this chat'),
    summary: positions.length === 0 ? msg('None yet. Note one: {example}.', { example }) : undefined,
    table: {
      columns: [
        msg('Id'),
        msg('Position'),
        msg('Liquidation (estimate)'),
        msg('Distance'),
        msg('Result on the margin'),
      ],
      rows: positions.map(({ id, position, symbols: [symbol = ''] }, index) => {
        const distance = distances[index];
        return [
          id,
          positionText(position, symbol),
          price(liquidationOf(position)),
          distance === undefined ? msg('not known') : distanceText(distance.percent, distance.hours),
          distance === undefined ? msg('not known') : percent(distance.gain, 1),
        ];
      }),
    },
    facts: positions.length === 0 ? [] : [{ name: msg('How'), value: method }],
  };
}
