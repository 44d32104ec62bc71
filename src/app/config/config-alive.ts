import { z } from 'zod';
import type { Receiver } from '../../alert/subscription.ts';
import { rank } from '../../language/closest.ts';
import type { Platform } from '../../platforms/platform.ts';
import { secret } from '../../runtime/secret.ts';
import { duration, second } from '../../runtime/units.ts';
import { httpUrl } from './config-live.ts';

/** A duration that must not be zero: a period would never rest, a timeout let nothing through, and a window everything. */
export const realDuration = duration.refine((ms) => ms >= second, 'give at least 1s');

/**
 * Schema of a place to post to. `notifier` names one of these platforms, whose schema checks the address and converts it to
 * the form that is stored.
 */
export const receiverSchema = (platforms: readonly Pick<Platform, 'name' | 'address'>[]) =>
  z
    .strictObject(
      { notifier: z.enum(platforms.map(({ name }) => name)), address: z.unknown() },
      {
        error: ({ code, input }) =>
          code === 'invalid_type' && typeof input === 'string' ? formOf(input, platforms) : undefined,
      },
    )
    .transform(({ notifier, address }, { issues }): Receiver => {
      const parsed = platforms.find(({ name }) => name === notifier)?.address.safeParse(address);
      for (const issue of parsed?.error?.issues ?? [])
        issues.push({ ...issue, path: ['address', ...issue.path], input: address } as z.core.$ZodRawIssue);
      return { notifier, address: parsed?.data as Receiver['address'] };
    });

/** Says how a place is written in the configuration that was given in one word, as in a chat: `discord:123`. */
function formOf(given: string, platforms: readonly Pick<Platform, 'name' | 'address'>[]): string {
  const [prefix = ''] = given.split(/[:/]/);
  const [name] = rank(prefix, { candidates: platforms.map((each) => each.name), limit: 1 });
  const meant = platforms.find((each) => each.name === name) ?? platforms[0];
  if (meant === undefined) return 'give a place as { notifier: …, address: { … } }';
  const { required = [] } = z.toJSONSchema(meant.address, { io: 'input', unrepresentable: 'any' });
  return `give it as { notifier: ${meant.name}, address: { ${required.map((field) => `${field}: …`).join(', ')} } }`;
}

/** Settings for telling the operator that the bot works: a URL to request and a place to post to. */
export const aliveSettings = (platforms: readonly Pick<Platform, 'name' | 'address'>[]) =>
  z.strictObject({
    url: httpUrl.pipe(secret).nullable(),
    every: realDuration,
    line: receiverSchema(platforms).nullable(),
  });
