import { blockContactJob } from '../../src/contacts/blocking/jobs.ts';
import { handle } from '../handler.ts';
import { changeBlock } from './change-block.ts';

export const blockContact = handle(blockContactJob, (change, context) => changeBlock(context, change, 'block'));
