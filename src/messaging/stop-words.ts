const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

type Content = { body?: unknown; payload?: unknown; text?: unknown; button_reply?: { title?: unknown } | null };

const saidBy = new Map<string, (content: Content) => unknown[]>([
  ['text', ({ body }) => [body]],
  ['button', ({ payload, text }) => [payload, text]],
  ['interactive', ({ button_reply: reply }) => [reply?.title]],
]);

/** A process has one list of them. */
const sets = new WeakMap<string[], Set<string>>();
function setOf(words: string[]): Set<string> {
  const known = sets.get(words) ?? new Set(words.map(folded));
  sets.set(words, known);
  return known;
}

/** The whole message must be a stop word. Case and accents do not matter. */
export function isStopWord(words: string[], type: string, content: Record<string, unknown>): boolean {
  const stops = setOf(words);
  return (saidBy.get(type)?.(content) ?? []).some((text) => typeof text === 'string' && stops.has(folded(text)));
}
