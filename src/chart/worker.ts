/** The entry of the thread that draws, started by renderer.ts. Nothing else of the bot loads the libraries that it loads. */
import { offerToParent } from '../runtime/thread.ts';
import { drawPng } from './draw.ts';

const offered = { drawPng };
export type Drawer = typeof offered;
offerToParent(offered);
