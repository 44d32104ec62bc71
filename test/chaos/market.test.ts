import { expect, it } from 'vitest';
import { contract } from '#src/contract/index.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { seeded } from '#test/support/random.ts';
import { createToldMarket } from './market.ts';
import { kinds, type Lie } from './plan.ts';

const names = [
  'meta',
  'marketOverview',
  'fundingCurrent',
  'fundingExtremes',
  'fundingIntervals',
  'fundingDispersion',
  'oiAggregate',
  'oi',
  'liquidations',
] as const;

const lies = kinds.flatMap(({ what, how }) => (what === 'rows' || what === 'meta' ? [how as Lie] : []));

it.each(['nothing', ...lies] as const)(
  'what the market says is well formed, and with %s wrong it differs from the truth',
  (how) => {
    const now = start + 5 * hour;
    const made = () => createToldMarket({ source: 'simulated', now: () => now, speed: 60 }, seeded(1));
    const [honest, liar] = [made(), made()];
    if (how !== 'nothing') liar.lie(how, /past/.test(how) ? -24 * hour : hour);
    const told = names.map((name) => {
      const url = new URL(`http://market${contract[name].path}?since=${iso(now - minute)}`);
      const answer = JSON.parse(JSON.stringify(liar.answer(url)));
      expect(contract[name].answer.safeParse(answer).error, name).toBeUndefined();
      return JSON.stringify(answer) === JSON.stringify(JSON.parse(JSON.stringify(honest.answer(url))));
    });
    expect(told.every(Boolean)).toBe(how === 'nothing');
  },
);
