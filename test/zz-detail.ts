import { launchChromium } from '/work/wt/push/test/support/chromium.ts';
const b = await launchChromium({});
const context = await b.newContext({ viewport: { width: 1440, height: 900 } });
const p = await context.newPage();
await p.addInitScript(`
  globalThis.shifts = [];
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput)
    globalThis.shifts.push([Math.round(e.startTime), e.value, (e.sources ?? []).slice(0,3).map((s) => { const n = s.node?.nodeType === 1 ? s.node : s.node?.parentElement; const a = s.previousRect, c = s.currentRect; return (n?.tagName ?? '') + '.' + (n?.className?.baseVal ?? n?.className ?? '') + '<' + (n?.parentElement?.parentElement?.className ?? '') + ' ' + [a.x,a.y,a.width,a.height].map(Math.round) + '>' + [c.x,c.y,c.width,c.height].map(Math.round) ; }).join(' | ')]);
  }).observe({ type: 'layout-shift', buffered: true });
`);
await p.goto('http://127.0.0.1:4912/');
await new Promise((r) => setTimeout(r, 20_000));
await p.evaluate('globalThis.shifts.splice(0)');
await new Promise((r) => setTimeout(r, 40_000));
const shifts = (await p.evaluate('globalThis.shifts.splice(0)')) as [number, number, string][];
console.log(shifts.reduce((s, e) => s + e[1], 0).toFixed(4), shifts.length);
for (const s of shifts.slice(0, 30)) console.log('   ', s[0], s[1].toFixed(4), s[2].slice(0, 300));
await p.screenshot({ path: '/tmp/push/run/now.png' });
await b.close();
