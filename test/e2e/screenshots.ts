import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { chromium, launchChromium } from '#test/support/chromium.ts';
import { show, startFull, views } from '#test/support/views.ts';

const root = resolve(import.meta.dirname, '../..');
/** The folder for the pictures of every view of the page, `screenshots/`, which git ignores. */
const folder = join(root, 'screenshots');
/** The page of a running bot, of which the README's pictures are taken; absent: of the tests' own page. */
const [running] = process.argv.slice(2);

const desk = { width: 1_440, height: 900 };
const phone = { width: 390, height: 844 };
/** Each language, theme and size at least once; the bench `page -- looks` covers all combinations. */
const looks: readonly BrowserContextOptions[] = [
  { viewport: desk, colorScheme: 'dark', locale: 'en' },
  { viewport: desk, colorScheme: 'light', locale: 'zh' },
  { viewport: phone, colorScheme: 'dark', locale: 'es' },
];

async function shoot(browser: Browser, { url, look }: { url: string; look: BrowserContextOptions }) {
  const context = await browser.newContext({ ...look, reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' });
  const page = await context.newPage();
  for (const view of views) {
    await show(page, { url, view });
    const name = [view.replace('/', '-'), look.viewport?.width, look.colorScheme, look.locale].join('-');
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }
  await context.close();
}

/** Takes the pictures that the README shows. */
async function portray(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: desk, colorScheme: 'dark', reducedMotion: 'reduce' });
  const page = await context.newPage();
  for (const view of ['now', 'alerts'] as const) {
    await show(page, { url, view });
    await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
    const notice = page.getByRole('button', { name: 'Got it' });
    if (await notice.isVisible()) await notice.click();
    if (view === 'alerts') {
      await page.locator('a.alert-line').first().click();
      await page.waitForTimeout(3_000);
    }
    await page.screenshot({ path: join(root, 'docs/pictures', `${view}.png`) });
  }
}

if (!existsSync(chromium)) {
  process.stdout.write(`No screenshots of the page: there is no Chromium at ${chromium}.\n`);
  process.exit(0);
}
// The page uses a system font for Chinese. A machine without one would show boxes, so it gets the font of our charts.
const data = await mkdtemp(join(tmpdir(), 'tocsin-fonts-'));
await mkdir(join(data, 'fonts'));
for (const face of ['Han-Regular.otf', 'Han-Bold.otf'])
  await symlink(resolve(import.meta.dirname, '../../src/chart/fonts', face), join(data, 'fonts', face));
const launch = () => launchChromium({ env: { ...process.env, XDG_DATA_HOME: data } });
if (running !== undefined) {
  await mkdir(join(root, 'docs/pictures'), { recursive: true });
  const browser = await launch();
  await portray(browser, running);
  await browser.close();
  await rm(data, { recursive: true });
  process.exit(0);
}
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
const began = performance.now();
const [console, browser] = await Promise.all([startFull(), launch()]);
await Promise.all(looks.map((look) => shoot(browser, { url: console.url, look })));
await Promise.all([browser.close(), console.close()]);
await rm(data, { recursive: true });
const seconds = ((performance.now() - began) / 1_000).toFixed(1);
process.stdout.write(`${looks.length * views.length} screenshots in screenshots/ after ${seconds} s\n`);
