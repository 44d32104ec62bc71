/** The lines that `src` and `test` may have before the capabilities below; `test` includes the doubles and the benches. */
export const base: { readonly src: number; readonly test: number } = { src: 92_110, test: 89_570 };

/** What raised these bounds since: a capability a row, with the lines it may cost. */
export const raised: readonly { readonly what: string; readonly src: number; readonly test: number }[] = [
  {
    what: 'what others say can mislead nobody: conditions decided by ranges, errors told apart',
    src: 250,
    test: 400,
  },
  { what: 'the price, the pages and what moved first, on every alert of a market', src: 540, test: 270 },
  { what: 'every listed market answers: the universe of listed and followed markets', src: 700, test: 1_500 },
  { what: 'liquidations at all venues, each with its venue and coverage', src: 250, test: 120 },
  {
    what: 'candles of every length, the market in one picture, and its levels judged',
    src: 1_500,
    test: 1_300,
  },
  { what: 'own alerts from a sentence in three languages, instead of the short form', src: 880, test: 130 },
  {
    what: 'prices in seconds: the venues’ streams, the service’s own stream, own alerts judged as prices come',
    src: 1_700,
    test: 1_100,
  },
  { what: 'templates, colour and footer of a subscription’s posts', src: 480, test: 260 },
  {
    what: 'closes, RSI, averages and bands of closed candles as metrics, and crossings',
    src: 440,
    test: 270,
  },
  { what: 'living boards: the answer to a question kept current in one message', src: 1_100, test: 420 },
  { what: 'addresses of markets, filters and sorting; search over the page', src: 330, test: 60 },
  { what: 'positions: how far from liquidation, and an alert as it comes near', src: 320, test: 110 },
  { what: 'positions: the liquidation by the exchange’s own margin tiers', src: 420, test: 470 },
  { what: 'positions of one market or id, at an exchange that is named; drawn apart', src: 50, test: 40 },
  { what: 'own alerts of the page are filled in by a sentence', src: 100, test: 40 },
  { what: 'positions: an alert when funding has cost a share of the margin', src: 180, test: 140 },
  {
    what: 'chats are connected on the page while the bot runs; settings and destinations are seen and changed there',
    src: 2_900,
    test: 900,
  },
  {
    what: 'no absurd print and no redenomination is believed; highs, lows and volume as metrics',
    src: 230,
    test: 240,
  },
  {
    what: 'alerts are set up in one panel; members follow markets and choose pings; keyboard, activity and name of the bot',
    src: 820,
    test: 620,
  },
  { what: 'calls of people, judged, in a league', src: 440, test: 380 },
  {
    what: 'calls by hooks, beside those of people, judged without an alert on their market',
    src: 195,
    test: 210,
  },
  {
    what: 'the page as a product: acknowledge and snooze, tables to keep and to share, posts’ looks tried',
    src: 1_150,
    test: 600,
  },
  {
    what: 'metrics of venues together, of each market’s own regime and of correlations; each number has one or says why not',
    src: 190,
    test: 180,
  },
  { what: 'sentences with two levels, twice the usual, and more of what people write', src: 70, test: 165 },
  { what: 'previews over candles of minutes: seconds instead of minutes', src: 30, test: 75 },
  { what: 'keys of the HTTP API are made and revoked on the page', src: 330, test: 80 },
  { what: 'pictures of inline answers, which Telegram fetches by an address', src: 90, test: 130 },
  { what: 'a question in whole sentences is told which command answers it', src: 75, test: 40 },
  { what: 'services that follow another one stream the prices that it hears', src: 85, test: 150 },
  {
    what: 'members sign in with Discord or Telegram: one list of who may call each route, sessions, proofs and rights asked of the platform',
    src: 1_350,
    test: 1_400,
  },
  {
    what: 'the account area of the data service: keys made, shown once, revoked, counted',
    src: 445,
    test: 265,
  },
  {
    what: 'a stream that says another market’s prices, or the same over and over, is found out',
    src: 82,
    test: 60,
  },
  { what: 'pictures and first movers count the liquidations of all venues', src: 32, test: 60 },
  { what: 'a stream of the markets that are needed, of prices that are kept in place', src: 135, test: 40 },
  { what: 'notifications in browsers, also while the page is closed', src: 575, test: 480 },
  { what: 'a market listed minutes ago answers with what is known, at once', src: 55, test: 140 },
  { what: 'the bot’s name and picture in each server on Discord', src: 145, test: 165 },
  { what: 'how far loading is, from the first second of a start and everywhere', src: 75, test: 60 },
  {
    what: 'the S&P 500 without a key: perpetuals on it and on gold, at the first venue that lists one',
    src: 115,
    test: 70,
  },
];
