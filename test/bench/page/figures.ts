import type { Browser, Page } from 'playwright-core';
import type { CardJson } from '#src/card/render-json.ts';
import type { AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import { hour, second } from '#src/runtime/units.ts';
import { type Figure, none } from '../measuring/figures.ts';
import { pause, watch } from './watching.ts';

const moments = 50;
/** Most ms until an answer is on the board, and the board on the page. */
const onItsWay = 6 * second;
/** Most attempts to compare: if newer data came between the answer and the tile, an attempt compares nothing. */
const tries = 120;

/** A row of the table as it was drawn, with the times of its data. */
interface Drawn {
  readonly at?: number;
  readonly fundingAt?: number;
  readonly price: string;
  readonly change24h: string;
  readonly funding: string;
  readonly basis: string;
  readonly longShare: string;
}

/** Script that records each row after each update. Tabs share the board over a channel, on which the script listens. */
const overhear = `
  globalThis.drawn = {};
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  new BroadcastChannel('tocsin main en').onmessage = async ({ data: { event, data } }) => {
    if (event !== 'board' && event !== 'board.patch') return;
    await drawn();
    const rows = [...document.querySelectorAll('table.markets tbody tr')];
    const byName = new Map(rows.map((row) => [row.querySelector('th button').textContent, row]));
    for (const [key, { symbol, at, fundingAt }] of Object.entries(data)) {
      const row = key.startsWith('market/') && byName.get(symbol.replace(/USDT$/, ''));
      if (!row) continue;
      const text = (column) => row.querySelector('td.' + column)?.firstChild?.textContent ?? '';
      const [price, change24h, funding, basis, longShare] = ['price', 'change24h', 'funding', 'basis', 'longShare'].map(text);
      (globalThis.drawn[symbol] ??= []).push({ at, fundingAt, price, change24h, funding, basis, longShare });
    }
  };
`;

type Compared = { readonly tile: string; readonly said: string };

/** A command about a market, and how its answer compares with the tile; undefined if they are of different times. */
interface Question {
  readonly name: string;
  line(market: string): string;
  compare(card: CardJson, drawn: readonly Drawn[]): Compared | undefined;
}

const timeOf = ({ dataTime }: CardJson): number => Date.parse(dataTime ?? '');
const hourOf = (at = Number.NaN): number => Math.floor(at / hour);
const number = (text = ''): string => /[+−]?[\d.,]+%?/.exec(text)?.[0] ?? text;
const last = (drawn: readonly Drawn[]): Drawn | undefined => drawn.at(-1);
const fact = ({ facts = [] }: CardJson, name: string): string =>
  number(facts.find((each) => each.name.startsWith(name))?.value);

const questions: readonly Question[] = [
  {
    name: 'price, of market',
    line: (market) => `market symbols=${market}`,
    compare(card, drawn) {
      const tile = drawn.findLast(({ at }) => at === timeOf(card));
      return tile && { tile: tile.price, said: card.table?.rows[0]?.[1] ?? '' };
    },
  },
  {
    name: '24 h change, of coin',
    line: (market) => `coin ${market}`,
    compare(card, drawn) {
      const tile = last(drawn);
      if (tile === undefined || !card.title.endsWith(`: ${tile.price}`)) return undefined;
      // The 24 hours begin on the hour, so around a full hour the same price has two different changes.
      if (hourOf(tile.at) !== hourOf(timeOf(card))) return undefined;
      return { tile: tile.change24h, said: fact(card, 'Change in') };
    },
  },
  {
    name: 'funding, of funding',
    line: (market) => `funding ${market}`,
    compare(card, drawn) {
      const tile = drawn.findLast(({ fundingAt }) => fundingAt === timeOf(card));
      return tile && { tile: tile.funding, said: number(card.title.split(': ')[1]) };
    },
  },
  {
    name: 'basis, of basis',
    line: (market) => `basis ${market}`,
    compare(card, drawn) {
      const tile = last(drawn);
      return tile && { tile: tile.basis, said: number(card.title.split(': ')[1]) };
    },
  },
  {
    name: 'longs, of ratio',
    line: (market) => `ratio ${market}`,
    compare(card, drawn) {
      const tile = last(drawn);
      return tile && { tile: tile.longShare, said: fact(card, 'Top traders') };
    },
  },
];

const drawnOf = (page: Page, symbol: string): Promise<readonly Drawn[]> =>
  page.evaluate(`globalThis.drawn[${JSON.stringify(symbol)}] ?? []`);

const ask = async (url: string, line: string): Promise<CardJson> => {
  const response = await fetch(`${url}/api/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ line, room: 'asking' }),
  });
  const { card, error } = (await response.json()) as { card?: CardJson; error?: string };
  if (card === undefined) throw new Error(`"${line}" is answered with ${response.status}: ${error}`);
  return card;
};

const random = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(Math.random() * values.length)] as Value;

/** Creates alerts on both sides of the current price, which fire when it moves. */
async function layAlerts(page: Page, url: string, symbols: readonly string[]): Promise<void> {
  for (const symbol of symbols) {
    const price = last(await drawnOf(page, symbol))?.price.replaceAll(',', '');
    for (const side of ['above', 'below'])
      await ask(url, `alert create metric=price.last ${side}=${price} symbols=${symbol}`);
  }
}

/** Returns the prices in fired alerts, with the tile's price at the time of their data. */
async function alertsOf(page: Page, url: string): Promise<Compared[]> {
  const rows = (await (await fetch(`${url}/api/alerts/page?room=asking&limit=200`)).json()) as AlertRow[];
  const compared: Compared[] = [];
  for (const { id, symbol = '' } of rows.filter(({ kind }) => kind === 'own-rule')) {
    const { card } = (await (await fetch(`${url}/api/alerts/${id}?room=asking`)).json()) as {
      card: CardJson;
    };
    const tile = (await drawnOf(page, symbol)).findLast(({ at }) => at === timeOf(card));
    if (tile !== undefined)
      compared.push({ tile: tile.price, said: number(card.title.replace(/^\S+ /, '')) });
  }
  return compared;
}

const isNumber = (text: string): boolean => /\d/.test(text);

/** Asks a question, and waits until the tile shows data of the same time. */
async function compare(
  page: Page,
  { url, question, symbol }: { readonly url: string; readonly question: Question; readonly symbol: string },
): Promise<Compared | undefined> {
  const card = await ask(url, question.line(symbol));
  const until = performance.now() + onItsWay;
  for (;;) {
    const compared = question.compare(card, await drawnOf(page, symbol));
    // A figure that is not watched yet, or that was not answered, contains no number.
    const found = compared && isNumber(compared.tile) && isNumber(compared.said) ? compared : undefined;
    if ((found !== undefined && found.tile === found.said) || performance.now() > until) return found;
    await pause(200);
  }
}

const differing = (compared: readonly Compared[]) => compared.filter(({ tile, said }) => tile !== said);

export async function measureFigures(browser: Browser, url: string): Promise<readonly Figure[]> {
  const { page, close } = await watch(browser, { locale: 'en-US', bypassCSP: true });
  const compared = new Map<string, Compared[]>(questions.map(({ name }) => [name, []]));
  try {
    await page.addInitScript(overhear);
    await page.goto(url);
    await page.locator('table.markets tbody tr').nth(20).waitFor({ timeout: 120_000 });
    await page.waitForFunction('Object.keys(globalThis.drawn).length > 20');
    const symbols = (await page.evaluate('Object.keys(globalThis.drawn)')) as string[];
    await layAlerts(page, url, symbols.slice(0, 8));
    for (let tried = 0; tried < tries; tried += 1) {
      const open = questions.filter(
        ({ name }) => (compared.get(name)?.length ?? 0) < moments / questions.length,
      );
      const question = open[tried % open.length];
      if (question === undefined) break;
      await pause(2 * Math.random() * second);
      const found = await compare(page, { url, question, symbol: random(symbols) });
      if (found !== undefined) compared.get(question.name)?.push(found);
    }
    const alerts = await alertsOf(page, url);
    for (const each of differing([...[...compared.values()].flat(), ...alerts])) console.log(each);
    return [
      {
        name: 'moments at which the two were of one time',
        value: [...compared.values()].flat().length,
        unit: '',
        bound: { least: moments },
      },
      ...[...compared].flatMap(([name, of]): Figure[] => [
        {
          name: `${name}: compared`,
          value: of.length,
          unit: '',
          bound: { least: moments / questions.length },
        },
        none('  differing from the tile', differing(of).length),
      ]),
      { name: 'price, of alerts that fired: compared', value: alerts.length, unit: '', bound: { least: 1 } },
      none('  differing from the tile', differing(alerts).length),
    ];
  } finally {
    await close();
  }
}
