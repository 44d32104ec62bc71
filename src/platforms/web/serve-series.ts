import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { renderPage } from '../../card/render-json.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { viewerRights } from '../../shell/rights.ts';
import type { CallerOf } from './caller.ts';
import { seriesQuery } from './ports/past-series.ts';
import type { WebPorts } from './ports.ts';

const pictureName = z.object({ name: z.string().regex(/^[0-9a-f]{32}\.png$/) });
const questionQuery = z.object({ line: z.string().trim().min(1).max(200) });

/**
 * Serves the past of a figure, as the commands read it, what a question answers, and how often the exchange confirms
 * published data.
 */
export function serveSeries(
  app: FastifyInstance,
  {
    ask,
    image,
    pictures,
    series,
    dataChecks,
    watchlist,
    callerOf,
  }: { readonly callerOf: CallerOf } & Pick<
    WebPorts,
    'ask' | 'image' | 'pictures' | 'series' | 'dataChecks' | 'watchlist'
  >,
): void {
  app.get('/api/series', async (request) => {
    return series(seriesQuery.parse(request.query), await callerOf(request));
  });
  // What a view shows is asked with a viewer's rights, which change nothing, and is no message of the room.
  const answerTo = async (request: FastifyRequest) => {
    const { line } = questionQuery.parse(request.query);
    const { later, failure, ...card } = await ask(line, {
      ...(await callerOf(request)),
      rights: viewerRights,
    });
    return { card: (await later) ?? card, refused: failure !== undefined };
  };
  app.get('/api/answers', async (request) => {
    const { card, refused } = await answerTo(request);
    return { card: renderPage(card), refused };
  });
  // The picture that chats get with the answer.
  app.get('/api/answers/picture', async (request, reply) => {
    const { card } = await answerTo(request);
    const picture = await image(card);
    if (picture === undefined)
      throw new UserError(msg('There is no picture of that now.'), { code: 'unready' });
    return reply.header('content-disposition', 'attachment').type('image/png').send(Buffer.from(picture.png));
  });
  // By an address that cannot be guessed, of a picture that somebody is about to post.
  app.get('/pictures/:name', async (request, reply) => {
    const { name } = pictureName.parse(request.params);
    const png = await pictures?.read(name.slice(0, -'.png'.length));
    if (png === undefined) throw new UserError(msg('There is no picture of that now.'), { code: 'unknown' });
    return reply.type('image/png').header('cache-control', 'private, max-age=600').send(Buffer.from(png));
  });
  app.get('/api/watchlist', async (request) => watchlist((await callerOf(request)).receiver));
  app.get('/api/data-checks', async (request, reply) => {
    const table = await dataChecks(await callerOf(request));
    return reply.type('application/json').send(JSON.stringify(table));
  });
}
