/**
 * What one chat may have: commands, the HTTP API, MCP, the page, imports and files all read this table, and
 * docs/operations.md shows it. With more of a kind, nobody could tell which one caused an alert.
 */
export const limits = {
  /** `account`: a guild with all its channels, or a chat with all its topics. */
  subscriptions: { chat: 50, account: 500 },
  rules: { chat: 50, account: 500 },
  hooks: { chat: 20, account: 100 },
  silences: { chat: 50 },
  /** Messages that are kept current. */
  boards: { chat: 10, account: 50 },
  watchlist: { chat: 100 },
} as const;

/** The most names (kinds, markets) in one list: as many as a watchlist may hold. */
export const maxNames = limits.watchlist.chat;

/** The shortest and the longest of each length of time, as people write them. */
export const spans = {
  silence: { min: '1m', max: '30d' },
  ruleHold: { min: '0m', max: '7d' },
  ruleUntil: { min: '1h', max: '365d' },
  hookLasts: { min: '1m', max: '30d' },
} as const;

/** The most characters of each text. */
export const lengths = {
  ruleName: 80,
  /** A kind, a market, or a value that a metric may equal. */
  name: 40,
  hookName: 60,
  hookTemplate: 200,
  template: 1_000,
  templateLines: 20,
  templateNames: 30,
  boardLine: 200,
  footer: 100,
  footerUrl: 200,
} as const;

/** The most calls of one person or hook in a chat that are open together. */
export const maxOpenCalls = 20;

/** The most posts a day that a chat may choose. */
export const maxPostsADay = 999;
