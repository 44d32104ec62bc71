/** The page's language and its words, written into index.html by the server. */
interface Words {
  readonly messages: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

const { messages, labels }: Words = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name=words]')?.content ?? '{}',
);

export const language = document.documentElement.lang;

/** Numbers and times as the visitor's own region writes them, where it speaks the page's language. */
export const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;

/** The only way the page says something: English is the key, `{name}` stands for a value, there are no plurals. */
export const msg = (message: string, values: Readonly<Record<string, string | number>> = {}): string =>
  (messages[message] ?? message).replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole),
  );

/** A label of the contract or of ours, within a sentence. */
export const label = (name: string): string => labels[name] ?? name.replaceAll('_', ' ');

/** The same, alone. */
export const title = (name: string): string => {
  const words = label(name);
  return words.charAt(0).toLocaleUpperCase(language) + words.slice(1);
};
