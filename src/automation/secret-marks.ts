import { randomBytes } from 'node:crypto';

/**
 * A secret stands for itself by a mark until the moment of the call: no step, log or error can hold its value. Nobody outside can guess a mark: what a person
 * writes never becomes a secret.
 */
const nonce = randomBytes(12).toString('hex');
const mark = new RegExp(`\\ue000${nonce}:([\\w-]+)\\ue001`, 'g');

const names = /\bsecrets\s*(?:\.\s*|\[\s*["'])([\w-]+)/g;

/** For the texts that name them: by name, the marks. */
export function marksIn(texts: unknown): Record<string, string> {
  const named = [...JSON.stringify(texts).replaceAll('\\"', '"').matchAll(names)].map(([, name]) => name!);
  return Object.fromEntries(named.map((name) => [name, `\ue000${nonce}:${name}\ue001`]));
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [change(name), mapTexts(one, change)]));
}

/** As a user wrote it, for the record of a step. */
export const withoutMarks = (value: unknown): unknown =>
  mapTexts(value, (text) => text.replaceAll(mark, (_, name) => `{{ secrets.${name} }}`));

/** The names of the secrets in a rendered value: by name, how often. */
export function secretsIn(value: unknown): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  mapTexts(value, (text) => {
    for (const [, name] of text.matchAll(mark)) found.set(name!, (found.get(name!) ?? 0) + 1);
    return text;
  });
  return found;
}

/** `secrets`: by name. For the call itself, and nothing else. */
export const withSecrets = (value: unknown, secrets: ReadonlyMap<string, string>): unknown =>
  mapTexts(value, (text) => text.replaceAll(mark, (_, name) => secrets.get(name) ?? ''));
