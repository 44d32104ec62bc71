import { brotliCompressSync, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UserError } from '../../language/errors.ts';
import type { Language } from '../../language/languages.ts';
import { plainReader, say } from '../../language/say.ts';
import type { Access, Role } from './access.ts';
import { type CallerOf, languageIn } from './caller.ts';
import type { MemberAccess } from './members.ts';
import { type PageFiles, sayPage } from './page.ts';
import type { WebPorts } from './ports.ts';
import { signInView, views } from './routes.ts';

/** Which page is sent: by the visitor's role, or one that asks who it is; `nowhere`: a member who is in no place. */
type ShownPage = Role | 'member' | 'login' | 'nowhere';

interface Sent {
  readonly reply: FastifyReply;
  readonly shown: ShownPage;
}

export function servePage(
  app: FastifyInstance,
  {
    files,
    access,
    callerOf,
    members,
    reader,
  }: {
    readonly access: Access;
    readonly callerOf: CallerOf;
    readonly members: MemberAccess;
    readonly files: () => Promise<PageFiles>;
  } & Pick<WebPorts, 'reader'>,
): void {
  const readFiles = async (reply: FastifyReply): Promise<PageFiles | undefined> =>
    files().catch(() => {
      reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
      return undefined;
    });
  // There are few languages and roles, so each page is translated and compressed once: this takes ten times as long as
  // the rest of a response.
  const pages = new Map<string, { readonly page: string; readonly packed: Buffer }>();
  const pageOf = (
    { index, login, pageMessages }: PageFiles,
    { language, shown }: { readonly language: Language; readonly shown: ShownPage },
  ) => {
    const ways = JSON.stringify(
      members.ways().map(({ platform, title }) => [platform, say(title, plainReader)]),
    );
    const key = `${language} ${shown} ${ways}`;
    return pages.getOrInsertComputed(key, () => {
      const isLogin = shown === 'login' || shown === 'nowhere';
      const given = { pageMessages, language, access: access.isOpen ? 'open' : shown, ways };
      const page = sayPage(isLogin ? login : index, given);
      return { page, packed: pack(page) };
    });
  };
  const send = async (request: FastifyRequest, { reply, shown }: Sent) => {
    const [built, { language }] = await Promise.all([
      readFiles(reply),
      shown === 'login' || shown === 'nowhere'
        ? { language: languageIn(request.headers) }
        : reader(await callerOf(request)),
    ]);
    if (built === undefined) return reply;
    const { page, packed } = pageOf(built, { language, shown });
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-language, cookie, accept-encoding' });
    reply.type('text/html; charset=utf-8');
    return acceptsBrotli(request) ? reply.header('content-encoding', 'br').send(packed) : reply.send(page);
  };
  for (const view of views) {
    app.get(view, async (request, reply) => {
      const role = access.roleOf(request.headers);
      if (role !== undefined) return send(request, { reply, shown: role });
      const session = await members.sessionOf(request.headers);
      if (session === undefined) return send(request, { reply, shown: 'login' });
      const cookie = await members.renew(request.headers);
      if (cookie !== undefined) reply.header('set-cookie', cookie);
      const isThere = await callerOf(request).catch((error: unknown) => {
        if (error instanceof UserError && error.code === 'forbidden') return undefined;
        throw error;
      });
      if (isThere !== undefined) return send(request, { reply, shown: 'member' });
      const [first] = await members.placesOf(session, 1);
      if (first === undefined) return send(request, { reply, shown: 'nowhere' });
      return reply.redirect(`/?${new URLSearchParams({ room: first.room })}`);
    });
  }
  // Whoever comes back, perhaps as somebody else, is not shown what his cookie of before shows.
  app.get(signInView, (request, reply) => send(request, { reply, shown: 'login' }));
  app.get('/assets/:file', async (request, reply) => {
    const built = await readFiles(reply);
    if (built === undefined) return reply;
    const asset = built.assets.get(request.url.replace(/\?.*/s, ''));
    if (asset === undefined) return reply.callNotFound();
    const { type, body, packed } = asset;
    reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .type(type);
    return packed !== undefined && acceptsBrotli(request)
      ? reply.header('content-encoding', 'br').send(packed)
      : reply.send(body);
  });
}

const notBuilt = 'The page could not be built; the bot runs on, and its log says why. Is `npm ci` done?';

const acceptsBrotli = ({ headers }: FastifyRequest): boolean =>
  /\bbr\b/.test(String(headers['accept-encoding'] ?? ''));

const pack = (text: string): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
