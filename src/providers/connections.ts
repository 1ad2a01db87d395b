/** What a person gave for an account, by its provider's names: `api_key`, `refresh_token`, `client_email` … */
export type Credentials = Record<string, string>;

/** `account`: whose account it is, in words for people. */
export type Verified = { account: string };

/**
 * One call that reads, and that only good credentials pass. Refused credentials are ProviderRefused with `stopsChannel: 'auth_error'`.
 * `access`: the access token, `''` where the provider gives none.
 */
export type Verify = (credentials: Credentials, access: string) => Promise<Verified>;

export type Verifiers = Record<'google' | 'zoom' | 'biteship' | 'xendit' | 'stripe', Verify>;

/** Of the raw bytes, in constant time; `secret` is the connection's webhook secret, `now` in milliseconds. */
export type IsSigned = (headers: Record<string, string | undefined>, rawBody: Buffer, secret: string, now: number) => boolean;
