import type { Page } from 'playwright-core';

/** Finds visible texts that are cut off, broken within a word, or beyond the page’s edge, and views that scroll sideways. */
export const faults = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const found = [];
    const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.hidden');
    for (const each of document.querySelectorAll('main > .scrolls'))
      if (each.scrollWidth > each.clientWidth) found.push('the view scrolls sideways: ' + each.scrollWidth);
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways: ' + document.documentElement.scrollWidth);
    const walker = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent.trim();
      const parent = node.parentElement;
      if (text === '' || !seen(parent)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()];
      if (!parent.closest('.scrolls, svg, #scroll, .table, nav') && boxes.some(({ left, right }) => left < -1 || right > innerWidth + 1))
        found.push('beyond the edge: ' + text);
      if (parent.closest('td, th') && !/[\\s\\u3000-\\u9fff-]/.test(text) && new Set(boxes.map(({ top }) => Math.round(top))).size > 1)
        found.push('broken: ' + text);
      for (let box = parent; box && box.id !== 'app'; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (style.overflowX === 'auto' || style.overflowX === 'scroll') break;
        if (style.overflowX === 'visible') continue;
        const edge = box.getBoundingClientRect();
        if (boxes.some(({ left, right }) => left < edge.left - 1 || right > edge.right + 1)) found.push('clipped: ' + text);
        break;
      }
    }
    return found;
  })()`);
