import { randomBytes } from 'node:crypto';
import type { Account } from './accounts.ts';

interface Code {
  account: Account;
  expiresAt: number;
  isUsed: boolean;
}

export type CodeFault = 'unknown' | 'used' | 'expired';

/** What the embedded signup gives a person's browser: good once, for a token of the account. */
export class Codes {
  #byText = new Map<string, Code>();

  give(account: Account, ttlMs: number, code = `AQ${randomBytes(24).toString('base64url')}`): string {
    this.#byText.set(code, { account, expiresAt: Date.now() + ttlMs, isUsed: false });
    return code;
  }

  use(text: string): Account | CodeFault {
    const code = this.#byText.get(text);
    if (!code) return 'unknown';
    if (code.isUsed) return 'used';
    if (Date.now() > code.expiresAt) return 'expired';
    code.isUsed = true;
    return code.account;
  }
}
