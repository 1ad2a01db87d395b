import Joi from 'joi';
import type { DataExchangeChange } from '../../src/flows/data-exchange.ts';
import type { Config } from '../../src/platform/config/config.ts';
import { invalidField } from '../../src/platform/errors.ts';
import { checkUrl } from '../../src/platform/network/address-guard.ts';
import { forbiddenHeader } from '../../src/webhooks/request-headers.ts';
import { fields } from '../webhooks/endpoint-schemas.ts';

const url = fields.url.description("https; the address must be public. The provider's requests come here, decrypted and signed");

export const newDataExchange = Joi.object({ url: url.required(), headers: fields.headers })
  .allow(null)
  .description("For a flow that asks an endpoint: your server's address");
export const changedDataExchange = Joi.object({ url, headers: fields.headersChange })
  .min(1)
  .allow(null)
  .description('Merged; null in place of the object removes it');

type Rules = Pick<Config, 'webhookAllowHttp' | 'webhookAllowNetworks'>;

/** With the address as it is stored. Throws 422 for one that is not public, and for headers that the delivery sets itself. */
export function checkedDataExchange(change: DataExchangeChange | undefined, config: Rules): DataExchangeChange | undefined {
  if (!change) return change;
  for (const header of Object.keys(change.headers ?? {}))
    if (forbiddenHeader(header))
      throw invalidField(`data_exchange.headers.${header}`, `The header ${header} is set by the delivery itself`);
  if (change.url === undefined) return change;
  try {
    const { href } = checkUrl(change.url, { allowHttp: config.webhookAllowHttp, allowNetworks: config.webhookAllowNetworks });
    return { ...change, url: href };
  } catch (error) {
    throw invalidField('data_exchange.url', (error as Error).message);
  }
}
