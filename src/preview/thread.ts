import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { LineJob, PastAnswer, PastJob, PastLine, PastReplay } from './job.ts';

/**
 * If the thread exceeds this heap, the thread ends, and not the bot. A replay of thirty days, 30 symbols and all kinds
 * needs up to 190 MB, plus the young generation that is allowed here.
 */
const resourceLimits = { maxOldGenerationSizeMb: 640, maxYoungGenerationSizeMb: 32 };

/**
 * Runs a job in its own thread. The thread ends with the job, or at once when the signal aborts, so that its memory is
 * freed.
 */
const threaded =
  (entry: URL) =>
  async (job: PastJob | LineJob, signal: AbortSignal): Promise<PastAnswer> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<PastAnswer>();
    // `npm start` gives little room to young objects by a flag, and V8 prefers that flag to a thread's own limit. With
    // so little room a third of this thread's processor time went into garbage collection.
    setFlagsFromString('--max-semi-space-size=0');
    // The thread gets no environment: the environment contains tokens, which the thread does not need.
    const worker = new Worker(entry, { name: 'past', workerData: job, env: {}, resourceLimits });
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    worker.on('message', resolve);
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the thread of the past ended with code ${code}`)));
    try {
      const answer = await promise;
      if ('problem' in answer) throw new Error(answer.problem);
      return answer;
    } finally {
      signal.removeEventListener('abort', abort);
      await worker.terminate();
    }
  };

export const threadedReplay = (entry: URL): PastReplay => {
  const run = threaded(entry);
  return async (job, signal) => {
    const answer = await run(job, signal);
    if ('past' in answer) return answer.past;
    throw new Error('the thread of the past told no alerts');
  };
};

export const threadedLine = (entry: URL): PastLine => {
  const run = threaded(entry);
  return async (job, signal) => {
    const answer = await run(job, signal);
    if ('points' in answer) return answer.points;
    throw new Error('the thread of the past told no points');
  };
};
