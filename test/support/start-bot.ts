import { type Bot, type BotOptions, startBot as startWith } from '#src/app/bot.ts';
import { prepareDataService } from '#src/app/data-service.ts';
import type { ConfigError } from '#src/runtime/errors.ts';

/**
 * Starts the bot with its data service, as `npm start` does: with a hosted one, no thread is opened.
 * @throws ConfigError
 */
export async function startBot(
  options: Omit<BotOptions, 'service' | 'failed'> & Partial<Pick<BotOptions, 'failed'>>,
): Promise<Bot> {
  const { url } = options.config.data;
  const startDataService = prepareDataService(url === null ? {} : { TOCSIN_API_URL: url });
  const failed = (error: ConfigError) => {
    throw error;
  };
  return startWith({ failed, ...options, service: await startDataService(options.config, options.log) });
}
