import { randomBytes } from 'node:crypto';

export type TokenService = 'google' | 'zoom';

/** What a person, a service account or an app of an account was given. */
export interface Grant {
  service: TokenService;
  /** Whose calendars or meetings it reaches. */
  account: string;
}

interface Access extends Grant {
  /** The refresh token, service account or app it was made from. */
  source: string;
  expiresAt: number;
}

interface Code extends Grant {
  clientId: string;
  redirectUri: string;
  challenge: string | undefined;
  expiresAt: number;
  isUsed: boolean;
}

/** The client of the calendar service that Kanal's configuration names in demos and tests. */
export const calendarClient = { id: 'sandbox-calendar-client', secret: 'sandbox-calendar-secret' };
/** Every account id of the video service has this app. */
export const videoClient = { id: 'sandbox-video-client', secret: 'sandbox-video-secret' };
/** `sandbox-refresh-token-<account>`, with `.<anything>` behind it for another one of the same account. */
export const refreshTokenPrefix = 'sandbox-refresh-token';

const codeMs = 600_000;
const random = (bytes: number) => randomBytes(bytes).toString('base64url');

/** Access tokens of the calendar and video services, with all they are made from. */
export class Tokens {
  readonly #access = new Map<string, Access>();
  readonly #given = new Map<string, Grant>();
  readonly #revoked = new Set<string>();
  readonly #codes = new Map<string, Code>();
  readonly #serviceAccounts = new Map<string, string>();
  issued = 0;

  giveCode(code: Omit<Code, 'expiresAt' | 'isUsed'>): string {
    const text = `4/${random(24)}`;
    this.#codes.set(text, { ...code, expiresAt: Date.now() + codeMs, isUsed: false });
    return text;
  }

  /** Once. */
  useCode(text: string): Code | undefined {
    const code = this.#codes.get(text);
    if (!code || code.isUsed || Date.now() > code.expiresAt) return undefined;
    code.isUsed = true;
    return code;
  }

  giveRefreshToken(grant: Grant): string {
    const text = `1//${random(32)}`;
    this.#given.set(text, grant);
    return text;
  }

  /** Undefined: it was never given, or was revoked. */
  ofRefreshToken(text: string): Grant | undefined {
    if (this.#revoked.has(text)) return undefined;
    return this.#given.get(text) ?? demoGrant(text);
  }

  addServiceAccount(email: string, publicKey: string): void {
    this.#serviceAccounts.set(email, publicKey);
    this.#revoked.delete(email);
  }

  /** The PEM of its public key. */
  keyOf(email: string): string | undefined {
    return this.#revoked.has(email) ? undefined : this.#serviceAccounts.get(email);
  }

  isRevoked(source: string): boolean {
    return this.#revoked.has(source);
  }

  give(grant: Grant, source: string, expiresInSeconds: number): string {
    const text = `ya29.${random(32)}`;
    this.#access.set(text, { ...grant, source, expiresAt: Date.now() + expiresInSeconds * 1000 });
    this.issued += 1;
    return text;
  }

  /** Whose a request is, by its `Authorization` header; undefined: 401. */
  check(authorization: string | undefined, service: TokenService): Grant | undefined {
    const access = this.#access.get(/^bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
    if (access?.service !== service || Date.now() > access.expiresAt) return undefined;
    return { service, account: access.account };
  }

  /** Access tokens, of an account or of all, are no longer good; new ones can be had. Returns how many. */
  expire(account?: string): number {
    return this.#drop(account).length;
  }

  /** Nor can new ones be had from what these were made of. Returns how many sources. */
  revoke(account?: string): number {
    const sources = new Set(this.#drop(account).map(({ source }) => source));
    for (const [text, grant] of this.#given) if (account === undefined || grant.account === account) sources.add(text);
    for (const source of sources) this.#revoked.add(source);
    return sources.size;
  }

  #drop(account: string | undefined): Access[] {
    const dropped: Access[] = [];
    for (const [text, access] of this.#access) {
      if (account !== undefined && access.account !== account) continue;
      this.#access.delete(text);
      dropped.push(access);
    }
    return dropped;
  }
}

function demoGrant(text: string): Grant | undefined {
  if (text !== refreshTokenPrefix && !text.startsWith(`${refreshTokenPrefix}-`)) return undefined;
  const [account] = text.slice(refreshTokenPrefix.length + 1).split('.');
  return { service: 'google', account: `${account || 'demo'}@sandbox.example` };
}
