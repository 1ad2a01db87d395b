import { hash } from 'node:crypto';

const maxPrepared = 500;
const names = new Map<string, string>();

/** Undefined: there are too many texts to prepare one more. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known || names.size >= maxPrepared) return known;
  // Made from the text: behind a connection pooler, one name must mean the same text in every process.
  const name = `k${hash('sha1', text).slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/** For a process that goes on with other statements: those of before leave their room. */
export const forgetNames = () => names.clear();
