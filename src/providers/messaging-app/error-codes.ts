import { ProviderBusy, type ProviderError, ProviderFailed, ProviderRefused } from '../errors.ts';

type Kind = 'auth' | 'restricted' | 'busy_channel' | 'busy_recipient' | 'transient';

/** The provider says to branch on the code alone: HTTP status and text vary. Unlisted codes are final. */
const kinds = new Map<number, Kind>([
  ...[0, 104, 190].map((code) => [code, 'auth'] as const),
  ...[131031, 368, 131037, 131042, 133010].map((code) => [code, 'restricted'] as const),
  ...[4, 17, 80007, 130429, 131048, 133016].map((code) => [code, 'busy_channel'] as const),
  [131056, 'busy_recipient'],
  ...[1, 2, 131000, 131016, 133004, 131057].map((code) => [code, 'transient'] as const),
  // The block list: some failed without a reason, another change is running, an internal fault.
  ...[139100, 139102, 139103].map((code) => [code, 'transient'] as const),
]);

/** One message per pair in 6 s; an application-wide limit lasts longer than a number's. */
const waitMs = new Map<number, number>([
  [131056, 6_000],
  [4, 60_000],
  [17, 60_000],
  [80007, 60_000],
  [131048, 60_000],
  [133016, 60_000],
]);
const shortWaitMs = 2_000;

/** The person stopped marketing from this business: the only refusal about the person, not the message. */
export const saysNoToMarketing = (code: string | null | undefined) => code === '131050';

/** Of a template's message: the template is gone, paused, or takes other parameters. The provider says to read it again. */
export const saysTemplateChanged = (code: string | null) =>
  ['132000', '132001', '132005', '132007', '132012', '132015', '132016'].includes(code ?? '');

/** Of a file that was asked for: there is no such object, or it cannot be loaded. */
export const saysFileGone = (code: string | null) => ['100', '131052', 'http_404', 'http_410'].includes(code ?? '');

/** Of a message with a file: a value is not valid, as the id of one that has expired, or the file cannot be loaded. */
export const maySayFileUnknown = (code: string | null) => ['100', '131009', '131052', '131053'].includes(code ?? '');

export type GraphError = { code: number; message: string; details?: string };

/** As the provider writes it. Flows have their reason where people are to read it, others in the details. */
type Told = { message?: unknown; error_data?: unknown; error_user_title?: unknown; error_user_msg?: unknown };

export function detailsOf({ error_data, error_user_title, error_user_msg }: Told): string | undefined {
  const details = (error_data as { details?: unknown } | null | undefined)?.details;
  const said = typeof details === 'string' ? [details] : [error_user_title, error_user_msg];
  return said.filter((text) => typeof text === 'string' && text !== '').join(': ') || undefined;
}

export function sortedError({ code, message, details }: GraphError, retryAfterMs?: number): ProviderError {
  const text = details ? `${message}: ${details}` : message;
  const options = { code: String(code) };
  switch (kinds.get(code)) {
    case 'auth':
      return new ProviderRefused(text, { ...options, stopsChannel: 'auth_error' });
    case 'restricted':
      return new ProviderRefused(text, { ...options, stopsChannel: 'restricted' });
    case 'busy_channel':
      return new ProviderBusy(text, {
        ...options,
        scope: 'channel',
        retryAfterMs: retryAfterMs ?? waitMs.get(code) ?? shortWaitMs,
      });
    case 'busy_recipient':
      return new ProviderBusy(text, { ...options, scope: 'recipient', retryAfterMs: retryAfterMs ?? waitMs.get(code)! });
    case 'transient':
      return new ProviderFailed(text, options);
    default:
      return new ProviderRefused(text, options);
  }
}
