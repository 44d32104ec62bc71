import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChainHead,
  type ChainLink,
  createChainCheck,
  headsIn,
  headText,
  nextLink,
  noHead,
} from '#src/alert/chain.ts';

const chainOf = (bodies: readonly string[]): ChainLink[] => {
  const links: ChainLink[] = [];
  for (const body of bodies) links.push(nextLink(links.at(-1) ?? noHead, body));
  return links;
};
const checked = (links: readonly ChainLink[], heads: readonly ChainHead[] = []) => {
  const check = createChainCheck(heads);
  for (const link of links) check.add(link);
  return check.end();
};
const five = chainOf(['a', 'b', 'c', 'd', 'e']);
const [first, second, third, fourth, fifth] = five as [ChainLink, ChainLink, ChainLink, ChainLink, ChainLink];

describe('a chain', () => {
  it('that was not changed is valid, with every posted head', () => {
    expect(checked(five, [second, fifth])).toEqual({ head: fifth, matchingHeads: 2 });
    expect(checked([])).toEqual({ head: noHead, matchingHeads: 0 });
  });

  it.each<[what: string, links: ChainLink[], heads: ChainHead[], problem: RegExp]>([
    ['a changed link', [first, { ...second, body: 'B' }, third], [], /link 2 or an earlier one was changed/],
    ['one left out', [first, third, fourth], [], /link 2 is missing/],
    ['one put in', [first, second, { ...nextLink(second, 'x') }, third], [], /link 4 is missing|follows 3/],
    ['all written anew', chainOf(['a', 'B', 'c']), [third], /head 3 was posted as/],
    ['its end cut off', [first, second], [fourth], /the chain ends at 2/],
    ['its beginning cut off', [second, third], [], /link 1 is missing/],
  ])('is not valid with %s', (_, links, heads, problem) => {
    expect(checked(links, heads).problem).toMatch(problem);
  });

  it('is invalid after any change of any link', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.string(),
        (bodies, at, other) => {
          const links = chainOf(bodies);
          const index = at % links.length;
          fc.pre(bodies[index] !== other);
          const touched = links.map((link, each) => (each === index ? { ...link, body: other } : link));
          expect(checked(touched).problem).toMatch(`link ${index + 1} or an earlier one was changed`);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('has its posted head found in any surrounding text', () => {
    const text = `Head of 22 Nov: ${headText(fourth)}.\n> ${headText(second)} and 12 abc`;
    expect(headsIn(text)).toEqual([fourth, second].map(({ n, hash }) => ({ n, hash })));
  });
});
