/** SHA-256 of years.json. `npm run bench -- record -- years --write` writes both. */
export const yearsHash = '9f31b7d16c93340c9c5fd59301af2a5a10e494b5b4e3bb5db5c683ce9127b451';
