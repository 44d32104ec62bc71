/** Labels whose own words would not do, as they stand within a sentence. */
export default {
  RISK_ON: 'risk-on',
  RISK_OFF: 'risk-off',
  BULLISH_OPTIONS: 'call-heavy',
  BEARISH_OPTIONS: 'put-heavy',
} as Readonly<Record<string, string>>;
