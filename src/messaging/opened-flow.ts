import {
  actionIn,
  assertSendable,
  type FlowSend,
  type FlowToSend,
  flowButtonOf,
  flowToSend,
  isOfButton,
  parametersIn,
} from '../flows/sends.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import { object, textOf } from '../providers/messaging-app/json.ts';
import { buttonsOf, list } from '../templates/components.ts';

type Content = Record<string, unknown>;
type Seen = { flow: FlowToSend | null; account_id: string; template_components: unknown[] | null };

const longestToken = 1_000;

/** SQL: the flow that an interactive message names. */
export const flowNamed = ({ organization, flowId }: { organization: string; flowId: string }) =>
  flowToSend(`f.organization_id = ${organization} and f.id = ${flowId}::uuid`);

/** SQL: the one that the button of template `t` opens. */
export const flowOfTemplate = ({ organization }: { organization: string }) =>
  flowToSend(`
    f.organization_id = ${organization}
    and f.provider_flow_id =
        jsonb_path_query_first(t.components, '$[*].buttons[*] ? (@.type like_regex "^flow$" flag "i").flow_id') #>> '{}'`);

/** The id that an interactive message names; null: it opens no flow, or one that is named. */
export const flowIdIn = (type: string, content: Content): string | null =>
  (opensFlow(type, content) && textOf(parametersIn(content).flow_id)) || null;

/** SQL: of the account of the channel, whose flows have distinct names. */
const flowByName = `
  select f.id
    from flows f
    join channels c on c.organization_id = f.organization_id and c.account_id = f.account_id
   where f.organization_id = $1 and c.id = $2 and lower(f.name) = lower($3) and f.doing is distinct from 'delete'`;

/** The content with the id of a flow that it names. Throws 422 for a name that no flow of the channel's account has. */
export async function withFlowId(own: Own, channelId: string, type: string, content: Content): Promise<Content> {
  const { flow_name: name, ...parameters } = opensFlow(type, content) ? parametersIn(content) : {};
  if (typeof name !== 'string') return content;
  const [flow] = await own.sql<{ id: string }>(flowByName, [channelId, name]);
  if (flow) return { ...content, action: { ...object(content.action), parameters: { ...parameters, flow_id: flow.id } } };
  const message = 'The account of the channel has no flow of this name';
  const field = 'interactive.action.parameters.flow_name';
  throw new AppError('flow_unavailable', message, {
    details: [{ field, location: 'body', code: 'flow_unavailable', message }],
  });
}

export const opensFlow = (type: string, content: Content) => type === 'interactive' && content.type === 'flow';

/** Throws 422 for a flow that cannot be opened. One in a template that Kanal does not know is the provider's matter, who approved it. */
export function assertOpens(type: string, content: Content, { flow, account_id }: Seen): void {
  if (opensFlow(type, content)) {
    const { mode, flow_action, flow_action_payload: payload } = parametersIn(content);
    const screen = textOf(object(payload).screen) || undefined;
    const asked = { isDraft: mode === 'draft', asksEndpoint: flow_action === 'data_exchange', screen };
    assertSendable(flow, account_id, { field: 'interactive.action.parameters', ...asked });
  } else if (type === 'template' && flow) {
    assertSendable(flow, account_id, { field: 'template', isDraft: false });
  }
}

/** What is kept of the message beside it; undefined: it opens no flow. */
export function flowSendOf(type: string, content: Content, { flow, template_components }: Seen): FlowSend | undefined {
  const known = { flowId: flow?.id ?? null, version: flow?.version ?? null };
  if (opensFlow(type, content)) return { ...known, clientToken: textOf(parametersIn(content).flow_token) || null };
  const index = type === 'template' && template_components ? flowButtonOf(buttonsOf(template_components)) : -1;
  if (index < 0) return undefined;
  const component = list(content.components)
    .map(object)
    .find((one) => isOfButton(one, index));
  const clientToken = textOf(component && actionIn(component).flow_token) || null;
  if (clientToken && clientToken.length > longestToken)
    throw invalidField('template.components', `A flow_token has at most ${longestToken} characters`);
  return { ...known, clientToken };
}
