import type { Change } from '../alert/alert.ts';
import type { RuleBook } from './book.ts';
import { advance } from './entries.ts';
import type { KnownFacts } from './facts.ts';
import { judge } from './judge.ts';
import { bare, type Scene, type Subject } from './scene.ts';
import type { RuleMemory } from './shards.ts';
import { inBursts } from './tell.ts';
import { comparisonOf } from './words.ts';

/** Rules, and how far they were judged. */
export interface Share {
  readonly book: RuleBook;
  readonly judged: RuleMemory;
}

/**
 * How these stand by what is known now, and what is told of that. It is edge-triggered: a rule fires when its condition
 * becomes true, by facts known before and now, and is over when its clear condition is true. What is not known changes
 * nothing. Only the facts that changed are put to rules.
 * @param setScene what stands around all that is told, those furthest beyond their level first; left out: nothing
 */
export async function judgeRound(
  shares: readonly Share[],
  {
    facts,
    tracked,
    now,
    setScene,
  }: {
    readonly facts: KnownFacts;
    /** The largest volume first: what `top20` and `*` stand for. */
    readonly tracked: readonly string[];
    /** Market ms. */
    readonly now: number;
    readonly setScene?: (subjects: readonly Subject[]) => Promise<Scene>;
  },
): Promise<readonly { readonly judged: RuleMemory; readonly changes: readonly Change[] }[]> {
  const verdicts: Awaited<ReturnType<typeof judge>>[] = [];
  for (const { book, judged } of shares) {
    book.expire(now);
    verdicts.push(await judge(book, { ...judged, tracked, before: judged.facts, facts, now }));
  }
  const advanced = (scene: Scene) =>
    shares.map(({ book, judged: { entries } }, index) => ({
      book,
      ...advance(entries, { verdicts: verdicts[index] ?? [], facts, scene, now }),
    }));
  const scene = setScene === undefined ? bare : await setScene(subjectsOf(advanced(bare)));
  return advanced(scene).map(({ entries, changes }) => ({
    judged: { facts, entries },
    changes: inBursts(changes, now),
  }));
}

/** What these are about, those furthest beyond their level first. */
const subjectsOf = (
  advanced: readonly { readonly book: RuleBook; readonly changes: readonly Change[] }[],
): readonly Subject[] =>
  advanced
    .flatMap(({ book, changes }) =>
      changes.flatMap(({ annotations: { prominence = 0 }, labels: { rule = '', symbol } }) => {
        const compiled = book.get(rule);
        return compiled === undefined
          ? []
          : [{ prominence, metric: comparisonOf(compiled.condition.ast)?.metric, symbol }];
      }),
    )
    .sort((a, b) => b.prominence - a.prominence);
