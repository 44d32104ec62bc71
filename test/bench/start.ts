import { join } from 'node:path';
import { bareServer } from './measuring/baselines.ts';
import { type Figure, report } from './measuring/figures.ts';
import { answers, eventually, freePort, inFolder, load, startProgram } from './measuring/program.ts';

interface Seen {
  /** Seconds from the start until the bot was ready. */
  readonly ready: number;
  readonly firstOnPage: number;
  /** Seconds until the first post, that is: the first alert that the subscription of a first start includes. */
  readonly firstPost: number;
  readonly kinds: ReadonlyMap<string, number>;
}

/** Seconds within which an alert of each of these kinds must come; the kinds cover different sides of the market. */
const allWithin = 180;
const expected = ['data-quality', 'funding-extreme', 'oi-momentum', 'price-level', 'regime-transition'];

/**
 * `npm run bench -- start`: times from an empty folder to the first alert on the page and to each of five kinds; second
 * start.
 */
export default async function start(): Promise<void> {
  await inFolder(async (folder) => {
    const environment = {
      TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
      TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
      TOCSIN_HTTP_PORT: String(await freePort()),
    };
    const first = await firstStart(environment);
    const again = await secondStart(environment);
    const { ready: baseline } = await bareServer();
    const last = Math.max(...expected.map((kind) => first.kinds.get(kind) ?? Number.POSITIVE_INFINITY));
    report('start: from an empty folder, with the simulated market', [
      { name: 'ready', value: first.ready, unit: 's', baseline },
      { name: 'first alert on the page', value: first.firstOnPage, unit: 's', bound: { most: 20 }, baseline },
      { name: 'first post', value: first.firstPost, unit: 's' },
      ...[...first.kinds].map(([kind, at]): Figure => ({ name: `first ${kind}`, value: at, unit: 's' })),
      { name: `the last of ${expected.length} kinds`, value: last, unit: 's', bound: { most: allWithin } },
      { name: 'second start, ready', value: again, unit: 's', bound: { most: 2.5 }, baseline },
      load(),
    ]);
  });
}

type Environment = Readonly<Record<'TOCSIN_HTTP_PORT', string>> & Readonly<Record<string, string>>;
const pageOf = ({ TOCSIN_HTTP_PORT }: Environment) => `http://127.0.0.1:${TOCSIN_HTTP_PORT}`;
const secondsSince = (begun: number) => (performance.now() - begun) / 1_000;

async function firstStart(environment: Environment): Promise<Seen> {
  const page = pageOf(environment);
  const begun = performance.now();
  const program = startProgram(['start'], environment);
  try {
    await eventually('ready', () => answers(`${page}/readyz`), { within: 120_000, program });
    const ready = secondsSince(begun);
    const kinds = new Map<string, number>();
    let [firstOnPage, firstPost] = [Number.NaN, Number.NaN];
    const look = async (): Promise<true | undefined> => {
      if (Number.isNaN(firstOnPage)) {
        const alerts = await read<unknown[]>(`${page}/api/alerts/page`);
        if (alerts.length > 0) firstOnPage = secondsSince(begun);
      }
      if (Number.isNaN(firstPost)) {
        const deliveries = await read<Delivery[]>(`${page}/api/deliveries`);
        const posted = deliveries.some(
          ({ outcome, receiver }) => outcome === 'sent' && receiver.notifier === 'web',
        );
        if (posted) firstPost = secondsSince(begun);
      }
      for (const { labels } of await read<{ labels: { kind: string } }[]>(`${page}/api/alerts`)) {
        if (!kinds.has(labels.kind)) kinds.set(labels.kind, secondsSince(begun));
      }
      return (expected.every((kind) => kinds.has(kind)) && firstPost > 0) || secondsSince(begun) > allWithin
        ? true
        : undefined;
    };
    await eventually('every kind', look, { within: (allWithin + 10) * 1_000, every: 100, program });
    return { ready, firstOnPage, firstPost, kinds };
  } finally {
    await program.stop();
  }
}

async function secondStart(environment: Environment): Promise<number> {
  const begun = performance.now();
  const program = startProgram(['start'], environment);
  try {
    const ready = () => answers(`${pageOf(environment)}/readyz`);
    await eventually('ready again', ready, { within: 60_000, every: 20, program });
    return secondsSince(begun);
  } finally {
    await program.stop();
  }
}

interface Delivery {
  readonly outcome: string;
  readonly receiver: { readonly notifier: string };
}

const read = async <Answer>(url: string): Promise<Answer> =>
  (await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).json()) as Answer;
