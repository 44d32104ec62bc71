import { prepareDataService } from '#src/app/data-service.ts';
import { type Bot, type BotOptions, startBot as startWith } from '#src/bot.ts';

/** Starts the bot with its data service, as `npm start` does. @throws ConfigError */
export async function startBot(options: Omit<BotOptions, 'service'>): Promise<Bot> {
  return startWith({ ...options, service: await prepareDataService({})(options.config, options.log) });
}
