import type { MarketKind } from '../archive/sources.ts';
import type { Instrument } from './market.ts';
import { keyOf, uniform } from './random.ts';

/** A coin at the start of a synthetic market. */
export interface SimulatedListing extends Instrument {
  /** Price at the start, in USD. */
  readonly price: number;
  /** How much the coin's log price moves when the market factor moves by 1. */
  readonly beta: number;
}

/**
 * Names of real Binance USD-M perpetuals, roughly by volume, with starting prices of a realistic size. One of the first 30
 * names is not in Latin letters.
 */
const table = `
BTC 42000|ETH 2300|SOL 95|XRP 0.55|DOGE 0.082|BNB 310|ADA 0.52|AVAX 36|LINK 15|SUI 1.3|1000PEPE 0.0013|WLD 2.4
LTC 70|BCH 240|DOT 7.2|ARB 1.7|OP 3.2|NEAR 3.1|APT 9.4|TIA 16|INJ 36|FIL 5.8|ATOM 10|ETC 25|UNI 6.4|AAVE 98
1000SHIB 0.0094|TRX 0.105|牛来 0.024|ORDI 62|SEI 0.62|FTM 0.38|RUNE 4.6|GALA 0.026|STX 1.5|LDO 3.1|DYDX 2.8
ICP 12|SAND 0.47|MANA 0.46|AXS 7.6|HBAR 0.076|VET 0.031|ALGO 0.19|GRT 0.16|IMX 2.1|EGLD 58|XLM 0.115
EOS 0.74|THETA 1.05|FLOW 0.82|CRV 0.52|SNX 3.3|MKR 1950|COMP 54|SUSHI 1.1|1INCH 0.43|ENS 19|APE 1.5|GMT 0.28
BLUR 0.47|MASK 3.5|CFX 0.19|PENDLE 2.2|JTO 2.1|PYTH 0.42|1000BONK 0.013|MEME 0.026|ACE 9.1|XAI 0.72|MANTA 2.4
ALT 0.31|JUP 0.52|ZETA 1.6|DYM 6.4|PIXEL 0.55|STRK 2.0|PORTAL 1.4|AXL 1.3|ETHFI 3.9|ENA 0.71|W 0.92|TNSR 1.3
SAGA 4.2|TAO 460|OMNI 31|REZ 0.13|BB 0.44|NOT 0.0082|IO 4.1|ZK 0.21|LISTA 0.61|ZRO 3.3|RENDER 6.2|BANANA 51
TON 6.5|POPCAT 0.62|EIGEN 3.6|CAKE 2.6|PEOPLE 0.035`;

/** More names of real perpetuals, of less volume. Their prices are made up. */
const smallCoins = `
ZEC XMR DASH KAVA ZIL KNC BAT IOST IOTA QTUM NEO ONT XTZ BAND RLC TRB STORJ KSM ANKR CHZ SKL CELO HOT MTL OGN NKN SC DENT BAKE
IOTX C98 ATA ROSE CTSI LPT ENJ AR ARPA LINA DUSK FLM API3 WOO JASMY GMX STG SPELL LUNC CVX MAGIC HOOK HIGH ASTR PHB GTC FXS AGIX
ACH SSV CKB PERP TRU LQTY USTC ID JOE TLM AMB LEVER RDNT HFT XVS EDU IDEX RAD RIF UMA KEY COMBO NMR MAV XVG YGG HIFI BNT ARK
GLMR BICO LOOM BIGTIME BOND ORBS STPT WAXP BSV GAS POLYX POWR TWT SLP SUPER ILV NTRN KAS BEAMX RARE VANRY BOME METIS AEVO VOXEL
MYRO NFP AI XEC ONDO LSK ALPHA RONIN PDA CTK OM RPL GHST CHR COTI SYS SYN MBOX MDT OXT SUN DOGS FLUX NULS FIDA FIO CATI HMSTR
NEIRO GOAT MOODENG SAFE SANTOS TROY MOVE ME VELODROME AVA DEGEN HIPPO PHA DF VANA PENGU LUMIA USUAL AIXBT FARTCOIN KMNO CGPT
HIVE DEXE GRIFFAIN ZEREBRO BIO COOKIE ALCH SWARMS SONIC D PROM S SOLV ARC AVAAI TRUMP MELANIA VTHO ANIME VINE PIPPIN BERA TST
LAYER HEI B3 IP GPS SHELL KAITO RED VIC EPIC BMT MUBARAK FORM BID TUT BROCCOLI SIREN BANANAS31 PLUME NIL PARTI JELLYJELLY MAVIA
WAL GUN ATH BABY FORTH PROMPT STO HYPER DEEP KERNEL WCT INIT OG SIGN PUNDIX AIOT HAEDAL SXT ASR ALPINE B2 MILK SYRUP OBOL DOOD
ZKJ SKYAI NXPC CVC AGT AWE B HUMA SOPH MERL HYPE BDXN PORT3 PUFFER LA HOME RESOLV TAIKO SQD SPK MYX FHE BULLA ICNT SAHARA NEWT H
DMC OL VELVET CROSS ERA TAC AIN ESPORTS TREE A2Z TOWNS PROVE BTR TA CYBER INFINEX XNY SKATE YALA PLAY WLFI SOMI Q DOLO SAPIEN
LINEA OPEN MITO HOLO AVNT ZKC STBL BARD SKY UB HEMI MIRA FF EDEN XPL ASTER FLOCK NOM XAN TRUTH ORDER STABLE 2Z EUL MORPHO EVAA
KGEN ENSO YB RECALL ZBT LAB RIVER CLO TURTLE BLUAI AIA MET ON MON ALLO IRYS JCT UAI BEAT PIEVERSE TIMI GIGGLE KITE COMMON PLANCK
CC BREV NIGHT US CYS GUA WET ZAMA ACU FOGO LIT SENT SPACE ELSA FIGHT IMU SKR ZORA INX GWEI TRIA BIRB AZTEC ESP OPN ROBO 1000SATS
1000RATS 1000CAT 1000FLOKI 1000LUNC 1000XEC 1000CHEEMS 1000WHY 1000000MOG 1MBABYDOGE 1000X BRETT TURBO SPX NEIROETH GRASS
CHILLGUY PNUT ACT SCR SWELL DRIFT COW CETUS KAIA ACX ORCA THE AERO VIRTUAL POL RAYSOL QUICK SUNDOG KOMA SLERF MEW TOKEN VVV F
RVV BAN PTB XCN RARI AUCTION DAM CELR AERGO MLN DODO REEF LOKA PYR GFT WIF BADGER STEEM ARKM MINA LRC KDA FET RVN ICX WAVES ZRX
OMG SFP`;

/** Perpetuals on other things than coins, with starting prices of a realistic size. */
const otherKinds: readonly (readonly [MarketKind, string])[] = [
  ['COMMODITY', 'XAU 2063|XAG 24|XPT 990|XPD 1100|COPPER 3.9|CL 72|NATGAS 2.5'],
  ['INDEX', 'BTCDOM 1800|SPX500 4740|NAS100 16800|US30 37600|JP225 33400|EWY 65|QQQ 410|SPY 475'],
  [
    'STOCK',
    'TSLA 250|NVDA 49|AAPL 192|MSFT 375|AMZN 152|GOOGL 140|MSTR 63|COIN 174|HOOD 12.7|CRCL 31|PLTR 17|AMD 147|INTC 50|MU 85',
  ],
  ['PREMARKET', 'OPENAI 1.2'],
];

/** How many of the largest coins have a perpetual against USDC too. */
const againstUsdc = 40;

/** Coins that settle every 4 hours, as many real ones do. All others settle every 8 hours. */
const everyFourHours = new Set(['ORDI', 'BLUR', '1000BONK', 'DYM', 'TNSR', 'POPCAT']);

const betaAt = (rank: number): number =>
  rank === 0 ? 1 : rank === 1 ? 1.15 : 1.25 + 0.35 * ((rank * 0.618) % 1);

const decimalsOf = (price: number): { priceDecimals: number; quantityDecimals: number } => {
  const magnitude = Math.floor(Math.log10(price));
  return {
    priceDecimals: Math.min(8, Math.max(1, 5 - magnitude)),
    quantityDecimals: Math.min(3, Math.max(0, magnitude - 1)),
  };
};

interface Named {
  readonly base: string;
  readonly price: number;
  readonly quote?: 'USDC';
  readonly kind?: MarketKind;
}

const read = (entries: string): Named[] =>
  entries
    .trim()
    .split(/[|\n]/)
    .map((entry) => {
      const [base = '', price] = entry.split(' ');
      return { base, price: Number(price) };
    });

const largest = read(table);
const small = smallCoins
  .trim()
  .split(/\s/)
  .map(
    (base): Named => ({
      base,
      price: Number((10 ** (3 * uniform(keyOf(0, base), 0, 1) - 2)).toPrecision(2)),
    }),
  );
const others = otherKinds.flatMap(([kind, entries]) => read(entries).map((named) => ({ ...named, kind })));
const twins = largest.slice(0, againstUsdc).map((named) => ({ ...named, quote: 'USDC' as const }));

/** How many of the listings, the largest, have an unbroken past: see createCoin. */
export const unbroken = largest.length;

/** All perpetuals of a synthetic market, the largest volume first. */
export const listings: readonly SimulatedListing[] = [...largest, ...others, ...twins, ...small].map(
  ({ base, price, quote = 'USDT', kind }, rank) => ({
    symbol: `${base}${quote}`,
    base,
    kind,
    price,
    rank,
    beta: kind === undefined ? betaAt(rank) : 0.15,
    fundingHours: everyFourHours.has(base) ? 4 : 8,
    ...decimalsOf(price),
  }),
);
