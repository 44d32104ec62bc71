import type { HeldPosition, Rule } from '../alert/rule.ts';
import { UserError } from '../language/errors.ts';
import { amount, marketName, price, usd } from '../language/format.ts';
import { plainReader, say } from '../language/say.ts';
import { msg, type Text } from '../language/text.ts';
import { numeral } from '../rules/expression.ts';
import {
  liquidatingTier,
  liquidationPrice,
  type MarginTiers,
  openingTier,
  type Side,
} from '../runtime/liquidation-price.ts';
import type { Author } from '../store/ports.ts';
import { type Editing, requireChangeable, type Which } from './editing.ts';
import { buildRule, createRule, findRule, type GivenRule } from './rules.ts';

interface GivenPosition extends HeldPosition {
  readonly symbol: string;
}

/** The rest of the way from the entry to the liquidation at which the alert comes: 30 %. */
const nearShare = 0.3;

const sideOf = ({ side }: Pick<HeldPosition, 'side'>): Side => (side === 'long' ? 'LONG' : 'SHORT');

/** Returns the estimated price at which a position is liquidated. */
export function liquidationOf({ entry, leverage, size = 1, tier, ...of }: HeldPosition): number {
  const terms = tier && { rate: tier.rate, deduction: tier.deduction / size };
  return liquidationPrice(sideOf(of), entry, leverage, terms);
}

/** The tiers of an exchange, by its title. */
export interface VenueTiers extends MarginTiers {
  readonly title: string;
}

/** Says how large a position of a tier may be: `$2M`, `10 BTC`. */
export const sizeText = (
  size: number,
  { unit, symbol }: Pick<MarginTiers, 'unit'> & { readonly symbol: string },
) =>
  unit === 'USD' ? usd(size) : msg('{amount} {coin}', { amount: amount(size), coin: marketName(symbol) });

/**
 * Returns a position with the tier by which it is liquidated.
 * @param tiers undefined: they are not known
 * @throws UserError if the exchange takes no such position
 */
export function withTier({ tier: _, ...given }: GivenPosition, tiers: VenueTiers | undefined): GivenPosition {
  if (tiers === undefined) return given;
  const { title: venue, unit } = tiers;
  const sized = { ...given, side: sideOf(given) };
  const opened = openingTier(tiers, sized);
  const held = liquidatingTier(tiers, sized);
  const size = (value: number) => sizeText(value, { unit, symbol: given.symbol });
  if (opened === undefined || held === undefined)
    throw new UserError(
      msg('{venue} takes no position of more than {size}.', {
        venue,
        size: size(tiers.tiers.at(-1)?.upTo ?? 0),
      }),
    );
  const { maxLeverage: max, upTo: largest } = opened;
  if (given.leverage > max)
    throw new UserError(
      largest === undefined
        ? msg('{venue} allows at most {max}x for such a position.', { venue, max })
        : msg('{venue} allows at most {max}x for a position of up to {size}.', {
            venue,
            max,
            size: size(largest),
          }),
    );
  const { maintenanceRate: rate, deduction, upTo } = held;
  return { ...given, tier: { venue, rate, deduction, upTo, unit } };
}

/** What funding may cost without an alert, percent of the margin: usually, and at most. */
const usualFundingLimit = 10;
export const maxFundingLimit = 100;

export const fundingLimitOf = ({ funding = usualFundingLimit }: HeldPosition): number => funding;

/** Returns what rates that were settled have cost a position, percent of the margin; below 0 what they have brought. */
export const fundingCost = ({ side, leverage }: HeldPosition, rates: number): number =>
  (side === 'long' ? 1 : -1) * rates * leverage * 100;

/** A position is an own alert that knows what it is about: it fires as the price comes near the liquidation. */
export interface PositionRule extends Rule {
  readonly position: HeldPosition;
}

export const isPosition = (rule: Rule): rule is PositionRule => rule.position !== undefined;

/** Says what is held: `BTC long 60,000 × 10`. */
export const positionText = ({ side, entry, leverage }: HeldPosition, symbol: string): Text =>
  side === 'long'
    ? msg('{market} long from {entry} × {leverage}', {
        market: marketName(symbol),
        entry: price(entry),
        leverage,
      })
    : msg('{market} short from {entry} × {leverage}', {
        market: marketName(symbol),
        entry: price(entry),
        leverage,
      });

export const noLiquidation = msg('Such a position is not liquidated at any price.');

/** Returns what the alert of a position is, as its condition. @throws UserError if its liquidation is no price */
function termsOf({ symbol, ...position }: GivenPosition): GivenRule & { readonly name: string } {
  const liquidation = liquidationOf(position);
  if (!(liquidation > 0)) throw new UserError(noLiquidation);
  const near = liquidation + nearShare * (position.entry - liquidation);
  const level = Number(numeral(Number(near.toPrecision(6))));
  return {
    metric: 'price.last',
    ...(position.side === 'long' ? { below: level } : { above: level }),
    symbols: [symbol],
    severity: 'critical',
    name: say(positionText(position, symbol), plainReader),
  };
}

/** Builds the rule of a position. @throws UserError */
export function positionRule(given: GivenPosition, author: Author): PositionRule {
  const { side, entry, leverage, size, venue, tier, funding } = given;
  // Equal positions are told by their text, so that the order counts.
  const position = { side, entry, leverage, size, venue, tier, funding };
  return { ...buildRule(termsOf(given), author), position };
}

/** Stores a new position. @throws UserError */
export const openPosition = (given: GivenPosition, editing: Editing) =>
  createRule(positionRule(given, editing.author), editing);

/** Returns the position that is meant, of those in a place. @throws UserError */
export const findPosition = (which: Which, rules: readonly Rule[]): PositionRule =>
  findRule(which, rules.filter(isPosition), noPosition);

/**
 * Changes parts of a position.
 * @param changes `tiers`: the exchange's; they are read where what is held changes, and are not known if absent
 * @throws UserError
 */
export async function editPosition(
  which: Which,
  { tiers, ...changes }: Partial<GivenPosition> & { readonly tiers?: VenueTiers | undefined },
  { store, author }: Editing,
): Promise<PositionRule> {
  return store.change(author, async (places, audit) => {
    const before = findPosition(which, await places.rules.of(author.receiver));
    requireChangeable([before]);
    const [symbol = ''] = before.symbols;
    const changed = { symbol, ...before.position, ...changes };
    const isHeldAnew = (['side', 'entry', 'leverage', 'size', 'venue'] as const).some(
      (name) => changed[name] !== before.position[name],
    );
    const given = isHeldAnew ? withTier(changed, tiers) : changed;
    const { condition, clear, name, symbols, position } = positionRule(given, author);
    const rule = { ...before, condition, clear, name, symbols, position };
    await places.rules.update(rule);
    audit(msg('position {id} changed: {name}', { id: rule.id, name: rule.name ?? '' }));
    return rule;
  });
}

export const noPosition = {
  none: msg('No position is noted here.'),
  unknown: (id: string) => msg('No position here has the id "{id}"', { id }),
};
