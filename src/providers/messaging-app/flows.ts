import { Readable } from 'node:stream';
import { faultIn } from '../../platform/storable.ts';
import { ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import type { Account } from './account.ts';
import type { GraphClient } from './client.ts';
import type { FlowCalls, FlowMetadata, FlowSummary } from './flow-calls.ts';
import { FlowRefused, withReason } from './flow-refusals.ts';
import { toDocumentLink, toFlow, toFlowFaults, toFlowKey, toFlowPage, toNewFlow } from './flow-replies.ts';
import { checkDone, isObject } from './replies.ts';

/** More than an account may have of flows. */
const maxPages = 100;
const listed = 'id,name,status,categories';
const wanted = `${listed},validation_errors,json_version,data_api_version,endpoint_uri`;
/** An upload may have 10 MiB; the provider may give it back written otherwise. */
const maxDocumentBytes = 16 * 1024 * 1024;

const onWire = ({ name, categories, endpointUri }: Partial<FlowMetadata>) => ({
  ...(name !== undefined && { name }),
  ...(categories && { categories: categories.map((one) => one.toUpperCase()) }),
  ...(endpointUri && { endpoint_uri: endpointUri }),
});

/** An answer that was lost means the same once more: nothing is made twice by it. */
async function repeatable<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ProviderUnknown)) throw error;
    throw new ProviderFailed(error.message, { cause: error, ...(error.providerCode !== null && { code: error.providerCode }) });
  }
}

export function graphFlows(client: GraphClient): FlowCalls {
  async function page({ accountId, accessToken }: Account, after: string | null | undefined) {
    const search = { fields: listed, limit: '100', ...(after && { after }) };
    const { flows, after: next = null } = toFlowPage(await client.get(`${accountId}/flows`, accessToken, search));
    return { flows, after: next };
  }

  /** Calls that answer nothing but that it is done. */
  const move = async (path: string, { accessToken }: Account, body: object = {}) =>
    checkDone(await client.post(path, accessToken, body));

  const calls: FlowCalls = {
    listFlows: (account, { after } = {}) => page(account, after),

    async findFlows(account, name) {
      const found: FlowSummary[] = [];
      let after: string | null = null;
      for (let read = 0; read < maxPages; read += 1) {
        const { flows, after: next } = await page(account, after);
        found.push(...flows.filter((flow) => flow.name === name));
        after = next;
        if (after === null) return found;
      }
      throw new ProviderFailed(`The account has more than ${maxPages * 100} flows`);
    },

    async createFlow({ accountId, accessToken }, flow) {
      return toNewFlow(await client.post(`${accountId}/flows`, accessToken, onWire(flow)));
    },

    async readFlow({ accessToken }, id, { isPreviewRenewed = false } = {}) {
      const fields = `${wanted},preview.invalidate(${isPreviewRenewed})`;
      return toFlow(await client.get(id, accessToken, { fields }));
    },

    updateFlow: (account, id, change) => repeatable(move(id, account, onWire(change))),

    async uploadFlowDocument({ accessToken }, id, json) {
      const content = Buffer.from(json, 'utf8');
      const file = { mimeType: 'application/json', bytes: content.length, open: async () => Readable.from([content]) };
      const fields = { name: 'flow.json', asset_type: 'FLOW_JSON' };
      const reply = await repeatable(client.upload(`${id}/assets`, accessToken, { fields, fileName: 'flow.json', file }));
      checkDone(reply);
      return { validationErrors: toFlowFaults((reply as { validation_errors?: unknown }).validation_errors) };
    },

    async downloadFlowDocument({ accessToken }, id) {
      const link = toDocumentLink(await client.get(`${id}/assets`, accessToken));
      if (link === undefined) return undefined;
      const text = await client.document(link, maxDocumentBytes);
      const document = parsed(text);
      const fault = isObject(document) ? faultIn(document)?.message : 'It is no object';
      const reason = `The provider's document of the flow cannot be kept: ${fault}`;
      if (fault) throw new FlowRefused(new ProviderRefused(reason), 'unstorable');
      return document;
    },

    publishFlow: (account, id) => move(`${id}/publish`, account),
    deprecateFlow: (account, id) => move(`${id}/deprecate`, account),

    async deleteFlow({ accessToken }, id) {
      checkDone(await client.delete(id, accessToken));
    },

    async readFlowKey({ phoneNumberId, accessToken }) {
      return toFlowKey(await client.get(`${phoneNumberId}/whatsapp_business_encryption`, accessToken));
    },

    uploadFlowKey: (account, publicKeyPem) =>
      repeatable(move(`${account.phoneNumberId}/whatsapp_business_encryption`, account, { business_public_key: publicKeyPem })),
  };
  return withReason(calls);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProviderFailed("The provider's document of the flow is not JSON", { cause: error });
  }
}
