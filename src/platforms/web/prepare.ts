// What npm runs once it has installed (`prepare`), so that a start finds the page built. No install fails for it: the bot
// runs without its page as well.
import { builtPage } from './build.ts';

await builtPage().catch((error: unknown) => process.emitWarning(String(error)));
