import type { Market } from '#src/service/simulation/market.ts';
import { syntheticMarket } from '#src/service/simulation/synthetic.ts';

/**
 * A simulated market without random outages. All suites share it: its values depend on nothing but the time, and a market of
 * one's own computes the hours from 2023 to the present again, which takes 0.4 s.
 */
export const calmMarket: Market = { ...syntheticMarket({ seed: 7, symbols: 30 }), outages: () => [] };
