import { actionIn, flowButtonOf, isOfButton, parametersIn } from '../../src/flows/sends.ts';
import { tokenOf } from '../../src/flows/token.ts';
import { opensFlow } from '../../src/messaging/opened-flow.ts';
import type { Own } from '../../src/platform/database/own.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import { type Json, object } from '../../src/providers/messaging-app/json.ts';
import { buttonsOf, list } from '../../src/templates/components.ts';
import type { Claim } from './claim-message.ts';

export const flowMissing: JobError = { code: 'flow_unavailable', message: 'The flow was deleted before the message went out' };

type Context = { own: Own; secrets: Secrets };

/**
 * The content with our token, and the provider's id of the flow. Undefined: the flow is gone. A message that opens none stays as it is, and
 * costs no look.
 */
export async function openingContent({ own, secrets }: Context, claim: Claim, content: Json): Promise<Json | undefined> {
  const mayOpen = claim.has_flow_button || opensFlow(claim.type, content);
  const opened = mayOpen ? await openedBy(own, claim) : undefined;
  if (!opened) return content;
  const token = tokenOf(secrets, own.organizationId, claim.message_id);
  const { provider_flow_id: flowId, template_components: components } = opened;
  if (claim.type === 'template') return withButton(content, flowButtonOf(buttonsOf(components ?? [])), token);
  if (!flowId) return undefined;
  const action = object(content.action);
  return { ...content, action: { ...action, parameters: { ...parametersIn(content), flow_id: flowId, flow_token: token } } };
}

type Opened = { provider_flow_id: string | null; template_components: unknown[] | null };

async function openedBy(own: Own, { message_id, channel_id, type, content }: Claim): Promise<Opened | undefined> {
  const template = type === 'template' ? content : {};
  // SQL: the flow of the message, and its template as it is by now. While the message waited for its turn the flow may have been pushed
  // again: the person reads this version, and the labels of the answer are its own.
  const [row] = await own.sql<Opened>(
    `with opened as (
       update flow_sends s
          set version = v.number
         from flows f
         join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id and v.number = f.provider_version
        where s.organization_id = $1
          and s.message_id = $2
          and f.organization_id = $1
          and f.id = s.flow_id
          and f.provider_version <> s.version)
     select f.provider_flow_id,
            (select t.components
               from templates t
              where t.organization_id = $1 and t.channel_id = $3 and t.name = $4 and t.language = $5) as template_components
       from flow_sends s
       left join flows f on f.organization_id = s.organization_id and f.id = s.flow_id
      where s.organization_id = $1
        and s.message_id = $2`,
    [message_id, channel_id, template.name ?? null, template.language ?? null],
  );
  return row;
}

/** The component of the button, which the client may have left out. */
function withButton(content: Json, index: number, token: string): Json {
  if (index < 0) return content;
  const all = list(content.components).map(object);
  const given = all.find((component) => isOfButton(component, index));
  const action = { ...(given && actionIn(given)), flow_token: token };
  const filled = {
    ...(given ?? { type: 'button', sub_type: 'flow', index: String(index) }),
    parameters: [{ type: 'action', action }],
  };
  return { ...content, components: given ? all.map((one) => (one === given ? filled : one)) : [...all, filled] };
}
