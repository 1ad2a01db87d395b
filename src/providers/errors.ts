type Options = { code?: string; cause?: unknown };

/** What came back from a provider, sorted by what to do next. `providerCode` is the provider's own, for people. */
class ProviderError extends Error {
  readonly providerCode: string | null;
  constructor(message: string, { code, cause }: Options = {}) {
    super(message, { cause });
    this.providerCode = code ?? null;
  }
}

/** Final: asking again would be refused again. `stopsChannel` says that nothing else will pass on this channel either. */
export class ProviderRefused extends ProviderError {
  readonly stopsChannel?: 'auth_error' | 'restricted';
  constructor(message: string, options: Options & { stopsChannel?: 'auth_error' | 'restricted' } = {}) {
    super(message, options);
    this.stopsChannel = options.stopsChannel;
  }
}

/** Wait; spends no try. `scope` is what must wait: this one recipient, or the whole channel. */
export class ProviderBusy extends ProviderError {
  readonly retryAfterMs: number;
  readonly scope: 'recipient' | 'channel';
  constructor(message: string, options: Options & { retryAfterMs: number; scope: 'recipient' | 'channel' }) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.scope = options.scope;
  }
}

/** We cannot know whether it took effect: the request left, no answer we can read came back. */
export class ProviderUnknown extends ProviderError {}

/** It did not take effect and may do so later: try again. */
export class ProviderFailed extends ProviderError {}

export { ProviderError };
