export const room = new URLSearchParams(location.search).get('room') ?? 'main';
