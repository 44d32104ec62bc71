/** The role of the person at the page: `member` of the chat that is its room, say; `open`: the page is open to everyone. */
export const access = document.querySelector<HTMLMetaElement>('meta[name=access]')?.content;

export const room = new URLSearchParams(location.search).get('room') ?? 'main';
