import { z } from 'zod';
import { defineEndpoint, fraction, label, positive, span, timestamp } from './endpoint.ts';
import { dollarIndex, regimeLabel } from './labels.ts';

const hmmState = label('RISK_ON', 'RISK_OFF', 'TRANSITION');

export const regime = defineEndpoint({
  path: '/regime',
  summary: 'The market regime now',
  query: z.object({}),
  answer: z.object({ regime: regimeLabel, confidence: fraction, score: z.number() }),
  cadence: 300,
});

export const regimeProbabilities = defineEndpoint({
  path: '/regime/probabilities',
  summary: 'The regime, its calibrated probabilities and what stands around it',
  query: z.object({}),
  answer: z.object({
    current: z.object({
      state: hmmState,
      legacyRegime: regimeLabel,
      confidence: fraction,
      score: z.number(),
    }),
    /** One probability per state; a hosted service may know more states than three. */
    probabilities: z
      .object({ RISK_ON: fraction, RISK_OFF: fraction, TRANSITION: fraction })
      .catchall(z.number()),
    /** Null while the market is stable; magnitude is |p(to) − p(from)|, 0 to 1. */
    transition: z
      .object({ from: hmmState, to: hmmState, type: label('ENTERING', 'LEAVING'), magnitude: z.number() })
      .nullable(),
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
  query: z.object({ days: span(7, 90) }),
  answer: z.object({
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
