import { launchChromium } from '/work/wt/push/test/support/chromium.ts';
const b = await launchChromium({});
const context = await b.newContext({ viewport: { width: 1280, height: 800 } });
const p = await context.newPage();
await p.addInitScript(`
  globalThis.shifts = [];
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput)
    globalThis.shifts.push([Math.round(e.startTime), e.value, (e.sources ?? []).map((s) => { const n = s.node?.nodeType === 1 ? s.node : s.node?.parentElement; return (n?.tagName ?? '') + '.' + (n?.className?.baseVal ?? n?.className ?? '') + '<' + (n?.parentElement?.className ?? ''); }).join(' | ')]);
  }).observe({ type: 'layout-shift', buffered: true });
`);
await p.goto('http://127.0.0.1:4912/');
await p.waitForSelector('.feeds', { timeout: 60000 });
await p.screenshot({ path: '/tmp/push/run/head0.png' });
for (let minute = 1; minute <= 10; minute += 1) {
  for (let part = 0; part < 6; part += 1) {
    await new Promise((r) => setTimeout(r, 10_000));
    const head = await p.evaluate(() => [document.querySelector('#app > header')?.getBoundingClientRect().height, document.querySelector('.feeds')?.textContent]);
    if (minute === 1) console.log('header', head);
  }
  const shifts = (await p.evaluate('globalThis.shifts.splice(0)')) as [number, number, string][];
  console.log(minute, shifts.reduce((s, e) => s + e[1], 0).toFixed(4), shifts.length);
  for (const s of shifts.sort((a, c) => c[1] - a[1]).slice(0, 6)) console.log('   ', s[1].toFixed(4), s[2].slice(0, 200));
  if (minute === 1 || minute === 5) await p.screenshot({ path: `/tmp/push/run/head${minute}.png` });
}
await b.close();
