import { ask } from '../start/local-http.ts';
import { createEndpoint } from './endpoint.ts';
import { inbound } from './inbound.ts';
import { callsFor, stepOfCall } from './provider.ts';
import { chapterOn, Missing, type Play, request, type Stage, shortId } from './stage.ts';
import { untilNothing } from './wait.ts';
import { webhooksOf } from './webhooks.ts';

type Rule = { name: string; status: string; version: number; trigger: { keywords: string[] }; steps: { id: string }[] };
type Run = { id: string; state: string; event_id: string | null; contact_id: string };
type Step = {
  step_id: string;
  type: string;
  state: string;
  ended_at: string;
  output: { message_id?: string; tag?: string; task_id?: string };
};
type WholeRun = Run & { steps: Step[] };

const runsPath = '/v1/automation/runs';

/** A keyword, from the contact who writes it to the steps of the run. */
export const playRule: Play = async (stage, onEndpoint) => {
  const chapter = chapterOn(stage);
  const { keyword } = stage.installation.rule;
  await chapter('Your app says where its webhooks go', async () => onEndpoint(await createEndpoint(stage)));
  await chapter('The rule that is there', () => theRule(stage));
  const { id: eventId } = await chapter('A contact writes the word', () => inbound(stage, `What is the ${keyword} of a seat?`));
  const run = await chapter('The rule answers, tags and makes a task', () => itsRun(stage, eventId));
  const sent = await chapter('Your app asks what the run did', () => itsSteps(stage, run));
  return { sent, received: 1, rest: { what: 'Run', outcome: run.state, note: `its steps at ${runsPath}/{id}` } };
};

async function theRule(stage: Stage) {
  const path = `/v1/automation/rules/${stage.installation.rule.id}`;
  const { status } = await request<Rule>(stage, path, 200, {}, ({ status, body }) => ({
    what: `${status} ${body.status}`,
    note: `"${body.name}", version ${body.version}: ${body.trigger.keywords.join(', ')} → ${body.steps.map(({ id }) => id).join(', ')}`,
  }));
  if (status !== 'live') throw new Missing(`A live rule: it is ${status}; POST ${path}/resume lets it go on`);
}

/** Until the run of the event has ended, its message is read and its task is told. */
async function itsRun(stage: Stage, eventId: string): Promise<WholeRun> {
  let run: Run | undefined;
  await untilNothing(async () => {
    run = (await runsOf(stage)).find(({ event_id }) => event_id === eventId);
    if (!run) return ['the run of the rule, of which a conversation has ten an hour at most'];
    return run.state === 'queued' || run.state === 'running' ? ['the end of the run'] : [];
  }, stage);
  const whole = await wholeRun(stage, run!.id);
  const { message_id: messageId, task_id: taskId } = outputs(whole);
  if (run!.state !== 'succeeded' || !messageId || !taskId) throw new Missing(`A run that succeeded: ${JSON.stringify(whole)}`);
  await webhooksOf(stage, taskId, ['task.created open']);
  await webhooksOf(stage, messageId, ['message.sent', 'message.status_update read']);
  stage.timeline.add(...(await callsFor(stage, messageId)).map(stepOfCall));
  return whole;
}

const outputs = ({ steps }: WholeRun): Step['output'] => Object.assign({}, ...steps.map(({ output }) => output));

async function itsSteps(stage: Stage, { id, contact_id }: WholeRun): Promise<string[]> {
  const run = await request<WholeRun>(stage, `${runsPath}/${id}`, 200, {}, ({ status, body }) => ({
    what: `${status} ${body.state}`,
    note: `run ${shortId(body.id)}: ${body.steps.map(({ step_id, state }) => `${step_id} ${state}`).join(', ')}`,
  }));
  const { message_id, tag, task_id } = outputs(run);
  await request<{ data: { tags: string[] } }>(stage, `/v1/contacts/${contact_id}`, 200, {}, ({ status, body: { data } }) => ({
    what: `${status}`,
    note: `tags: ${data.tags.join(', ')}`,
    isGood: data.tags.includes(tag!),
  }));
  await request<{ title: string }>(stage, `/v1/crm/tasks/${task_id}`, 200, {}, ({ status, body: { title } }) => ({
    what: `${status}`,
    note: `task: ${title}`,
  }));
  return [message_id!];
}

const runsOf = async (stage: Stage): Promise<Run[]> =>
  (await answered<{ items: Run[] }>(stage, `${runsPath}?rule_id=${stage.installation.rule.id}&limit=20`)).items;
const wholeRun = (stage: Stage, id: string) => answered<WholeRun>(stage, `${runsPath}/${id}`);

async function answered<Body>({ installation, signal }: Stage, path: string): Promise<Body> {
  const { base_url, api_key: key } = installation;
  const answer = await ask<Body>(`${base_url}${path}`, { key, signal });
  if (answer?.status !== 200) throw new Missing(`200 to GET ${path}: the answer was ${answer?.status}`);
  return answer.body;
}
