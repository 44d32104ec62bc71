import { fork } from 'node:child_process';
import { once } from 'node:events';
import { execArgv } from 'node:process';
import { compiledCode } from '../runtime/compiled-code.ts';
import type { LineJob, PastAnswer, PastJob, PastLine, PastReplay } from './job.ts';

/**
 * Given after the flags of the bot, which they replace. `npm start` gives little room to young objects, with which a
 * third of a replay's processor time went into garbage collection. If the old objects exceed their limit, this process
 * ends, and not the bot: a replay of thirty days, 30 symbols and all kinds needs up to 150 MB.
 */
const memoryFlags = ['--max-semi-space-size=32', '--max-old-space-size=640'];

/**
 * Runs a job in a process of its own, which ends with the job, or at once when the signal aborts. A thread would not do:
 * of the memory of a thread that has ended, the process keeps much, and more after each one.
 */
const inProcess =
  (entry: URL) =>
  async (job: PastJob | LineJob, signal: AbortSignal): Promise<PastAnswer> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<PastAnswer>();
    const child = fork(entry, {
      execArgv: [...execArgv, ...memoryFlags],
      // Not the bot's environment: it contains tokens, which the process does not need.
      env: { ...compiledCode() },
      serialization: 'advanced',
    });
    const ended = once(child, 'exit');
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    child.on('message', (answer) => resolve(answer as PastAnswer));
    child.on('error', reject);
    child.on('exit', (code, killedBy) =>
      reject(new Error(`the process of the past ended with ${code ?? killedBy}`)),
    );
    try {
      child.send(job);
      const answer = await promise;
      if ('problem' in answer) throw new Error(answer.problem);
      return answer;
    } finally {
      signal.removeEventListener('abort', abort);
      child.kill('SIGKILL');
      await ended;
    }
  };

export const replayInProcess = (entry: URL): PastReplay => {
  const run = inProcess(entry);
  return async (job, signal) => {
    const answer = await run(job, signal);
    if ('past' in answer) return answer.past;
    throw new Error('the process of the past answered without alerts');
  };
};

export const lineInProcess = (entry: URL): PastLine => {
  const run = inProcess(entry);
  return async (job, signal) => {
    const answer = await run(job, signal);
    if ('points' in answer) return answer.points;
    throw new Error('the process of the past answered without points');
  };
};
