import discord from '#src/platforms/discord/platform.ts';
import { addressesOf } from '#src/platforms/platform.ts';
import telegram from '#src/platforms/telegram/platform.ts';
import web from '#src/platforms/web/platform.ts';

/** What the platforms say of their addresses, as the bot tells its store. */
export const addresses = addressesOf([discord, telegram, web]);
