import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Returns what axe finds wrong in a part of a page that was opened with `bypassCSP`: each rule, and where it is broken. */
export async function violationsOf(page: Page, part = 'html'): Promise<(readonly [string, string[]])[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.addScriptTag({ content: axe });
  const { violations } = (await page.evaluate(
    // Selectors of what is right cost most of the time, and nobody reads them.
    `axe.run('${part}', { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'], selectors: false })`,
  )) as { violations: { id: string; nodes: { html: string }[] }[] };
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
