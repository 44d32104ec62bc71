import { hour, minute } from '../../runtime/units.ts';
import type { SimulatedOutage, SimulatedUpstream } from './market.ts';
import { keyOf, uniform } from './random.ts';

const upstreams: readonly SimulatedUpstream[] = ['liquidations', 'openInterest', 'binance', 'deribit'];

/** Returns the outages in a span. In about a third of all half days one upstream fails for 10 to 40 minutes. */
export function outagesBetween(
  seed: number,
  { from, to }: { readonly from: number; readonly to: number },
): SimulatedOutage[] {
  const key = keyOf(seed, 'outages');
  const block = 12 * hour;
  const found: SimulatedOutage[] = [];
  for (let index = Math.floor(from / block) - 1; index * block <= to; index += 1) {
    if (uniform(key, index, 1) > 0.35) continue;
    const start = index * block + Math.floor(uniform(key, index, 2) * 680) * minute;
    const end = start + (10 + Math.floor(uniform(key, index, 3) * 31)) * minute;
    const upstream = upstreams[Math.floor(uniform(key, index, 4) * upstreams.length)] ?? 'binance';
    if (end >= from && start <= to) found.push({ upstream, from: start, to: end });
  }
  return found;
}
