import type { HeldPosition, Rule } from '../alert/rule.ts';
import { UserError } from '../language/errors.ts';
import { marketName, price } from '../language/format.ts';
import { plainReader, say } from '../language/say.ts';
import { msg, type Text } from '../language/text.ts';
import { numeral } from '../rules/expression.ts';
import { liquidationPrice } from '../runtime/liquidation-price.ts';
import type { Author } from '../store/ports.ts';
import type { Editing, Which } from './editing.ts';
import { buildRule, createRule, findRule, type GivenRule } from './rules.ts';

/** What is given of a position. */
interface GivenPosition extends HeldPosition {
  readonly symbol: string;
}

/** The rest of the way from the entry to the liquidation at which the alert comes: 30 %. */
const nearShare = 0.3;

/** Returns the estimated price at which a position is liquidated. */
export const liquidationOf = ({ side, entry, leverage }: HeldPosition): number =>
  liquidationPrice(side === 'long' ? 'LONG' : 'SHORT', entry, leverage);

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

/** Returns what the alert of a position is, as its condition. @throws UserError if its liquidation is no price */
function termsOf({ symbol, ...position }: GivenPosition): GivenRule & { readonly name: string } {
  const liquidation = liquidationOf(position);
  if (!(liquidation > 0)) throw new UserError(msg('Such a position is not liquidated at any price.'));
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
  const { symbol: _, ...position } = given;
  return { ...buildRule(termsOf(given), author), position };
}

/** Stores a new position. @throws UserError */
export const openPosition = (given: GivenPosition, editing: Editing) =>
  createRule(positionRule(given, editing.author), editing);

/** Changes parts of a position. @throws UserError */
export async function editPosition(
  which: Which,
  changes: Partial<GivenPosition>,
  { store, author }: Editing,
): Promise<PositionRule> {
  return store.change(author, async (places, audit) => {
    const positions = (await places.rules.of(author.receiver)).filter(isPosition);
    const before = findRule(which, positions, noPosition);
    const [symbol = ''] = before.symbols;
    const given = { symbol, ...before.position, ...changes };
    const rule = {
      ...positionRule(given, author),
      id: before.id,
      createdAt: before.createdAt,
      createdBy: before.createdBy,
    };
    await places.rules.update(rule);
    audit(msg('position {id} changed: {name}', { id: rule.id, name: rule.name ?? '' }));
    return rule;
  });
}

export const noPosition = {
  none: msg('No position is noted here.'),
  unknown: (id: string) => msg('No position here has the id "{id}"', { id }),
};
