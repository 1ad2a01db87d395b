import { kept } from '../../platform/kept.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { type ExchangeKey, keyOf } from './crypto.ts';

export type OpenKeys = {
  /** Of private keys as they are stored, in their order; each is opened when its turn comes. */
  of(sealed: string[], secrets: Secrets): Iterable<ExchangeKey>;
  /** What signs and goes along with what is forwarded. */
  text(sealed: string, secrets: Secrets): string;
};

/** What is sealed is opened once: a key and its parsing cost as much as a quarter of a request. Another value has another sealed text. */
export const createOpenKeys = (): OpenKeys => {
  const keys = kept((sealed, secrets: Secrets) => keyOf(secrets.open(sealed)));
  return {
    *of(sealed, secrets) {
      for (const one of sealed) yield keys(one, secrets);
    },
    text: kept((sealed, secrets: Secrets) => secrets.open(sealed)),
  };
};
