import { change, emit, movesOf, type PathValues, sigmaReach } from './hindsight.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * The judge's chain, run forward. The judge gives an hour the state with the largest F + B, where F is the value of the best
 * path that ends in the state with this hour, and B that of the best path that starts from it afterwards. F is known at the
 * close but for σ, which is that of the days before. B is not known, but its distribution is: that of the same recursion
 * over returns to come. The probability of a state is the share of sampled futures in which it has the largest sum.
 */

/** F is run over this many hours; what is older has no part in the differences between the states. */
const forwardReach = 45 * 24;

/** The number of hourly returns that the probabilities of an hour depend on. */
export const chainWindow = forwardReach + sigmaReach;

/** Returns P(−1), P(0) and P(1) of the last hour. @param returns hourly log returns, ascending; 0 for a missing hour */
export function stateProbabilities(returns: Float64Array): readonly [number, number, number] {
  const moves = movesOf(returns);
  const values: PathValues = new Float64Array(3);
  for (let i = Math.max(0, moves.length - forwardReach); i < moves.length; i++) {
    change(values);
    emit(values, moves[i] as number);
  }
  const fall = (values[0] as number) - (values[1] as number);
  const rise = (values[2] as number) - (values[1] as number);
  futures ??= sampleFutures();
  let [falls, rises] = [0, 0];
  for (let i = 0; i < futures.length; i += 2) {
    const [one, other] = [futures[i] as number, futures[i + 1] as number];
    // Each future counts with its mirror image: nothing is assumed of the direction.
    if (fall + one > 0 && fall + one > rise + other) falls++;
    else if (rise + other > 0) rises++;
    if (fall + other > 0 && fall + other > rise + one) falls++;
    else if (rise + one > 0) rises++;
  }
  return [falls / futures.length, 1 - (falls + rises) / futures.length, rises / futures.length];
}

/** B(−1) − B(0) and B(1) − B(0) of each future. */
let futures: Float64Array | undefined;

const futureCount = 2_000;
/** Hours between two samples of one long future: by then nearly nothing of the earlier one is left. */
const futureSpacing = 10 * 24;

/**
 * The degrees of freedom of Student's t, from which future returns are drawn independently with a daily deviation of 1. The
 * tails of returns fall with a power of 3 to 4 (Gopikrishnan et al. 1998). 3.5 gives nearly the probabilities of the shuffled
 * returns of 2020-10 to 2022-12; 3.25 leaves a little more to stalls, as returns in their order do.
 */
const tailPower = 3.25;

function sampleFutures(): Float64Array {
  const random = seededRandom(1);
  const scale = Math.sqrt((tailPower - 2) / tailPower / 24);
  const values: PathValues = new Float64Array(3);
  const sampled = new Float64Array(2 * futureCount);
  for (let i = 0; i < sampled.length; i += 2) {
    for (let hours = 0; hours < futureSpacing; hours++) {
      // Bailey (1994), "Polar generation of random variates with the t-distribution".
      const radius = Math.sqrt(tailPower * ((1 - random()) ** (-2 / tailPower) - 1));
      emit(values, scale * radius * Math.cos(2 * Math.PI * random()));
      change(values);
    }
    const [fall, stall, rise] = [values[0] as number, values[1] as number, values[2] as number];
    sampled[i] = fall - stall;
    sampled[i + 1] = rise - stall;
  }
  return sampled;
}
