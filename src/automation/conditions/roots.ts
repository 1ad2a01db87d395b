/** What a condition or a text may begin a name with: `contact.name`, `steps.ask.id`. */
export const roots = ['event', 'message', 'contact', 'conversation', 'deal', 'task', 'record', 'vars', 'steps'] as const;
export type Root = (typeof roots)[number];

const known: ReadonlySet<string> = new Set(roots);
export const isRoot = (name: string): name is Root => known.has(name);

/** `contact.custom_fields.tier`: the root, and the rest of the name. */
export function splitName(name: string): { root: string; rest: string } {
  const dot = name.indexOf('.');
  return dot < 0 ? { root: name, rest: '' } : { root: name.slice(0, dot), rest: name.slice(dot + 1) };
}

const words = new RegExp(`\\b(${roots.join('|')})\\b`, 'g');
const hasLiquid = (text: string) => text.includes('{{') || text.includes('{%');

/** The roots that conditions and Liquid texts name. Each word of a text with Liquid counts, so it may be a few more. */
export function rootsOf(...parts: unknown[]): Set<string> {
  const found = new Set<string>();
  for (const part of parts) collect(part, '', found);
  return found;
}

function collect(part: unknown, key: string, found: Set<string>): void {
  if (typeof part === 'string') {
    const { root } = splitName(part);
    if (key === 'field' && isRoot(root)) found.add(root);
    // It is an event that tells what changed.
    if (key === 'operator' && part.startsWith('changed')) found.add('event');
    if (hasLiquid(part)) for (const [, word] of part.matchAll(words)) found.add(word!);
  } else if (typeof part === 'object' && part !== null) {
    for (const [name, value] of Object.entries(part)) collect(value, Array.isArray(part) ? key : name, found);
  }
}
