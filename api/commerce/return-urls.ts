import type { Config } from '../../src/platform/config/config.ts';
import { invalidField } from '../../src/platform/errors.ts';

type Given = { success_url?: string; cancel_url?: string };

/** Where a customer's browser is sent: nobody here calls it. http is for development, as with webhooks. Throws 422 at the field. */
export function assertReturnUrls(given: Given, { webhookAllowHttp }: Pick<Config, 'webhookAllowHttp'>): void {
  for (const field of ['success_url', 'cancel_url'] as const) {
    const fault = given[field] === undefined ? undefined : faultOf(given[field], webhookAllowHttp);
    if (fault) throw invalidField(field, fault, 'url');
  }
}

function faultOf(text: string, allowHttp: boolean): string | undefined {
  const url = URL.parse(text);
  if (!url || url.hostname === '') return 'It is no absolute URL';
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'The URL must start with https://';
  if (url.username || url.password) return 'The URL must not hold a user name or password';
  return undefined;
}
