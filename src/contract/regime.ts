import { z } from 'zod';
import { defineEndpoint, fraction, label, pair, positive, span, timestamp } from './endpoint.ts';
import { dollarIndex, regimeLabel } from './labels.ts';

const hmmState = label('RISK_ON', 'RISK_OFF', 'TRANSITION');
/** A number per state; a hosted service may know more states than three. */
const probabilities = z
  .object({ RISK_ON: fraction, RISK_OFF: fraction, TRANSITION: fraction })
  .catchall(z.number());
/**
 * Not null exactly while another state than the published one is the likeliest; magnitude is p(to) − p(from), 0 to 1. STALL:
 * to TRANSITION; START: from it to a side; REVERSAL: from one side to the other.
 */
const transition = z
  .object({
    from: hmmState,
    to: hmmState,
    type: label('STALL', 'START', 'REVERSAL'),
    magnitude: z.number(),
  })
  .nullable();
/**
 * The market whose regime is asked for; without it bitcoin's is, as that of the whole market. The interface does not have
 * this parameter: a service that does not know it answers for the whole market and names no symbol.
 */
const symbolQuery = { symbol: pair.optional().meta({ 'x-extension': true }) };
/** Present if the query named it. */
const symbolAnswer = { symbol: z.string().optional() };

export const regime = defineEndpoint({
  path: '/regime',
  summary: 'The market regime now',
  query: z.object({ ...symbolQuery }),
  answer: z.object({ ...symbolAnswer, regime: regimeLabel, confidence: fraction, score: z.number() }),
  cadence: 300,
});

export const regimeProbabilities = defineEndpoint({
  path: '/regime/probabilities',
  summary: 'The regime, its probabilities and what stands around it',
  query: z.object({ ...symbolQuery }),
  answer: z.object({
    ...symbolAnswer,
    current: z.object({
      state: hmmState,
      legacyRegime: regimeLabel,
      confidence: fraction,
      score: z.number(),
    }),
    probabilities,
    transition,
    regimeMultiplier: z.number(),
    volatilityRegime: z.object({
      regime: label('LOW_VOL', 'NORMAL_VOL', 'HIGH_VOL'),
      percentile: z.number(),
    }),
    /** Omitted if mark and index prices are missing. */
    basisSignal: z
      .object({
        basisPct: z.number(),
        annualizedPct: z.number(),
        signal: label('HIGH_CONTANGO', 'CONTANGO', 'BACKWARDATION', 'FLAT'),
        markPrice: positive,
        indexPrice: positive,
      })
      .optional(),
    /** Each field is omitted if no provider supplies it. */
    crossAsset: z.object({
      dxy: z.number().optional(),
      dollarIndex,
      dxyScore: z.number().optional(),
      sp500: z
        .object({ vix: z.number().optional(), signal: label('LOW_VOL', 'NORMAL_VOL', 'HIGH_VOL').optional() })
        .optional(),
      stablecoinFlow: z.number().optional(),
      fundingStructure: label('CONTANGO', 'BACKWARDATION', 'FLAT').optional(),
    }),
    model: z.record(z.string(), z.unknown()),
    dataHealth: label('OK', 'DEGRADED', 'DOWN'),
    timestamp,
  }),
  cadence: 300,
});

export const regimeHistory = defineEndpoint({
  path: '/regime/history',
  summary: 'Published regimes hour by hour, newest first',
  /** The interface lists 7 and 90 without saying what they mean. Here 7 is the default and 90 the largest value. */
  query: z.object({ days: span(7, 90), ...symbolQuery }),
  answer: z.object({
    ...symbolAnswer,
    data: z.array(
      z.object({
        timestamp,
        regime: regimeLabel,
        hmm_state: hmmState,
        confidence: fraction,
        score: z.number(),
      }),
    ),
  }),
  cadence: 3600,
});

export const regimeMarkets = defineEndpoint({
  path: '/regime/markets',
  summary: 'The regime of each followed market, and the share of markets in each state',
  query: z.object({}),
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        state: hmmState,
        probabilities,
        score: z.number(),
        transition,
        timestamp,
      }),
    ),
    /** Share of the markets in each state. */
    breadth: probabilities,
    count: z.int().min(0),
    timestamp,
  }),
  cadence: 3600,
  extension: true,
});
