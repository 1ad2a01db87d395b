const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

type Content = { body?: unknown; payload?: unknown; text?: unknown; button_reply?: { title?: unknown } | null };

/** The person's own words in a message of this type. */
const saidBy = new Map<string, (content: Content) => unknown[]>([
  ['text', ({ body }) => [body]],
  ['button', ({ payload, text }) => [payload, text]],
  ['interactive', ({ button_reply: reply }) => [reply?.title]],
]);

/** Whether a message is one of the stop words and nothing else. Case and accents do not matter. */
export function isStopWord(words: string[], type: string, content: Record<string, unknown>): boolean {
  const stops = new Set(words.map(folded));
  return (saidBy.get(type)?.(content) ?? []).some((text) => typeof text === 'string' && stops.has(folded(text)));
}
