import type { Secrets } from '../../platform/secrets.ts';
import { type ExchangeKey, keyOf } from './crypto.ts';

export type OpenKeys = {
  /** Of private keys as they are stored, in their order; each is opened when its turn comes. */
  of(sealed: string[], secrets: Secrets): Iterable<ExchangeKey>;
  /** What signs and goes along with what is forwarded. */
  text(sealed: string, secrets: Secrets): string;
};

const maxKept = 1_000;

/** What is sealed is opened once: a key and its parsing cost as much as a quarter of a request. */
export function createOpenKeys(): OpenKeys {
  const keys = openedOnce(keyOf);
  const texts = openedOnce((text) => text);
  return {
    *of(sealed, secrets) {
      for (const one of sealed) yield keys(one, secrets);
    },
    text: texts,
  };
}

/** By the sealed text, which is another one for every other value: what is kept is never wrong, only unused. */
function openedOnce<Value>(read: (text: string) => Value) {
  const kept = new Map<string, Value>();
  return (sealed: string, secrets: Secrets): Value => {
    const known = kept.get(sealed);
    if (known !== undefined) return known;
    const value = read(secrets.open(sealed));
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
    kept.set(sealed, value);
    return value;
  };
}
