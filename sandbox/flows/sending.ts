import type { Account, Template } from '../accounts.ts';
import { GraphError } from '../graph/errors.ts';
import { asFields, type Fields, invalid } from '../messages/checks.ts';
import type { State } from '../state.ts';
import type { Flow, SentFlow } from './store.ts';

/** What a message opens: a flow of the account, or null for a template's that the sandbox does not have. */
export type Opened = Pick<SentFlow, 'flowId' | 'token'>;

const throttledAnHour = 10;
const hourMs = 3_600_000;

/** Undefined: the message opens no flow. Throws what the provider would answer. */
export function openedBy(state: State, account: Account, body: Fields, template: Template | undefined): Opened | undefined {
  if (template) return ofTemplate(state, account, body, template);
  const { type, action } = asFields(body.interactive) ?? {};
  if (body.type !== 'interactive' || type !== 'flow') return undefined;
  const parameters = asFields(asFields(action)?.parameters) ?? {};
  const flow = named(state, account, parameters);
  if (!flow) throw invalid(`Flow with id ${String(parameters.flow_id ?? parameters.flow_name)} does not exist in the account`);
  const wanted = parameters.mode === 'draft' ? 'DRAFT' : 'PUBLISHED';
  checkCanOpen(state, flow, wanted);
  const screen = asFields(parameters.flow_action_payload)?.screen;
  if (screen !== undefined && flow.document && !flow.document.screens.includes(String(screen)))
    throw invalid(`The Flow has no screen ${String(screen)}`);
  return { flowId: flow.id, token: textOrNull(parameters.flow_token) };
}

function ofTemplate(state: State, account: Account, body: Fields, template: Template): Opened | undefined {
  const buttons: Fields[] = template.components.flatMap(({ buttons: list = [] }) => list as Fields[]);
  const index = buttons.findIndex(({ type }) => String(type).toUpperCase() === 'FLOW');
  if (index < 0) return undefined;
  const flow = named(state, account, buttons[index]!);
  if (flow) checkCanOpen(state, flow, 'PUBLISHED');
  const sent = asFields(body.template)?.components;
  const button = (Array.isArray(sent) ? sent : [])
    .map((one) => asFields(one) ?? {})
    .find((one) => one.type === 'button' && Number(one.index) === index);
  const parameters = Array.isArray(button?.parameters) ? button.parameters : [];
  const action = asFields(asFields(parameters[0])?.action);
  return { flowId: flow?.id ?? null, token: textOrNull(action?.flow_token) };
}

const textOrNull = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

function named({ flows }: State, { waba_id }: Account, { flow_id, flow_name }: Fields): Flow | undefined {
  return flows.ofWaba(waba_id).find(({ id, name }) => (flow_id === undefined ? name === flow_name : id === String(flow_id)));
}

function checkCanOpen({ flows }: State, flow: Flow, wanted: 'DRAFT' | 'PUBLISHED'): void {
  if (flow.status === wanted) return;
  if (flow.status === 'BLOCKED') throw new GraphError(132068, { details: `Flow ${flow.id} is blocked` });
  if (flow.status !== 'THROTTLED') throw invalid(`The Flow ${flow.id} is ${flow.status}, and not ${wanted}`);
  const now = Date.now();
  const lastHour = (flows.sentWhileThrottled.get(flow.id) ?? []).filter((at) => at > now - hourMs);
  if (lastHour.length >= throttledAnHour)
    throw new GraphError(132069, { details: `Flow ${flow.id} is throttled: ${throttledAnHour} messages an hour` });
  flows.sentWhileThrottled.set(flow.id, [...lastHour, now]);
}
