import type { Reason } from '../alert/reason.ts';

/**
 * What a stage does with an item: it passes the item on (as one or many), suppresses it for a reason that is stored, or
 * postpones it to a market time. No item is lost: a stage that passes on none has settled the item itself, or leaves it
 * in the outbox, where it is due again.
 */
export type Verdict<Out> = { readonly verdict: 'pass'; readonly items: readonly Out[] } | Stop;
export type Stop =
  | { readonly verdict: 'suppress'; readonly reason: Reason }
  | {
      readonly verdict: 'postpone';
      readonly until: number;
      readonly reason: Reason;
      /** Group of the post in which the item is sent then; left out: its own. */
      readonly group?: string | undefined;
    };

export const pass = <Out>(...items: readonly Out[]): Verdict<Out> => ({ verdict: 'pass', items });
export const suppress = (reason: Reason): Stop => ({ verdict: 'suppress', reason });
export const postpone = (until: number, reason: Reason, group?: string): Stop => ({
  verdict: 'postpone',
  until,
  reason,
  group,
});

type Stage<In, Out, Context> = (item: In, context: Context) => Verdict<Out> | Promise<Verdict<Out>>;

/** A sequence of stages. Each takes what the stage before it passes on, which the types check. */
export class Stages<In, Out, Context> {
  readonly #list: readonly Stage<never, unknown, Context>[];

  private constructor(list: readonly Stage<never, unknown, Context>[]) {
    this.#list = list;
  }

  static begin<In, Out, Context>(stage: Stage<In, Out, Context>): Stages<In, Out, Context> {
    return new Stages([stage as Stage<never, unknown, Context>]);
  }

  next<Next>(stage: Stage<Out, Next, Context>): Stages<In, Next, Context> {
    return new Stages([...this.#list, stage as Stage<never, unknown, Context>]);
  }

  /** Takes one item through all stages. Calls `stopped` for each part of it that a stage suppressed or postponed. */
  async run(
    item: In,
    {
      context,
      stopped,
    }: { readonly context: Context; readonly stopped?: (stop: Stop, stage: string) => void },
  ): Promise<Out[]> {
    let items: unknown[] = [item];
    for (const stage of this.#list) {
      const passed: unknown[] = [];
      for (const each of items) {
        const verdict = await stage(each as never, context);
        if (verdict.verdict === 'pass') passed.push(...verdict.items);
        else stopped?.(verdict, stage.name);
      }
      items = passed;
    }
    return items as Out[];
  }
}
