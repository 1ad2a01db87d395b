import Joi from 'joi';
import { sentComponents } from '../../src/messaging/content/text.ts';
import { assertParameters } from '../../src/templates/parameters.ts';
import { previewOf } from '../../src/templates/preview.ts';
import { readTemplate } from '../../src/templates/queries.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { view } from '../http/view.ts';
import { tag } from './schemas.ts';

const text = Joi.string().allow('').required();

const shown = {
  header: Joi.object({ format: Joi.string().required().description('text, image, video, document, location'), text })
    .allow(null)
    .required(),
  body: text,
  footer: text,
  buttons: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().required(),
        text,
        value: text.description('What pressing it does: the address, the number, the code, or what comes back'),
      }),
    )
    .required(),
};

const previewView = view(Joi.object({ ...shown, cards: Joi.array().items(Joi.object(shown)).required() }), {
  header: null,
  body: 'Hi Ada, your order A-1001 is on its way.',
  footer: 'Kanal',
  buttons: [],
  cards: [],
});

export const previewTemplate = endpoint({
  method: 'post',
  path: '/v1/templates/:templateID/preview',
  operationId: 'templates.preview',
  tag,
  scope: 'channels:read',
  summary: 'Show a message template with its parameters filled in',
  description: 'The parameters are given, and checked, as in a message.',
  subject: 'Template',
  body: Joi.object<{ components?: unknown[] }>({ components: sentComponents }),
  responses: { 200: previewView },
  example: {
    body: {
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ada' },
            { type: 'text', text: 'A-1001' },
          ],
        },
      ],
    },
  },
  async handler({ params, body, own }) {
    const template = await readTemplate(own, params.templateID);
    assertParameters(template, body.components, ['components']);
    return ok(previewOf(template, body.components));
  },
});
