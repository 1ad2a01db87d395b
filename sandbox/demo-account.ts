import type { Account } from './accounts.ts';
import { demoFlow } from './demo-flow.ts';

/** The account a fresh sandbox has; its ids never change, so that scripts can name them. */
export const demoAccount: Account = {
  waba_id: '200000000000001',
  phone_number_id: '100000000000001',
  display_phone_number: '+1 555-010-0001',
  verified_name: 'Kanal Demo',
  access_token: 'sandbox-access-token',
  flows: [demoFlow],
  templates: [
    {
      id: '300000000000001',
      name: 'hello_kanal',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your Kanal is up and running.' }],
    },
    {
      id: '300000000000002',
      name: 'spring_sale',
      language: 'en_US',
      status: 'APPROVED',
      category: 'MARKETING',
      parameter_format: 'POSITIONAL',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Spring is here' },
        { type: 'BODY', text: 'Hi {{1}}, everything in the shop is {{2}} off until Sunday.' },
        { type: 'FOOTER', text: 'Reply STOP to hear no more of this' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Stop' }] },
      ],
    },
    {
      id: '300000000000003',
      name: 'winter_sale',
      language: 'en_US',
      status: 'PAUSED',
      category: 'MARKETING',
      parameter_format: 'POSITIONAL',
      components: [{ type: 'BODY', text: 'The last coats of the winter are waiting.' }],
    },
    {
      id: '300000000000004',
      name: 'hello_world',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
        { type: 'BODY', text: 'This is the message with which a new account tries whether it can send.' },
      ],
    },
  ],
};
