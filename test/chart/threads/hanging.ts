/** A thread that receives requests and never responds. */
import { offerToParent } from '#src/runtime/thread.ts';

offerToParent({ drawPng: () => new Promise(() => {}) });
