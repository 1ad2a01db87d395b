import type { Flow } from '../flows/store.ts';
import type { State } from '../state.ts';
import type { GraphRequest } from './context.ts';
import { pickFields } from './fields.ts';
import { requestUrl } from './request-url.ts';

const usual = 'id,name,status,categories,validation_errors';
const known = [
  ...usual.split(','),
  'json_version',
  'data_api_version',
  'data_channel_uri',
  'endpoint_uri',
  'preview',
  'health_status',
  'whatsapp_business_account',
  'application',
];

/** With `preview.invalidate(true)` the address of the preview is another from then on. */
export function showFlow(state: State, flow: Flow, req: Pick<GraphRequest, 'originalUrl' | 'headers'>, fields: unknown): object {
  const wanted = typeof fields === 'string' && fields !== '' ? fields : usual;
  if (/\bpreview\.invalidate\(true\)/.test(wanted)) state.flows.renewPreview(flow);
  return pickFields(
    nodeOf(state, flow, req),
    wanted.replace(/\bpreview\.invalidate\((?:true|false)\)/, 'preview'),
    known,
    'WhatsAppFlow',
  );
}

function nodeOf(state: State, flow: Flow, req: Pick<GraphRequest, 'originalUrl' | 'headers'>) {
  const { id, wabaId, name, status, categories, endpointUri, document, preview } = flow;
  const [account] = state.accounts.ofBusiness(wabaId);
  const isBlocked = status === 'BLOCKED' || status === 'DEPRECATED';
  const can_send_message = isBlocked ? 'BLOCKED' : status === 'THROTTLED' ? 'LIMITED' : 'AVAILABLE';
  return {
    id,
    name,
    status,
    categories,
    validation_errors: document?.validationErrors ?? [],
    ...(document && { json_version: document.version }),
    ...(document?.dataApiVersion && { data_api_version: document.dataApiVersion }),
    ...(endpointUri !== null && { endpoint_uri: endpointUri, data_channel_uri: endpointUri }),
    preview: {
      preview_url: new URL(`/wa/manage/flows/${id}/preview/?token=${preview.token}`, requestUrl(req)).href,
      expires_at: zoned(preview.expiresAt),
    },
    health_status: {
      can_send_message,
      entities: [
        { entity_type: 'FLOW', id, can_send_message, errors: [] },
        { entity_type: 'WABA', id: wabaId, can_send_message: 'AVAILABLE', errors: [] },
        { entity_type: 'APP', id: state.appId, can_send_message: 'AVAILABLE', errors: [] },
      ],
    },
    whatsapp_business_account: {
      id: wabaId,
      name: account?.verified_name ?? '',
      business_type: 'SMB',
      currency: 'USD',
      timezone_id: '1',
      message_template_namespace: `kanal_sandbox_${wabaId}`,
    },
    application: {
      link: `https://www.example.com/apps/${state.appId}`,
      name: 'Kanal Sandbox App',
      id: state.appId,
    },
  };
}

/** As 2023-05-21T11:18:09+0000. */
const zoned = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, '+0000');
