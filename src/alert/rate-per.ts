import { rate, span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { hour } from '../runtime/units.ts';

/** A funding rate and the hours it is paid for: `+0.0100% per 8 h`; the rate alone where those are unknown. */
export const ratePer = (fraction: number | undefined, hours: number | undefined): Text =>
  hours === undefined
    ? rate(fraction)
    : msg('{rate} per {interval}', { rate: rate(fraction), interval: span(hours * hour) });
