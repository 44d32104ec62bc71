// Read by the Node.js of the image: draws a picture in both scripts, of which the image has no other fonts, and loads what the
// image could lack.
const { drawPng } = await import('/app/src/chart/draw.ts');
const { sample } = await import('/app/src/chart/sample.ts');
const reader = { theme: 'dark', language: 'zh', timeZone: 'UTC' };
const titled = (title) => drawPng({ ...sample, title }, reader);
const drawn = titled('资金费率 funding');
// Without the font either would be as empty as the other.
if (drawn.equals(titled('费率资金 funding'))) throw new Error('the Chinese font is missing');
console.log('a picture of', drawn.length, 'bytes');
await Promise.all(['discord.js', 'telegraf', 'pg'].map((name) => import(name)));
