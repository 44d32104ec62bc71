import { z } from 'zod';
import type { HeldPosition } from '../alert/rule.ts';
import type { Card } from '../card/card.ts';
import { UserError, withMessage } from '../language/errors.ts';
import { percent, price, share, span, usd } from '../language/format.ts';
import { lines, msg, type Text, typed } from '../language/text.ts';
import {
  editPosition,
  findPosition,
  fundingCost,
  fundingLimitOf,
  isPosition,
  liquidationOf,
  maxFundingLimit,
  noPosition,
  openPosition,
  type PositionRule,
  positionText,
  sizeText,
  type VenueTiers,
  withTier,
} from '../places/positions.ts';
import { endRules, findRules } from '../places/rules.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { assumedRate } from '../runtime/liquidation-price.ts';
import { day, hour, msOf } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { editingOf, mustManage } from '../shell/editing.ts';
import { level, ownId, symbol, whichOf } from '../shell/input.ts';
import { closesOf } from './kit/candles.ts';
import { awaitVenueAnswer, findVenue, type NamedVenue, venue } from './kit/venue.ts';

const positive = (text: z.ZodType<number, string>) =>
  text.refine((value) => value > 0, withMessage(msg('give a number above 0')));

const leverage = z
  .string()
  .refine(
    (text) => /^(?:[xX×]?\d{1,3}(?:\.\d+)?|\d{1,3}(?:\.\d+)?[xX×])$/.test(text),
    withMessage(msg('give the leverage as 10x')),
  )
  .transform((text) => Number(text.replaceAll(/[xX×]/g, '')))
  .refine((value) => value >= 1 && value <= 200, withMessage(msg('give a leverage from 1x to 200x')));

export default defineCommand({
  name: 'position',
  topic: 'alerts',
  otherNames: ['positions', 'pos'],
  description: msg('Your positions: how far from liquidation, and an alert as it comes near. No keys needed'),
  takes: 'own',
  personal: true,
  input: z.object({
    action: z.enum(['list', 'open', 'edit', 'end']).default('list').describe('What to do'),
    symbol: symbol.describe('Market, e.g. BTCUSDT').optional(),
    side: z.enum(['long', 'short']).optional().describe('Long or short'),
    entry: positive(level).describe('Price at which it was opened').optional(),
    leverage: leverage.describe('Leverage, e.g. 10x').optional(),
    size: positive(level).describe('Size in coins').optional(),
    funding: positive(level)
      .refine(
        (value) => value <= maxFundingLimit,
        withMessage(msg('give at most {max} %', { max: maxFundingLimit })),
      )
      .describe('Alert when funding has cost this percent of the margin (default: 10)')
      .optional(),
    venue,
    id: ownId('rule').describe('Id of a position in this chat, or all').optional(),
  }),
  actions: {
    list: { description: msg('The positions in this chat, and how they stand now') },
    open: {
      description: msg('Note a position'),
      requiredInputs: ['symbol', 'side', 'entry', 'leverage'],
      optionalInputs: ['size', 'funding', 'venue'],
    },
    edit: {
      description: msg('Change a position'),
      requiredInputs: ['id'],
      optionalInputs: ['side', 'entry', 'leverage', 'size', 'funding', 'venue'],
    },
    end: { description: msg('Forget a position, or all'), requiredInputs: ['id'] },
  },
  async run({ action, id, ...given }, context) {
    mustManage(context.caller);
    const at = given.venue === undefined ? undefined : await findVenue(given.venue, context);
    if (action === 'open' || (action === 'list' && given.symbol !== undefined)) {
      const { symbol, side, entry, leverage, ...more } = given;
      if (symbol === undefined || side === undefined || entry === undefined || leverage === undefined)
        throw new UserError(msg('Give market, side, entry and leverage: {example}.', { example }));
      const held = { ...more, symbol, side, entry, leverage, venue: at?.venue };
      const position = withTier(held, await tiersOf(held, at, context));
      const { rule } = await openPosition(position, editingOf(context));
      return positionCard({ ...rule, position }, { title: msg('Position noted'), context });
    }
    if (action === 'edit') {
      const { symbol: _, ...changes } = given;
      const { id: found, position, symbols } = findPosition(whichOf(id), await rulesOf(context));
      const [symbol = ''] = symbols;
      const venue = at?.venue ?? position.venue;
      const tiers = await tiersOf({ symbol, venue }, at, context);
      const rule = await editPosition(
        { id: found },
        { ...defined({ ...changes, venue }), tiers },
        editingOf(context),
      );
      return positionCard(rule, { title: msg('Position changed'), context });
    }
    const positions = (await rulesOf(context)).filter(isPosition);
    if (action === 'end') {
      const ended = findRules(whichOf(id), positions, noPosition);
      for (const rule of ended) await endRules({ id: rule.id }, editingOf(context));
      return { title: msg('Position forgotten'), summary: lines(...ended.map(({ name }) => name ?? '')) };
    }
    return list(positions, context);
  },
});

const example = typed(
  'position btc long 60000 10x',
  'position open symbol:btc side:long entry:60000 leverage:10x',
);

const rulesOf = ({ store, caller }: CommandContext) => store.rules.of(caller.receiver);

/**
 * Returns the margin tiers of the exchange; undefined if it publishes none, or does not answer now.
 * @throws UserError if the exchange that was named just now does not trade the market
 */
function tiersOf(
  { symbol, venue }: Pick<HeldPosition, 'venue'> & { readonly symbol: string },
  at: NamedVenue | undefined,
  { data, signal }: CommandContext,
): Promise<VenueTiers | undefined> {
  const answer = data.leverageTiers({ symbol, venue }, signal);
  return ifAnswered(at === undefined ? answer : awaitVenueAnswer(at, { symbol, answer }));
}

/** Returns the fields that have a value. */
const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };

/** How far a position is from its liquidation now. */
interface Distance {
  /** Price now. */
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
  const closes = await ifAnswered(closesOf(symbol, { ...context, hours: (usualDays * day) / hour }));
  const last = closes?.at(-1)?.[1];
  if (closes === undefined || last === undefined) return undefined;
  const sign = side === 'long' ? 1 : -1;
  const distance = (sign * (last - liquidationOf(position))) / last;
  const moves = closes.slice(1).map(([, close], index) => Math.log(close / (closes[index]?.[1] ?? close)));
  const variance = moves.reduce((sum, move) => sum + move ** 2, 0) / moves.length;
  return {
    now: last,
    percent: distance * 100,
    gain: sign * (last / entry - 1) * leverage * 100,
    // A price that wanders moves by the root of the time.
    ...(moves.length >= 24 && variance > 0 && distance > 0 && { hours: distance ** 2 / variance }),
  };
}

async function positionCard(
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
    facts: [
      { name: msg('Id'), value: id },
      { name: msg('Liquidation (estimate)'), value: price(liquidationOf(position)) },
      { name: msg('Margin tier'), value: tierText(position, symbol) },
      ...(distance === undefined ? [] : distanceFacts(distance)),
      ...(size === undefined
        ? []
        : [{ name: msg('Margin'), value: usd((size * position.entry) / position.leverage) }]),
      ...(funding === undefined ? [] : [{ name: msg('Funding since then'), value: percent(-funding, 2) }]),
      {
        name: msg('Alert on funding'),
        value: msg('from {share} of the margin on', { share: share(fundingLimitOf(position) / 100, 1) }),
      },
      { name: msg('How'), value: method },
    ],
    actions: [
      { label: msg('End'), command: `position end id=${id}`, weight: 'danger' },
      { label: msg('All positions'), command: 'position list' },
    ],
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
    .filter(({ timestamp }) => msOf(timestamp) > createdAt)
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

async function list(positions: readonly PositionRule[], context: CommandContext): Promise<Card> {
  if (positions.length === 0)
    return {
      title: msg('Positions in this chat'),
      summary: msg('None yet. Note one: {example}.', { example }),
    };
  const distances = await Promise.all(positions.map((rule) => distanceOf(rule, context)));
  return {
    title: msg('Positions in this chat'),
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
    facts: [{ name: msg('How'), value: method }],
  };
}
