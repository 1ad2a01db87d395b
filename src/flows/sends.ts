import type { RowOf } from '../platform/database/tables.ts';
import { AppError } from '../platform/errors.ts';
import type { PartText } from '../platform/ledger/part.ts';
import { type Json, object, textOf } from '../providers/messaging-app/json.ts';
import type { Flow } from './flow.entity.ts';

/** What a send looks at. */
export type FlowToSend = RowOf<typeof Flow, 'id' | 'account_id' | 'status' | 'provider_flow_id'> & {
  /** Of the document that the provider has. */
  version: number | null;
  /** null: not known. Empty: it asks no endpoint. */
  data_api_version: string | null;
  /** null: not known. */
  screens: string[] | null;
};

/** SQL: of one flow by a condition on `f`, as JSON; null: there is none. */
export const flowToSend = (where: string) => `(
  select jsonb_build_object('id', f.id, 'account_id', f.account_id, 'status', f.status, 'provider_flow_id', f.provider_flow_id,
           'version', f.provider_version, 'data_api_version', v.data_api_version, 'screens', v.screens)
    from flows f
    left join flow_versions v
      on v.organization_id = f.organization_id and v.flow_id = f.id and v.number = f.provider_version
   where ${where} and f.doing is distinct from 'delete')`;

type Asked = { field: string; isDraft: boolean; screen?: string; asksEndpoint?: boolean };

const unavailable = (field: string, message: string) =>
  new AppError('flow_unavailable', message, { details: [{ field, location: 'body', code: 'flow_unavailable', message }] });

/** Throws 422 for a flow that the provider would not open. A throttled one has its own limit at the provider. */
export function assertSendable(
  flow: FlowToSend | null,
  accountId: string,
  { field, isDraft, screen, asksEndpoint }: Asked,
): void {
  if (!flow) throw unavailable(`${field}.flow_id`, 'No flow has this id');
  const [message, part] = refusalOf(flow, accountId, isDraft) ?? [];
  if (message) throw unavailable(`${field}.${part ?? 'flow_id'}`, message);
  if (asksEndpoint && flow.data_api_version === '')
    throw unavailable(`${field}.flow_action`, 'The flow has no endpoint that could give its first screen');
  if (screen !== undefined && flow.screens && !flow.screens.includes(screen))
    throw unavailable(`${field}.flow_action_payload.screen`, `The flow has no screen ${screen}`);
}

function refusalOf(flow: FlowToSend, accountId: string, isDraft: boolean): [message: string, part?: string] | undefined {
  const { status } = flow;
  if (flow.account_id !== accountId) return ['The flow does not belong to the account of the channel'];
  if (!flow.provider_flow_id || flow.version === null) return ['The provider does not have the flow yet: push it first'];
  if (isDraft && status !== 'draft') return [`The flow is ${status}: only a draft is sent as one`, 'mode'];
  if (!isDraft && status === 'draft') return ['The flow is a draft: publish it, or send it with the mode draft'];
  return status === 'blocked' || status === 'deprecated' ? [`The flow cannot be sent: it is ${status}`] : undefined;
}

/** What `flow_sends` keeps of a message. */
export type FlowSend = { flowId: string | null; version: number | null; clientToken: string | null };

/**
 * SQL: the part that inserts a message, as `message` and its place, and what it opens beside it: one statement, and no more for other
 * messages.
 */
export const withFlowSend =
  (part: PartText, place = ''): PartText =>
  (organization, ...places) => {
    const [flowId, version, clientToken] = places.slice(-3);
    return `${part(organization, ...places.slice(0, -3))},
  opened${place} as (
    insert into flow_sends (organization_id, message_id, flow_id, version, client_token)
    select ${organization}, m.id, v.flow_id, v.number, ${clientToken}
      from message${place} m
      left join flow_versions v
        on v.organization_id = ${organization} and v.flow_id = ${flowId} and v.number = ${version})`;
  };

export const flowSendParams = ({ flowId, version, clientToken }: FlowSend) => [flowId, version, clientToken];

/** Of an interactive message. */
export function parametersIn(content: Json): Json {
  return object(object(content.action).parameters);
}

/** Of a template: the place of its button that opens a flow, among its buttons; -1: it has none. */
export const flowButtonOf = (buttons: Json[]): number => buttons.findIndex(({ type }) => textOf(type).toUpperCase() === 'FLOW');

/** The component of a message's template that fills this button. */
export const isOfButton = (component: Json, index: number) =>
  textOf(component.type).toLowerCase() === 'button' &&
  textOf(component.sub_type).toLowerCase() === 'flow' &&
  Number(component.index) === index;

/** What its parameter says. */
export const actionIn = (component: Json): Json => {
  const [parameter] = Array.isArray(component.parameters) ? component.parameters : [];
  return object(object(parameter).action);
};
