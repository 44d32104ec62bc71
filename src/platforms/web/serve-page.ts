import { brotliCompressSync, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../language/languages.ts';
import type { Access } from './access.ts';
import { type CallerOf, languageIn } from './caller.ts';
import { type PageFiles, sayPage } from './page.ts';
import type { WebPorts } from './ports.ts';
import { views } from './routes.ts';

export function servePage(
  app: FastifyInstance,
  {
    files,
    access,
    callerOf,
    reader,
  }: {
    readonly access: Access;
    readonly callerOf: CallerOf;
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
    { language, role }: { readonly language: Language; readonly role: string | undefined },
  ) => {
    const key = `${language} ${role}`;
    const known = pages.get(key);
    if (known !== undefined) return known;
    const given = { pageMessages, language, access: access.isOpen ? 'open' : (role ?? '') };
    const page = sayPage(role === undefined ? login : index, given);
    const made = { page, packed: pack(page) };
    pages.set(key, made);
    return made;
  };
  for (const view of views) {
    app.get(view, async (request, reply) => {
      const role = access.roleOf(request.headers);
      const [built, { language }] = await Promise.all([
        readFiles(reply),
        role === undefined ? { language: languageIn(request.headers) } : reader(await callerOf(request)),
      ]);
      if (built === undefined) return reply;
      const { page, packed } = pageOf(built, { language, role });
      reply.headers({ 'cache-control': 'no-cache', vary: 'accept-language, cookie, accept-encoding' });
      reply.type('text/html; charset=utf-8');
      return acceptsBrotli(request) ? reply.header('content-encoding', 'br').send(packed) : reply.send(page);
    });
  }
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
