import type { Page } from 'playwright-core';

/** Keeps what the page tells screen readers from now on. Returns what reads it. */
export async function hearAnnouncements(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`
    globalThis.said = [];
    new MutationObserver(() => globalThis.said.push(document.querySelector('p[aria-live]').textContent))
      .observe(document.querySelector('p[aria-live]'), { childList: true, characterData: true, subtree: true });
  `);
  return () => page.evaluate('globalThis.said') as Promise<readonly string[]>;
}
