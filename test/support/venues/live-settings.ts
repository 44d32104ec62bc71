import type { ExchangeUrls } from '#src/service/exchanges/urls.ts';

/** Returns the setting `data.embedded.live` of a market that is collected from exchanges on loopback. */
export function liveSettings({ venues, ...others }: ExchangeUrls): object {
  const addresses = Object.entries(venues).flatMap(([name, { rest, stream }]) => [
    [name, rest],
    [`${name}Stream`, stream],
  ]);
  return { ...Object.fromEntries(addresses), ...others, fred: 'http://127.0.0.1:1' };
}
