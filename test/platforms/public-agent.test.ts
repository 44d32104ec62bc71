import { describe, expect, it } from 'vitest';
import { isReachable } from '#src/platforms/public-agent.ts';

describe('an address given by anyone', () => {
  it.each([
    ['the open internet', '93.184.216.34', true],
    ['the open internet in IPv6', '2606:2800:220:1:248:1893:25c8:1946', true],
    ['loopback', '127.0.0.1', false],
    ['loopback in IPv6', '::1', false],
    ['any address', '0.0.0.0', false],
    ['any address in IPv6', '::', false],
    ['private 10', '10.1.2.3', false],
    ['private 172.16', '172.31.255.255', false],
    ['private 192.168', '192.168.0.1', false],
    ['carrier-grade NAT', '100.64.0.1', false],
    ['link-local, where clouds keep credentials', '169.254.169.254', false],
    ['link-local in IPv6', 'fe80::1', false],
    ['link-local with a zone', 'fe80::1%eth0', false],
    ['unique local', 'fd00::1', false],
    ['deprecated site-local', 'fec0::1', false],
    ['multicast', '224.0.0.1', false],
    ['broadcast', '255.255.255.255', false],
    ['reserved', '240.0.0.1', false],
    ['IPv4 mapped into IPv6', '::ffff:127.0.0.1', false],
    ['IPv4 mapped into IPv6, in hex', '::ffff:7f00:1', false],
    ['IPv4 compatible', '::127.0.0.1', false],
    ['IPv4 behind NAT64', '64:ff9b::7f00:1', false],
    ['IPv4 inside 6to4', '2002:7f00:1::', false],
    ['IPv4 inside Teredo', '2001:0:7f00:1::', false],
    ['a range the operator allows', '10.9.8.7', true, ['10.9.0.0/16']],
    ['an address the operator allows', '127.0.0.1', true, ['127.0.0.1']],
    ['beside what the operator allows', '10.8.0.1', false, ['10.9.0.0/16', 'fd00::/8']],
    ['an allowed range, mapped into IPv6', '::ffff:10.9.0.1', true, ['10.9.0.0/16']],
  ])('%s: %s is reachable: %s', (_case, address, reachable, allow: readonly string[] = []) => {
    expect(isReachable(address, allow)).toBe(reachable);
  });
});
