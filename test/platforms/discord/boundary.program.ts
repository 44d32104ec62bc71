/**
 * Runs the conversation on Discord in a process of its own, as the bot does, and prints a line for each thing that happened.
 * @param argv what is sent to discord.js that it cannot bear, one after the other
 */
import { giveToBoundary } from '#src/runtime/boundary.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { readyFixture, until } from '#test/support/discord/platform.ts';

process.on('uncaughtException', (error) => {
  process.stdout.write(giveToBoundary(error) ? `contained: ${error.message}\n` : `fatal: ${error.message}\n`);
});

const f = await readyFixture({
  ports: { wall: { ...wallClock, sleep: (ms, signal) => wallClock.sleep(Math.min(ms, 50), signal) } },
});
const { gateway } = f.discord;
const invalidated = { false: false, true: true, nothing: null };
for (const sent of process.argv.slice(2)) {
  const { identified, resumed } = gateway.seen;
  const [what, how] = sent.split(': ');
  switch (what) {
    case 'op 9 before RESUMED':
      gateway.invalidateNext({ d: invalidated[how as keyof typeof invalidated], closes: false });
      gateway.hangUp(4000);
      await until(() => gateway.seen.identified > identified || gateway.seen.resumed > resumed);
      break;
    case 'an event without its fields':
      gateway.dispatch('GUILD_ROLE_CREATE', { guild_id: f.guild.id });
      await until(() => gateway.seen.identified > identified);
      break;
    case 'an error of our own':
      setTimeout(() => {
        throw new Error('a defect');
      });
  }
  const { message } = await f.slash('market');
  process.stdout.write(`${sent}: answered ${(message.embeds ?? []).length}\n`);
}
process.exit();
