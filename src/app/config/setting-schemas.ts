import { isIP } from 'node:net';
import { z } from 'zod';
import type { Receiver } from '../../alert/subscription.ts';
import { rank } from '../../language/closest.ts';
import type { Platform } from '../../platforms/platform.ts';
import { secret } from '../../runtime/secret.ts';
import { duration, second } from '../../runtime/units.ts';

/** Schema of a list without repeated entries: of two alike, one is a mistake for something else. */
export const distinct = <Entry extends z.ZodType<string, string>>(entry: Entry) =>
  z.array(entry).superRefine((list, { addIssue }) => {
    for (const [index, each] of list.entries())
      if (list.indexOf(each) < index)
        addIssue({ code: 'custom', path: [index], message: 'it is in the list already: leave it out' });
  });

/** Schema of a person, as one of these platforms names them. */
export const personSchema = (platforms: readonly Pick<Platform, 'person'>[]) => {
  const persons = platforms.flatMap(({ person }) => person ?? []);
  const give = `give one of ${persons.map(({ example }) => example).join(', ')}`;
  return z.string(give).refine((text) => persons.some(({ pattern }) => pattern.test(text)), give);
};

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
  const names = platforms.map(({ name }) => name);
  const [name] = rank(prefix, names, 1);
  const meant = platforms.find((each) => each.name === name) ?? platforms[0];
  if (meant === undefined) return 'give a place as { notifier: …, address: { … } }';
  const { required = [] } = z.toJSONSchema(meant.address, { io: 'input', unrepresentable: 'any' });
  return `give it as { notifier: ${meant.name}, address: { ${required.map((field) => `${field}: …`).join(', ')} } }`;
}

export const httpUrl = z.url({ protocol: /^https?$/, error: 'give an http or https URL' });

const wsUrl = z.url({ protocol: /^wss?$/, error: 'give a ws or wss URL' });

/** An https proxy is identified by its certificate, which names a host. False for an https URL with an IP address. */
const hasName = (url: string): boolean => {
  const { protocol, hostname = '' } = URL.parse(url) ?? {};
  return protocol !== 'https:' || isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
};

/** The URLs from which a live market is collected, and the proxy to reach them through. */
export const liveMarket = z.strictObject({
  binance: httpUrl,
  binanceStream: wsUrl,
  bybit: httpUrl,
  bybitStream: wsUrl,
  hyperliquid: httpUrl,
  hyperliquidStream: wsUrl,
  okx: httpUrl,
  okxStream: wsUrl,
  deribit: httpUrl,
  fearGreed: httpUrl,
  stablecoins: httpUrl,
  fred: httpUrl,
  proxy: secret
    .refine((proxy) => httpUrl.safeParse(proxy.reveal()).success, 'give an http or https URL')
    .refine((proxy) => hasName(proxy.reveal()), 'give an https proxy by its name, not by its address')
    .nullable(),
});

/** Settings for telling the operator that the bot works: a URL to request and a place to post to. */
export const aliveSettings = (platforms: readonly Pick<Platform, 'name' | 'address'>[]) =>
  z.strictObject({
    url: httpUrl.pipe(secret).nullable(),
    every: realDuration,
    line: receiverSchema(platforms).nullable(),
  });

/** A host name, converted to lower case as browsers send it. */
export const hostName = z
  .string()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i, 'give a name such as tocsin.example.org, without scheme and port')
  .toLowerCase();

const giveVenue = 'give auto or the name of a venue, e.g. hyperliquid';
const venueName = /^[a-z][a-z0-9-]*$/;
const giveVenues = 'give all, none or a list of venues, e.g. [hyperliquid]';
export const venue = z.string(giveVenue).regex(venueName, giveVenue);
/** Names of the other venues to collect from. `undefined` stands for all. */
export const otherVenues = z
  .union([z.enum(['all', 'none']), distinct(z.string(giveVenues).regex(venueName, giveVenues))], {
    error: giveVenues,
  })
  .transform((given) => (given === 'all' ? undefined : given === 'none' ? [] : given));
