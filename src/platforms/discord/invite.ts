/** Exactly the permissions that posting needs (API docs, "Permissions"). */
const permissions =
  (1n << 10n) | // View Channel
  (1n << 11n) | // Send Messages
  (1n << 14n) | // Embed Links
  (1n << 15n) | // Attach Files: charts
  (1n << 16n) | // Read Message History: to look for a post that may have arrived
  (1n << 35n) | // Create Public Threads: details, posts of a forum
  (1n << 38n); // Send Messages in Threads

/** Returns the link by which a person who manages a server adds the bot to it. */
export const inviteLink = (applicationId: string): string => {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
};
