import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { LineJob, PastAnswer, PastJob, PastLine, PastReplay } from './job.ts';

/**
 * Beyond its heap the thread ends, and not the bot. Thirty days of 30 symbols and all kinds reach 190 MB, with as much
 * again of young objects as is allowed here.
 */
const resourceLimits = { maxOldGenerationSizeMb: 640, maxYoungGenerationSizeMb: 32 };

/** Each job has a thread of its own: it ends with it, or at once by the signal, and leaves no memory behind. */
const threaded =
  (entry: URL) =>
  async (job: PastJob | LineJob, signal: AbortSignal): Promise<PastAnswer> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<PastAnswer>();
    // The little room that npm start gives to young objects would be this thread's too: V8 puts the flag before a thread's
    // own limit. With that room a third of its processor time went into collecting them.
    setFlagsFromString('--max-semi-space-size=0');
    // Nothing of the environment: it holds tokens, and the past needs none.
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
