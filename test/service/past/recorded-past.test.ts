import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { day, hour, iso } from '#src/runtime/units.ts';
import { openRecordedPast, type RecordedPast } from '#src/service/past/recorded-past.ts';
import { recordedFolder } from '#test/support/recorded-market.ts';

const start = Date.parse('2024-01-01T00:00:00.000Z');
const hours = 130 * 24;

/** 130 days of a made-up price with turns, so that there is a regime to publish. */
const candles = Array.from({ length: hours }, (_, i) => {
  const [open, close] = [i, i + 1].map(
    (at) => 40_000 * Math.exp(0.3 * Math.sin(at / 150) + 0.01 * Math.sin(at)),
  );
  const [low, high] = [Math.min(open ?? 0, close ?? 0), Math.max(open ?? 0, close ?? 0)];
  return `${iso(start + i * hour)},${open},${high},${low},${close},1000`;
});
const settlements = Array.from({ length: hours / 8 }, (_, i) => {
  const rate = i === hours / 8 - 1 ? 0.002 : 0.0001 + 0.00001 * (i % 3);
  return `${iso(start + i * 8 * hour)},${rate}`;
});

describe('recordings of candles and funding alone', () => {
  let dir: string;
  let past: RecordedPast;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tocsin-past-'));
    await mkdir(dir, { recursive: true });
    const files = {
      'btcusdt_1h_2024.csv': ['open_time,open,high,low,close,volume', ...candles],
      'btcusdt_funding_8h_2024.csv': ['timestamp,rate', ...settlements],
      'ethusdt_funding_8h_2024.csv': ['timestamp,rate', ...settlements],
    };
    for (const [name, lines] of Object.entries(files)) await writeFile(join(dir, name), lines.join('\n'));
    past = await openRecordedPast({ dir });
  });
  afterAll(async () => {
    await past.close();
    await rm(dir, { recursive: true });
  });

  it('its span and its symbols', () => {
    expect([iso(past.earliest), iso(past.latest)]).toEqual([iso(start), iso(start + hours * hour)]);
    expect(past.symbols).toEqual(['BTCUSDT', 'ETHUSDT']);
  });

  it('give regimes from the candles, omit what was not recorded, and follow the contract', async () => {
    const answers = past.at(past.latest);
    const probabilities = await answers.regimeProbabilities();
    expect(contract.regimeProbabilities.answer.parse(probabilities)).toEqual(probabilities);
    expect(probabilities.basisSignal).toBeUndefined();
    expect(probabilities.crossAsset).toEqual({ fundingStructure: 'CONTANGO' });
    expect(probabilities.timestamp).toBe(iso(past.latest));
    expect((await answers.regimeHistory({ days: 7 })).data).toHaveLength(7 * 24);
    expect((await answers.marketOverview()).coins).toHaveLength(1);
  });

  it('give funding as of each moment, and an extreme only once it was settled', async () => {
    const settled = start + (hours - 8) * hour;
    expect((await past.at(settled - 1).fundingExtremes()).count).toBe(0);
    expect((await past.at(settled).fundingExtremes()).data).toMatchObject([
      { symbol: 'BTCUSDT', severity: 'EXTREME' },
      { symbol: 'ETHUSDT', severity: 'EXTREME' },
    ]);
  });

  it.each<EndpointName>([
    'oiMomentum',
    'oi',
    'liquidations',
    'dataQuality',
    'dataQualityHistory',
    'basis',
    'spread',
    'volumeCvd',
    'optionsSummary',
    'crossAssetHistory',
    'lsRatioHistory',
  ])('%s needs a feed that was not recorded', async (name) => {
    await expect(past.at(past.latest)[name]()).rejects.toMatchObject({
      name: 'ApiError',
      reason: 'not_offered',
      message: expect.stringContaining('not recorded'),
    });
  });

  it('refuse an invalid request as the service does', async () => {
    const answers = past.at(past.latest);
    await expect(answers.fundingHistory({ symbol: 'NOPEUSDT' })).rejects.toMatchObject({
      reason: 'invalid_request',
      message: '/funding/history: Invalid symbol',
    });
    await expect(answers.regimeHistory({ days: 91 })).rejects.toMatchObject({ reason: 'invalid_request' });
    await expect(past.at(start).regime()).rejects.toMatchObject({ reason: 'server_error' });
  });
});

describe('the recorded years', () => {
  it('November 2022: a turn to RISK_OFF between the 7th and the 10th', async () => {
    const dir = await recordedFolder();
    onTestFinished(() => rm(dir, { recursive: true }));
    const past = await openRecordedPast({ dir });
    const { data } = await past.at(Date.parse('2022-11-12T00:00:00.000Z')).regimeHistory({ days: 6 });
    const ascending = data.toReversed();
    const turn = ascending.find(
      ({ hmm_state }, i) => hmm_state === 'RISK_OFF' && ascending[i - 1]?.hmm_state !== 'RISK_OFF' && i > 0,
    );
    expect(turn?.timestamp).toMatch(/^2022-11-(07|08|09|10)T/);
    expect(Date.parse(turn?.timestamp ?? '') % hour).toBe(0);
    expect(past.latest - past.earliest).toBeGreaterThan(700 * day);
    await past.close();
  });
});
