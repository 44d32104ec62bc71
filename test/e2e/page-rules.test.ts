import { expect, it } from 'vitest';
import { UserError } from '#src/language/errors.ts';
import type { ReadSeries } from '#src/platforms/web/ports/past-series.ts';
import type { RuleDesk } from '#src/platforms/web/ports/rule-desk.ts';
import { inBrowser } from '#test/support/browser.ts';
import { marketNow, waveSeries } from '#test/support/console.ts';
import { someDesk, someRecord } from '#test/support/desk.ts';

inBrowser('rules and their record on the page', ({ open }) => {
  it('moving the level by key or pointer shows at once how often and when it fires; saving saves what is shown', async () => {
    const { page, asked } = await open('/rules');
    const pasts: string[] = [];
    const saved: object[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && new URL(request.url()).pathname === '/api/rules') {
        const { value: _, ...draft } = request.postDataJSON().draft;
        saved.push(draft);
      }
      if (request.url().includes('/api/series')) pasts.push(request.url());
    });
    const slider = page.getByRole('slider', { name: 'Level' });
    const times = async () => Number.parseInt((await page.locator('.told b').textContent()) ?? '', 10);
    await slider.waitFor();
    const before = await times();
    expect(before).toBeGreaterThan(0);
    expect(await page.locator('.told time').count()).toBe(before);
    await slider.focus();
    await page.keyboard.press('End');
    await page.locator('.told b').getByText('never').waitFor();
    const box = await slider.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 30);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 90);
    await page.mouse.up();
    const level = async () => Number(await slider.inputValue());
    await expect.poll(level).toBeGreaterThan(1);
    expect(await level()).toBeLessThan(3);
    await expect.poll(times).toBeGreaterThan(0);
    expect(await slider.getAttribute('aria-valuetext')).toContain(`${await times()} times in 30 days`);

    await page.getByRole('spinbutton', { name: 'Level' }).fill('2.5');
    await page.getByText('24 h change above 2.5%, on BTC.').waitFor();
    const line = 'alert create metric=price.change24hPct above=2.5 symbols=BTCUSDT';
    await page.locator('.save code').getByText(line, { exact: true }).waitFor();
    // The preview is made from the card, whose title has the peak of the last firing.
    await page.locator('.discord .title').getByText('(your alert: above 2.5%)').waitFor();
    await page.locator('.telegram .title').getByText('(your alert: above 2.5%)').waitFor();
    await page.getByRole('button', { name: 'Check by replaying 30 days' }).click();
    await page.getByText('In the last 30 days you’d have had 4 alerts').waitFor();
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.locator('.outcome').getByText('Alert created').waitFor();
    expect(saved).toEqual([{ metric: 'price.change24hPct', above: 2.5, symbols: 'BTCUSDT' }]);
    expect(asked).toEqual([]);
    // Reading the rules again does not load the past again, nor remove the chart.
    expect([pasts.length <= 1, await page.locator('.level-chart').count()]).toEqual([true, 1]);
    expect(page.wrong).toEqual([]);
  });

  it.each([
    ['en-US', /^\d+ Mar$/, /^\d+ Mar, \d\d:\d\d$/],
    ['es-MX', /^\d+ mar$/, /^\d+ mar, \d\d:\d\d$/],
    ['zh-TW', /^3月\d+日$/, /^3月\d+日 \d\d:\d\d$/],
  ])(
    'dates are written as the page’s language has them, on axes and elsewhere: %s',
    async (locale, tick, moment) => {
      const { page } = await open('/rules', {}, { locale });
      await page.locator('.told time').first().waitFor();
      const ticks = await page.locator('.level-chart text[text-anchor=middle].axis').allTextContents();
      const moments = await page.locator('.told time').allTextContents();
      expect(ticks.filter((text) => tick.test(text)).length).toBeGreaterThan(1);
      expect(moments[0]).toMatch(moment);
      expect(page.wrong).toEqual([]);
    },
  );

  it('a sentence fills in the alert and shows how it was read, and one of several meanings says so', async () => {
    const { page } = await open('/rules');
    const words = page.getByLabel('In your own words');
    await words.fill('eth funding above 50% a year for 15m');
    await words.press('Enter');
    await page
      .locator('.wish')
      .getByText('Read as: funding per year above 50% for 15 min, on ETH.')
      .waitFor();
    const line = 'alert create metric=funding.perYearPct above=50 for=15m symbols=ETHUSDT';
    await page.locator('.save code').getByText(line, { exact: true }).waitFor();
    await words.fill('btc above 24.000');
    await words.press('Enter');
    await page.locator('.wish').getByText('It may mean several things.').waitFor();
    await page.locator('.save code').getByText(line, { exact: true }).waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('an alert can be edited, and a wrong condition is explained', async () => {
    const { page, asked } = await open('/rules');
    await page.getByRole('button', { name: 'Edit funding z-score above 2.5' }).click();
    const code = page.locator('.save code');
    await code
      .getByText('alert edit id=abcd2345 metric=funding.z above=2.5 clear=1 for=10m severity=critical')
      .waitFor();
    await page.getByText('Clears when: funding z-score at or below 1.').first().waitFor();
    expect(await page.getByLabel('For at least').inputValue()).toBe('10m');
    const clears = page.getByLabel('Clears at');
    await clears.fill('');
    await code.getByText('above=2.5 clear=none for=10m').waitFor();
    await clears.fill('oi.ratePct < 0');
    await code.getByText('clear="oi.ratePct < 0"').waitFor();
    // The chart cannot show a condition by which the alert ends.
    await page.getByText('It clears by a condition that this chart does not show').waitFor();
    await clears.fill('3');
    await page.getByRole('alert').getByText('give a lower clear').waitFor();
    await clears.fill('1');
    await page.getByLabel('For at least').selectOption('0m');
    await page.getByLabel('Severity').selectOption('info');
    await code.getByText('above=2.5 clear=1 for=0m severity=info').waitFor();
    await page.getByRole('button', { name: 'Edit funding z-score above 2 and' }).click();
    await code.getByText('clear="funding.z < 0.5" for=0m severity=warning symbols=all').waitFor();
    expect(await page.getByLabel('Clears when').inputValue()).toBe('funding.z < 0.5');
    await page.getByRole('button', { name: 'New alert instead' }).click();
    const own = page.getByLabel('Join several metrics');
    await page.getByLabel('Clears when').fill('');
    await own.fill('funding.zz > 2');
    await page.getByRole('alert').getByText('Did you mean funding.z').waitFor();
    await own.fill('regime.state == "RISK_OFF" && funding.z > 2');
    await code.getByText(`alert create when='regime.state == "RISK_OFF" && funding.z > 2'`).waitFor();
    await page.getByRole('button', { name: 'Pause funding z-score above 2.5' }).click();
    await page.locator('.outcome').getByText('You said alert pause id=abcd2345').waitFor();
    await page.getByRole('button', { name: 'Subscribe to standard' }).click();
    await expect.poll(() => asked.map(({ line }) => line)).toContain('subscribe preset=standard');
    expect(page.wrong).toEqual([]);
  });

  it('an alert is saved only as it is shown: not before the server has answered the last change', async () => {
    const desk = someDesk(marketNow);
    let gate = Promise.withResolvers<void>();
    gate.resolve();
    const waiting: RuleDesk = {
      ...desk,
      draft: async (asked, caller) => {
        await gate.promise;
        return desk.draft(asked, caller);
      },
    };
    const hold = () => {
      gate = Promise.withResolvers<void>();
    };
    const saved: object[] = [];
    const { page } = await open('/rules', {
      desk: {
        ...waiting,
        async save({ value: _, ...draft }, caller) {
          saved.push(draft);
          return desk.save(draft, caller);
        },
      },
    });
    const create = page.getByRole('button', { name: 'Create alert' });
    const save = page.getByRole('button', { name: 'Save changes' });
    await page.getByRole('slider', { name: 'Level' }).waitFor();
    await expect.poll(() => create.isEnabled()).toBe(true);
    hold();
    await page.getByRole('button', { name: 'Edit funding z-score above 2.5' }).click();
    await save.waitFor();
    expect(await save.isEnabled()).toBe(false);
    gate.resolve();
    await expect.poll(() => save.isEnabled()).toBe(true);
    hold();
    await page.getByRole('spinbutton', { name: 'Level' }).fill('4');
    await expect.poll(() => save.isEnabled()).toBe(false);
    gate.resolve();
    await save.click();
    await create.waitFor();
    expect(saved).toEqual([
      {
        ...{ id: 'abcd2345', metric: 'funding.z', above: 4, clear: '1', for: '10m', severity: 'critical' },
        symbols: 'BTCUSDT,ETHUSDT,SOLUSDT',
      },
    ]);
    expect(page.wrong).toEqual([]);
  });

  it('a replay of the past says nothing about a draft that was changed meanwhile', async () => {
    const desk = someDesk(marketNow);
    const gate = Promise.withResolvers<void>();
    const slow: RuleDesk = {
      ...desk,
      preview: async (asked, caller) => {
        await gate.promise;
        return desk.preview(asked, caller);
      },
    };
    const { page } = await open('/rules', { desk: slow });
    await page.getByRole('slider', { name: 'Level' }).waitFor();
    const check = page.getByRole('button', { name: 'Check by replaying 30 days' });
    await check.click();
    await page.getByRole('button', { name: 'Replaying 30 days…' }).waitFor();
    await page.getByRole('spinbutton', { name: 'Level' }).fill('4');
    await page.getByText('24 h change above 4%, on BTC.').waitFor();
    gate.resolve();
    await check.waitFor();
    expect(await page.locator('.check p').textContent()).toBe('');
    await check.click();
    await page.getByText('In the last 30 days you’d have had 4 alerts').waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('an alert whose change is refused stays the one that is edited', async () => {
    let refused = true;
    const { page } = await open('/rules', {
      desk: {
        ...someDesk(marketNow),
        async save() {
          if (refused) throw new UserError('Can’t do that', { code: 'conflict' });
          return { line: 'alert edit', card: { title: 'Changed' } };
        },
      },
    });
    await page.getByRole('button', { name: 'Edit funding z-score above 2.5' }).click();
    const save = page.getByRole('button', { name: 'Save changes' });
    await save.click();
    await page.locator('.outcome').getByText('Can’t do that').waitFor();
    refused = false;
    await save.click();
    await page.locator('.outcome').getByText('Changed').waitFor();
    await page.getByRole('button', { name: 'Create alert' }).waitFor();
    expect(page.wrong.filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('an alert that is deleted while it is edited frees the builder, and can be had back', async () => {
    let deleted = false;
    const [full, empty] = [someDesk(marketNow), someDesk(marketNow, [])];
    const undo = 'alert create when="funding.z > 2.5" severity=critical';
    const { page, asked } = await open('/rules', {
      desk: { ...full, read: (caller) => (deleted ? empty : full).read(caller) },
      ask: async (request) => {
        asked.push({ line: String(request) } as never);
        deleted = String(request).startsWith('alert delete');
        return deleted
          ? { title: 'Alert deleted', actions: [{ label: 'Undo', command: undo }] }
          : { title: 'Alert created' };
      },
    });
    await page.getByRole('button', { name: 'Edit funding z-score above 2.5' }).click();
    await page.getByRole('heading', { name: 'Change alert abcd2345' }).waitFor();
    // By keyboard: an order leaves the focus where it is, and where its button is gone, goes on to what takes it back.
    const focused = () =>
      page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
    await page.getByRole('button', { name: 'Pause funding z-score above 2.5' }).press('Enter');
    await page.locator('.outcome').getByText('Alert created').waitFor();
    expect(await focused()).toBe('Pause funding z-score above 2.5');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Build an alert' }).waitFor();
    await page.locator('.save code').getByText('alert create metric=funding.z above=2.5').waitFor();
    await expect.poll(focused).toBe('Undo');
    await page.keyboard.press('Enter');
    await page.locator('.outcome').getByText('Alert created').waitFor();
    expect(asked.at(-1)?.line).toBe(undo);
    expect(page.wrong).toEqual([]);
  });

  it.each([
    ['has no history', async () => []],
    ['cannot be read', () => Promise.reject(new UserError('No such history'))],
  ])('no level of the metric before is saved for one whose past %s', async (_, points) => {
    const series: ReadSeries = async (wanted, caller) => ({
      ...(await waveSeries(wanted, caller)),
      ...(wanted.metric === 'funding.z' && { points: await points() }),
    });
    const { page } = await open('/rules', { series });
    await page.locator('.save code').getByText('metric=price.change24hPct above=').waitFor();
    await page.getByRole('combobox', { name: 'Metric' }).selectOption('funding.z');
    await page.getByText('Set the level at which it fires.').waitFor();
    const level = page.getByRole('spinbutton', { name: 'Level' });
    expect(await level.inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Create alert' }).count()).toBe(0);
    await level.fill('2.5');
    await page.locator('.save code').getByText('alert create metric=funding.z above=2.5').waitFor();
    expect(page.wrong.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  it('a preset shows its posts per day, and none before they are counted', async () => {
    const desk = someDesk(marketNow, []);
    const counting = {
      ...desk,
      read: async (caller: Parameters<typeof desk.read>[0]) => {
        const { days: _, presets, ...rest } = await desk.read(caller);
        return { ...rest, presets: presets.map(({ perDay: __, ...preset }) => preset) };
      },
    };
    const { page } = await open('/rules', { desk: counting });
    await page.getByText('checking the last 30 days…').waitFor();
    expect(await page.locator('.presets .rate b').allTextContents()).toEqual(['–', '–', '–']);
    const { page: counted } = await open('/rules', { desk });
    await counted.getByText('None yet. Drag the level').waitFor();
    expect(await counted.locator('.presets .rate b').allTextContents()).toEqual(['0.3', '2.1', '26.7']);
  });

  it('the record shows posted and replayed alerts apart, says where data is lacking, and gives its method', async () => {
    const { page } = await open('/record', { record: someRecord });
    await page.getByRole('row', { name: /^Extreme funding posted .* 64 / }).waitFor();
    expect(await page.locator('tr.posted .interval, tr.replayed .interval').count()).toBe(5);
    expect(await page.locator('.not-enough').first().textContent()).toMatch(/^no evidence yet/);
    await page.getByText('after 1 h').click();
    expect(await page.getByRole('radio', { name: 'after 1 h' }).isChecked()).toBe(true);
    await page.getByText('How this is counted').click();
    await page.getByText('Past moves after posted alerts, not a forecast.').waitFor();
    expect(page.wrong).toEqual([]);
  });
});
