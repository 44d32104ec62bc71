/** A thread that responds with the number of its requests. */
import { offerToParent } from '#src/runtime/thread.ts';

let asked = 0;
offerToParent({ drawPng: () => Uint8Array.of(++asked) });
