/** Entry of the thread that sheet-thread.ts starts. */
import { offerToParent } from '../../runtime/thread.ts';
import { openSheet } from '../../shell/sheet.ts';

const offered = { openSheet };
export type Sheets = typeof offered;
offerToParent(offered);
