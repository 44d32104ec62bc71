import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChainLink, createChainCheck, headsIn, headText, nextLink, noHead } from '#src/alert/chain.ts';
import { createRoot, proofOf } from '#src/alert/hash-tree.ts';
import { hour } from '#src/runtime/units.ts';
import { rootBy } from '#test/support/hash-path.ts';

const startsAt = Date.UTC(2026, 0, 1, 12);
function chainOf(length: number): ChainLink[] {
  const links: ChainLink[] = [];
  for (let n = 1; n <= length; n += 1)
    links.push(
      nextLink(
        links.at(-1) ?? noHead,
        JSON.stringify({ id: `a${n}`, title: { message: 'BTC fell' }, labels: {}, startsAt }),
      ),
    );
  return links;
}
const rootOf = (links: readonly ChainLink[]) => {
  const tree = createRoot();
  for (const { hash } of links) tree.add(hash);
  return tree.root() ?? '';
};
const proofIn = (links: readonly ChainLink[], n: number) =>
  proofOf(
    links[n - 1] as ChainLink,
    links[n - 2] ?? noHead,
    links.map(({ hash }) => hash),
  );

describe('the tree of the links', () => {
  it('leads from every link to the posted root, by few hashes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (size, at) => {
        const links = chainOf(size);
        const proof = proofIn(links, (at % size) + 1);
        expect(rootBy(proof)).toBe(rootOf(links));
        expect(proof.path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
      }),
      { numRuns: 60 },
    );
  });

  it('leads elsewhere from a link that was changed', () => {
    const links = chainOf(13);
    const proof = proofIn(links, 7);
    const changed = { ...proof, link: { ...proof.link, body: proof.link.body.replace('fell', 'rose') } };
    expect(rootBy(changed)).not.toBe(rootOf(links));
  });

  it('is compared with the posted root when the chain is checked', () => {
    const links = chainOf(9);
    const check = (root: string) => {
      const [last] = links.slice(-1);
      const [head] = headsIn(`Head ${headText({ ...(last as ChainLink), root })}.`);
      const checking = createChainCheck(head === undefined ? [] : [head]);
      for (const link of links) checking.add(link);
      return checking.end();
    };
    expect(check(rootOf(links))).toMatchObject({ matchingHeads: 1 });
    expect(check('0'.repeat(64)).problem).toContain('was rewritten');
  });
});

describe('docs/verify.html', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/verify.html'), 'utf8');
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(page) ?? [];
  const field = { addEventListener() {} };
  const context = vm.createContext({
    crypto,
    TextEncoder,
    Uint8Array,
    document: { getElementById: () => field },
  });
  vm.runInContext(script, context);
  const verify = (given: object): Promise<{ holds: boolean; text: string }> =>
    vm.runInContext('verify', context)(given);
  const links = chainOf(21);
  const root = rootOf(links);
  const head = `Head ${headText({ ...(links[20] as ChainLink), root })}. Keep it.`;
  const proof = JSON.stringify(proofIn(links, 5));

  it('loads nothing, and needs no server', () => {
    expect(page).toContain(`default-src 'none'`);
    expect(page).not.toMatch(/src=|href=|https?:/);
  });

  it('shows that an alert was announced before the outcomes that are younger than the head', async () => {
    const { holds, text } = await verify({ head, proof, posted: startsAt + 2 * hour });
    expect(holds).toBe(true);
    expect(text).toContain('BTC fell');
    expect(text).toMatch(/after 1 h .*: not shown/);
    expect(text).toMatch(/after 4 h .*: yes/);
    expect(text).toMatch(/after 24 h .*: yes/);
  });

  it.each([
    ['a proof that was changed', head, proof.replace('fell', 'rose')],
    ['another head', head.replace(root, '1'.repeat(64)), proof],
    ['a head of another size', head.replace('21 ', '20 '), proof],
    ['a head without a tree', headText(links[20] as ChainLink), proof],
    ['half a proof', head, proof.slice(0, 80)],
    ['something else', head, '{"size":21}'],
    ['nothing', head, 'null'],
  ])('refuses %s', async (_, head, proof) => {
    expect(await verify({ head, proof, posted: startsAt })).toMatchObject({ holds: false });
  });
});
