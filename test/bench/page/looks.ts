import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { faults } from '#test/support/faults.ts';
import { show, startFull, views } from '#test/support/views.ts';
import { none, report } from '../measuring/figures.ts';

const widths = [320, 390, 768, 1440, 2560];
const languages = ['en-US', 'es-ES', 'zh-CN'];
const themes = ['dark', 'light'] as const;
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Looked {
  looks: number;
  faults: string[];
  violations: string[];
}

/**
 * `npm run bench -- page -- looks [--shots FOLDER]`: looks in every view, at every width, in every language and theme, for
 * texts that are clipped, broken or beyond the edge, and for what axe finds; then at 200 % and in forced colours.
 */
/** @param shots folder for a picture of each look */
export async function pageLooks(shots: string | undefined): Promise<void> {
  const console = await startFull();
  const browser = await launchChromium();
  const looked = (): Looked => ({ looks: 0, faults: [], violations: [] });
  const [all, zoomed] = [looked(), looked()];
  const whole = { url: console.url, shots, browser };
  try {
    for (const locale of languages)
      for (const colorScheme of themes)
        await look(all, {
          ...whole,
          widths,
          given: { locale, colorScheme },
          name: `${locale}-${colorScheme}`,
        });
    // Half the width of a window of 1440 pixels.
    for (const forcedColors of ['none', 'active'] as const)
      await look(zoomed, {
        ...whole,
        widths: [720],
        given: { locale: 'es-ES', deviceScaleFactor: 2, forcedColors },
        name: `200-${forcedColors}`,
      });
  } finally {
    await browser.close();
    await console.close();
  }
  for (const line of [...all.faults, ...all.violations, ...zoomed.faults, ...zoomed.violations])
    process.stdout.write(`${line}\n`);
  const figures = ({ looks, faults, violations }: Looked) => [
    { name: 'looked at', value: looks, unit: '' },
    none('texts clipped, broken or beyond the edge', faults.length),
    none('found by axe, best practice included', violations.length),
  ];
  report(`page: ${views.length} views × 5 widths × 3 languages × 2 themes`, figures(all));
  report('page: at 200 %, and so in forced colours', figures(zoomed));
}

async function look(
  into: Looked,
  {
    browser,
    url,
    widths,
    given,
    name,
    shots,
  }: {
    readonly browser: Browser;
    readonly url: string;
    readonly widths: readonly number[];
    readonly given: BrowserContextOptions;
    readonly name: string;
    readonly shots: string | undefined;
  },
): Promise<void> {
  const context = await browser.newContext({ ...given, bypassCSP: true });
  const page = await context.newPage();
  for (const view of views) {
    await show(page, { url, view });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const found = await faults(page);
      into.looks += 1;
      into.faults.push(...found.map((fault) => `${view} ${width} ${name}: ${fault}`));
      if (shots === undefined) continue;
      await mkdir(shots, { recursive: true });
      await page.screenshot({ path: join(shots, `${view.replace('/', '-')}-${width}-${name}.png`) });
    }
    into.violations.push(...(await violations(page)).map((id) => `${view} ${name}: ${id}`));
  }
  await context.close();
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: await readFile(axe, 'utf8') });
  const found = (await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`)) as {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
