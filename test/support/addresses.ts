import discord from '#src/platforms/discord/platform.ts';
import { addressesOf } from '#src/platforms/platform.ts';
import telegram from '#src/platforms/telegram/platform.ts';
import web from '#src/platforms/web/platform.ts';

/** The rules for addresses of the platforms, as the bot passes them to its store. */
export const addresses = addressesOf([discord, telegram, web]);
