/** The entry of the thread that draws, started by thread.ts. Nothing else of the bot loads the libraries that it loads. */
import { parentPort } from 'node:worker_threads';
import { drawPng } from './draw.ts';
import type { DrawnAnswer, Request } from './thread.ts';

parentPort?.on('message', ({ id, chart, options }: Request) => {
  let answer: DrawnAnswer;
  try {
    answer = { id, png: drawPng(chart, options) };
  } catch (error) {
    answer = { id, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort?.postMessage(answer);
});
