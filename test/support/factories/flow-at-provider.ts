import { randomInt } from 'node:crypto';
import { labelsOf, screensOf } from '../../../src/flows/document/labels.ts';
import type { FlowStatus } from '../../../src/flows/flow.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

export type FlowMade = { id: string; providerFlowId: string; name: string };

type Given = { accountId: string; status?: FlowStatus; providerFlowId?: string | null; name?: string; document?: object };

/** Two screens: a day among options, then a name. */
export const bookingDocument = {
  version: '7.2',
  screens: [
    screen('DAY', [
      {
        type: 'RadioButtonsGroup',
        name: 'day',
        label: 'Which day suits you?',
        required: true,
        'data-source': [
          { id: 'mon', title: 'Monday' },
          { id: 'tue', title: 'Tuesday' },
        ],
      },
      footer({ name: 'navigate', next: { type: 'screen', name: 'WHO' }, payload: { day: `\${form.day}` } }),
    ]),
    {
      ...screen('WHO', [
        { type: 'TextInput', name: 'name', label: 'Your name', required: true },
        footer({ name: 'complete', payload: { day: `\${data.day}`, name: `\${form.name}` } }),
      ]),
      terminal: true,
      data: { day: { type: 'string', __example__: 'mon' } },
    },
  ],
};

function screen(id: string, children: object[]) {
  return { id, title: id, layout: { type: 'SingleColumnLayout', children: [{ type: 'Form', name: 'form', children }] } };
}

function footer(action: object) {
  return { type: 'Footer', label: 'Go on', 'on-click-action': action };
}

/** A flow as it stands after its push: the provider has its first version. */
export async function flowAtProvider(em: Em, organizationId: string, channelId: string, given: Given): Promise<FlowMade> {
  const id = uuidv7();
  const { accountId, status = 'published', document = bookingDocument, name = `Flow ${id}` } = given;
  const providerFlowId = given.providerFlowId === undefined ? String(randomInt(1e12, 1e13)) : given.providerFlowId;
  const text = JSON.stringify(document);
  await query(
    em,
    `insert into flows (id, organization_id, channel_id, account_id, provider_flow_id, name, category, categories, status, builder_json,
       flow_json, json_version, local_sha256, pushed_sha256, pushed_name, pushed_categories, base_sha256, provider_version)
     values ($1, $2, $3, $4, $5, $6, 'other', '{other}', $7, '{"mode": "json"}', $8, '7.2', 'x', 'x', $6, '{other}', 'x', 1)`,
    [id, organizationId, channelId, accountId, providerFlowId, name, status, text],
  );
  await query(
    em,
    `insert into flow_versions (id, organization_id, flow_id, number, builder_version, flow_json, json_version, data_api_version, sha256,
       labels, screens, why)
     values ($1, $2, $3, 1, 1, $4, '7.2', '', 'x', $5, $6, 'create')`,
    [uuidv7(), organizationId, id, text, JSON.stringify(labelsOf(document)), screensOf(document)],
  );
  return { id, providerFlowId: providerFlowId ?? '', name };
}
