import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type CollectedSpan, startCollector } from '#test/support/collector.ts';
import { ownFolder } from '#test/support/folder.ts';
import { noDetectors } from '#test/support/no-detectors.ts';
import { until } from './asking.ts';
import { runScript } from './program.ts';
import { startScriptedMarket } from './scripted-market.ts';

/** A detector that sends an alert at Thursday's first look, because its data was calm on Wednesday. */
const kind = 'data-quality';
const config = {
  trace: { service: 'under-test' },
  detectors: { ...noDetectors, [kind]: { schedule: '*/30 * * * * *', options: { confirm: 1 } } },
};

/**
 * Returns the spans behind a message: its alert in the same trace, the dispatch that the alert links to, the poll that the
 * dispatch belongs to, and the poll's look at the market with its request.
 */
function wayOf(message: CollectedSpan, spans: readonly CollectedSpan[]) {
  const byId = (id: string | undefined) => spans.find(({ spanId }) => spanId === id);
  const alert = byId(message.parentSpanId);
  const expand = spans.find(({ name, traceId }) => name === 'expand' && traceId === message.traceId);
  const dispatch = byId(alert?.links[0]?.spanId);
  const poll = byId(dispatch?.parentSpanId);
  const look = spans.find(({ name, parentSpanId }) => name === 'look' && parentSpanId === poll?.spanId);
  const request = spans.find(({ kind: of, parentSpanId }) => of === 3 && parentSpanId === look?.spanId);
  return { alert, expand, dispatch, poll, look, request };
}

it('the trace of a message leads back through its alert and its detector to the request for the data', async () => {
  await using collector = await startCollector();
  await using market = await startScriptedMarket();
  const folder = await ownFolder();
  await writeFile(join(folder, 'config.yaml'), stringify(config));
  await using bot = runScript('start', {
    sleeps: true,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      TOCSIN_API_URL: market.url,
      TOCSIN_CONFIG: join(folder, 'config.yaml'),
      TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
      TOCSIN_HTTP_PORT: '0',
    },
  });
  await bot.says(/watching the market/);
  const looks = () => collector.named('poll').filter((each) => each.attributes['tocsin.detector'] === kind);
  await until('a first look', () => looks().length > 0);
  await market.nextDay(bot);
  const sent = () =>
    collector.spans
      .filter(({ name, attributes }) => name === 'deliver' && attributes['tocsin.outcome'] === 'sent')
      .map((message) => ({ message, ...wayOf(message, collector.spans) }))
      .filter(({ poll }) => poll?.attributes['tocsin.detector'] === kind);
  await until('a message, or a batch that is refused', () => sent().length + collector.problems.length > 0);
  expect(collector.problems).toEqual([]);
  const [way] = sent();
  const ofAlert = {
    'tocsin.alert.id': expect.any(String),
    'tocsin.alert.revision': way?.alert?.attributes['tocsin.alert.revision'],
  };
  expect(way).toMatchObject({
    message: { attributes: { ...ofAlert, 'tocsin.attempt': '1' } },
    alert: { name: 'alert', attributes: ofAlert },
    expand: { attributes: ofAlert },
    dispatch: { name: 'dispatch', links: [{ traceId: way?.message.traceId }] },
    look: { status: {} },
    request: { attributes: { 'http.response.status_code': '200' } },
  });
  expect(market.traceparents()).toContain(`00-${way?.request?.traceId}-${way?.request?.spanId}-01`);
  expect(collector.resources[0]?.['service.name']).toBe('under-test');
});
