import { z } from 'zod';
import type { HeldPosition } from '../alert/rule.ts';
import { UserError, withMessage } from '../language/errors.ts';
import { lines, msg, typed } from '../language/text.ts';
import {
  editPosition,
  findPosition,
  isPosition,
  maxFundingLimit,
  noPosition,
  openPosition,
  type VenueTiers,
  withTier,
} from '../places/positions.ts';
import { endRules, findRules } from '../places/rules.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { editingOf, mustManage } from '../shell/editing.ts';
import { level, ownId, symbol, whichOf } from '../shell/input.ts';
import { positionCard, positionList } from './kit/position-card.ts';
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
    list: {
      description: msg('The positions in this chat, and how they stand now'),
      optionalInputs: ['symbol', 'id'],
    },
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
  async run({ action: asked, id, ...given }, context) {
    mustManage(context.caller);
    const { symbol, side, entry, leverage, ...more } = given;
    const isDescribed = (side ?? entry ?? leverage) !== undefined;
    const action = asked === 'list' && isDescribed ? 'open' : asked;
    if (action === 'open') {
      if (symbol === undefined || side === undefined || entry === undefined || leverage === undefined)
        throw new UserError(msg('Give market, side, entry and leverage: {example}.', { example }));
      // A word that is nothing else was taken for an id: a new position has none, but may be at an exchange.
      const at = await venueOf([more.venue, id], context);
      const held = { ...more, symbol, side, entry, leverage, venue: at?.venue };
      const position = withTier(held, await tiersOf(held, at, context));
      const { rule } = await openPosition(position, editingOf(context));
      return positionCard({ ...rule, position }, { title: msg('Position noted'), context });
    }
    const positions = (await context.store.rules.of(context.caller.receiver)).filter(isPosition);
    if (action === 'edit') {
      const before = findPosition(whichOf(id), positions);
      const at = await venueOf([more.venue], context);
      const venue = at?.venue ?? before.position.venue;
      const tiers = await tiersOf({ symbol: before.symbols[0], venue }, at, context);
      const changes = { ...defined({ ...more, side, entry, leverage, venue }), tiers };
      const rule = await editPosition({ id: before.id }, changes, editingOf(context));
      return positionCard(rule, { title: msg('Position changed'), context });
    }
    if (action === 'end') {
      const ended = findRules(whichOf(id), positions, noPosition);
      for (const rule of ended) await endRules({ id: rule.id }, editingOf(context));
      return { title: msg('Position forgotten'), summary: lines(...ended.map(({ name }) => name ?? '')) };
    }
    const which = whichOf(id);
    if (which !== 'all' && which.id !== undefined)
      return positionCard(findPosition(which, positions), { title: msg('Position'), context });
    const wanted = positions.filter(({ symbols }) => symbol === undefined || symbols.includes(symbol));
    return positionList(wanted, { example, context });
  },
});

const example = typed(
  'position btc long 60000 10x',
  'position open symbol:btc side:long entry:60000 leverage:10x',
);

/** Finds the exchange that is named. @throws UserError if the words name none */
async function venueOf(
  words: readonly (string | undefined)[],
  context: CommandContext,
): Promise<NamedVenue | undefined> {
  const named = words.filter((word) => word !== undefined).join(' ');
  return named === '' ? undefined : findVenue(named, context);
}

/**
 * Returns the margin tiers of the exchange; undefined if it publishes none, or does not answer now.
 * @throws UserError if the exchange that was named just now does not trade the market
 */
function tiersOf(
  { symbol = '', venue }: Pick<HeldPosition, 'venue'> & { readonly symbol: string | undefined },
  at: NamedVenue | undefined,
  { data, signal }: CommandContext,
): Promise<VenueTiers | undefined> {
  const answer = data.leverageTiers({ symbol, venue }, signal);
  return ifAnswered(at === undefined ? answer : awaitVenueAnswer(at, { symbol, answer }));
}

const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
