import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { z } from 'zod';
import { DeliveryError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import type { Resolve } from './ports.ts';

/** An IP address or a range, e.g. `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`. */
export const addressRange = z.string().refine((text) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text), {
  error: 'give an IP address or a range such as "10.0.0.0/8"',
});

const globalUnicast6 = ipaddr.parseCIDR('2000::/3');

const isInRange = (address: ipaddr.IPv4 | ipaddr.IPv6, range: string): boolean => {
  const [base, bits] = ipaddr.isValidCIDR(range)
    ? ipaddr.parseCIDR(range)
    : ([ipaddr.parse(range), ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128] as const);
  return base.kind() === address.kind() && address.match(base, bits);
};

/** Returns whether an address is public or in one of the `allow`ed ranges. */
export function isReachable(text: string, allow: readonly string[]): boolean {
  const address = ipaddr.process(text);
  if (allow.some((range) => isInRange(address, range))) return true;
  if (address.range() !== 'unicast') return false;
  // IPv6 addresses outside 2000::/3 include forms that contain an IPv4 address, `::127.0.0.1` among them.
  return address.kind() === 'ipv4' || address.match(globalUnicast6);
}

/**
 * Creates an HTTP agent for URLs that users give. It resolves the name and connects to exactly the addresses that it
 * has checked, so a name that resolves differently the second time gains nothing. A failure before the connection is
 * open is a DeliveryError that says that nothing was sent.
 * @param timeout of a whole request, ms: a connection may take half of it
 */
export function publicAgent(
  { allow, timeout }: { readonly allow: readonly string[]; readonly timeout: number },
  {
    setting,
    resolve,
  }: {
    /** The setting that `allow` comes from. */
    readonly setting: string;
    readonly resolve: Resolve;
  },
): Agent {
  /** @param kind a name may lead elsewhere again: a network's gate answers for all names */
  const privateAddressError = (hostname: string, kind: 'rejected' | 'missing') =>
    new DeliveryError(
      { kind },
      msg(
        '{hostname} is a private, loopback or link-local address; use a public one, or let the operator allow its range in {setting}',
        { hostname, setting },
      ),
    );

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new Error(`${hostname} has no address`), []);
        if (addresses.some(({ address }) => !isReachable(address, allow)))
          return callback(privateAddressError(hostname, 'missing'), []);
        return options.all ? callback(null, [...addresses]) : callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };

  const connector = buildConnector({ lookup, timeout: timeout / 2 });
  return new Agent({
    connect: (options, callback) => {
      if (isIP(options.hostname) !== 0 && !isReachable(options.hostname, allow)) {
        return callback(privateAddressError(options.hostname, 'rejected'), null);
      }
      return connector(options, (error, socket) => {
        if (error === null) return callback(null, socket);
        if (error instanceof DeliveryError) return callback(error, null);
        const unreached = new DeliveryError(
          { kind: 'unavailable', accepted: 'no' },
          msg('{host} could not be reached; retrying', { host: options.hostname }),
          { cause: error },
        );
        return callback(unreached, null);
      });
    },
  });
}
