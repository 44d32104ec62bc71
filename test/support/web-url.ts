import fc from 'fast-check';
import { codePoint } from './code-point.ts';

const lettersAndDigits = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const character = (others: string) =>
  fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...lettersAndDigits, ...others) },
    { weight: 1, arbitrary: codePoint.map(encodeURIComponent) },
  );
const segment = fc.string({ unit: character("-._~!$&'()*+,;=:@") });
const end = fc.option(fc.string({ unit: character("-._~!$&'()*+,;=:@/?") }));

/**
 * Any address of the web. `fc.webUrl` gives much the same, after two seconds in which it lists all characters that a path may
 * encode, and two more for those of what follows the path.
 */
export const webUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.array(segment), end, end)
  .map(
    ([scheme, domain, segments, query, fragment]) =>
      `${scheme}://${[domain, ...segments].join('/')}${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`,
  );
