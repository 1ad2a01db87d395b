import { storableText } from '../platform/storable-text.ts';

type Options = { code?: string; cause?: unknown };

/** Sorted by what to do next. `providerCode` is the provider's own, for people. */
class ProviderError extends Error {
  readonly providerCode: string | null;
  constructor(message: string, { code, cause }: Options = {}) {
    // The provider's words are stored with what failed.
    super(storableText(message), { cause });
    this.providerCode = code === undefined ? null : storableText(code);
  }
}

/** Final. `stopsChannel`: nothing else will pass on this channel, or with this connection, either. */
export class ProviderRefused extends ProviderError {
  readonly stopsChannel?: 'auth_error' | 'restricted';
  constructor(message: string, options: Options & { stopsChannel?: 'auth_error' | 'restricted' } = {}) {
    super(message, options);
    this.stopsChannel = options.stopsChannel;
  }
}

/** Wait; costs no attempt. */
export class ProviderBusy extends ProviderError {
  readonly retryAfterMs: number;
  readonly scope: 'recipient' | 'channel';
  constructor(message: string, options: Options & { retryAfterMs: number; scope: 'recipient' | 'channel' }) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.scope = options.scope;
  }
}

/** The request left and no readable answer came: it may have taken effect. */
export class ProviderUnknown extends ProviderError {}

/** It did not take effect: try again. */
export class ProviderFailed extends ProviderError {}

/** The provider has answered, or was not reached: nothing was made, sent or given back. */
export const tookNoEffect = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && !(error instanceof ProviderUnknown);

export { ProviderError };
