import { rate, span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { hour } from '../runtime/units.ts';

/** Writes a funding rate with its interval in hours: `+0.0100% per 8 h`. If the interval is unknown, only the rate. */
export const ratePer = (fraction: number | undefined, hours: number | undefined): Text =>
  hours === undefined
    ? rate(fraction)
    : msg('{rate} per {interval}', { rate: rate(fraction), interval: span(hours * hour) });
