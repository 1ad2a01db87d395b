import { type Fields, invalid, missing, optionalText, requiredFields, requiredText } from './checks.ts';

const choices: Record<string, readonly string[]> = {
  flow_message_version: ['3'],
  mode: ['draft', 'published'],
  flow_action: ['navigate', 'data_exchange'],
};

export function checkFlow(action: Fields): void {
  if (action.name !== 'flow') throw invalid("action['name'] must be flow");
  const parameters = requiredFields(action, 'parameters', "action['parameters']");
  const param = (key: string) => `action['parameters']['${key}']`;
  requiredText(parameters, 'flow_message_version', param('flow_message_version'));
  requiredText(parameters, 'flow_cta', param('flow_cta'), 30);
  const id = optionalText(parameters, 'flow_id', param('flow_id'));
  const name = optionalText(parameters, 'flow_name', param('flow_name'));
  if (!id && !name) throw missing(`${param('flow_id')} or ${param('flow_name')}`);
  if (id && name) throw invalid('Give either flow_id or flow_name');
  for (const [key, values] of Object.entries(choices)) {
    const value = optionalText(parameters, key, param(key));
    if (value !== undefined && !values.includes(value)) throw invalid(`${param(key)} must be one of ${values.join(', ')}`);
  }
  if (parameters.flow_action_payload === undefined) return;
  const payload = requiredFields(parameters, 'flow_action_payload', param('flow_action_payload'));
  requiredText(payload, 'screen', param('screen'));
  if (payload.data === undefined) return;
  const data = requiredFields(payload, 'data', param('data'));
  if (Object.keys(data).length === 0) throw invalid(`${param('data')} must be a non-empty object`);
}
