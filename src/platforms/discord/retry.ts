import { DiscordAPIError } from 'discord.js';
import { minute, second } from '../../runtime/units.ts';

/** Returns how long to wait before the next attempt, ms. */
export const pauseAfter = (attempt: number): number => Math.min(5 * second * 2 ** attempt, 5 * minute);

/** Returns an error for the log, without its URL and body: for interactions, these contain tokens. */
export const problem = (error: unknown): { readonly problem: string; readonly code?: string | number } =>
  error instanceof DiscordAPIError
    ? { problem: error.message, code: error.code }
    : { problem: error instanceof Error ? error.message : String(error) };
