import { expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { asked, templateIs } from '../support/templates.ts';
import { describeExamples, type Json } from './fixtures.ts';
import { ownEndpoints } from './own-examples.ts';

const app = useApp({ workers: true });

describeExamples<Json[]>('new templates', 'other-endpoints.json', ownEndpoints, (all) => {
  const requests = all
    .filter(({ endpoint }) => endpoint === '/{Version}/{WABA-ID}/message_templates/post/requestBody')
    .map(({ name, body }): [string, Json] => [name, body]);

  test('there are some', () => expect(requests.length).toBeGreaterThan(0));

  test.each(requests)('%s: through the whole product it arrives as it stands', async (_name, example) => {
    const channel = await app.connect({ account: { templates: [] } });
    const { name, language, category, components } = example;
    const wire = {
      name: name === '<TEMPLATE_NAME>' ? 'template_name' : name,
      language,
      components: components.map((component: Json) => ({ ...component, type: component.type.toUpperCase() })),
    };
    const { status, body } = await app.call('templates.create', {
      body: { channel_id: channel.id, ...wire, category: category.toLowerCase() },
    });
    expect([status, body.error]).toEqual([201, undefined]);
    await templateIs(app, body.id, { status: 'approved', doing: null });
    expect(await asked(app, channel)).toEqual([['POST', { ...wire, category, parameter_format: 'POSITIONAL' }, 200]]);
  });
});
