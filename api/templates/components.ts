import Joi from 'joi';
import { upToBytes } from '../../src/messaging/content/limits.ts';
import { variantsBy } from '../../src/platform/schemas/variants.ts';
import { button } from './buttons.ts';

const words = (max: number) => Joi.string().min(1).max(max);
const named = Joi.array()
  .items(Joi.object({ param_name: words(100).required(), example: words(1_024).required() }))
  .max(50);
const file = Joi.array()
  .items(words(4_096))
  .min(1)
  .max(1)
  .description("The handle of a sample, from the provider's resumable upload");

const headerComponent = Joi.object({
  format: Joi.string().valid('TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT').required(),
  text: words(60).description('Of format TEXT; may have one parameter'),
  example: Joi.object({
    header_text: Joi.array().items(words(60)).max(1),
    header_text_named_params: named,
    header_handle: file,
  }),
});

const bodyComponent = Joi.object({
  text: words(1_024).description('Left out in authentication templates, whose words the provider writes'),
  example: Joi.object({
    body_text: Joi.array()
      .items(Joi.array().items(words(1_024)).max(50))
      .max(1),
    body_text_named_params: named,
  }),
  add_security_recommendation: Joi.boolean().strict(),
});

const footerComponent = Joi.object({
  text: words(60),
  code_expiration_minutes: Joi.number().strict().integer().min(1).max(90).description('For authentication templates'),
}).xor('text', 'code_expiration_minutes');

const buttonsComponent = (max: number) => Joi.object({ buttons: Joi.array().items(button).min(1).max(max).required() });

const cardHeader = Joi.object({
  format: Joi.string().valid('IMAGE', 'VIDEO', 'PRODUCT').required(),
  example: Joi.object({ header_handle: file.required() }),
});

const cardComponent = variantsBy('type', {
  HEADER: { name: 'card_header', schema: cardHeader },
  BODY: {
    name: 'card_body',
    schema: bodyComponent.keys({ text: words(160).required(), add_security_recommendation: Joi.forbidden() }),
  },
  BUTTONS: { name: 'card_buttons', schema: buttonsComponent(2) },
});

const component = variantsBy('type', {
  HEADER: { name: 'template_header', schema: headerComponent },
  BODY: { name: 'template_body', schema: bodyComponent },
  FOOTER: { name: 'template_footer', schema: footerComponent },
  BUTTONS: { name: 'template_buttons', schema: buttonsComponent(10) },
  CAROUSEL: {
    name: 'template_carousel',
    schema: Joi.object({
      cards: Joi.array()
        .items(Joi.object({ components: Joi.array().items(cardComponent).min(2).max(3).required() }))
        .min(2)
        .max(10)
        .required(),
    }),
  },
  LIMITED_TIME_OFFER: {
    name: 'template_offer',
    schema: Joi.object({
      limited_time_offer: Joi.object({ text: words(16).required(), has_expiration: Joi.boolean().strict() }).required(),
    }),
  },
  CALL_PERMISSION_REQUEST: { name: 'template_call_permission', schema: Joi.object({}) },
});

const maxComponentsBytes = 131_072;

export const templateComponents = upToBytes(Joi.array().items(component).min(1).max(7), maxComponentsBytes).description(
  "Header, body, footer and buttons in the provider's form. Parameters are {{1}}, {{2}} or names, and each needs an example",
);
