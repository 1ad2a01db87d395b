import { type Request, type Response, Router } from 'express';
import type { State } from '../state.ts';
import { act } from './acts.ts';
import type { PaySession } from './store.ts';

/** The page that a customer is sent to. Its buttons are the three things that can happen there. */
export function payPage(state: State): Router {
  const router = Router();
  router.get('/:id', (req, res) => {
    const session = state.payments.find(String(req.params.id));
    if (!session) return void shown(res, 404, 'Unknown', '<p>There is no such page.</p>');
    shown(res, 200, `Pay ${amountOf(session)}`, session.status === 'open' ? choices(session) : ended(session));
  });
  router.post('/:id/:choice', (req: Request, res) => {
    const session = state.payments.find(String(req.params.id));
    const { choice } = req.params;
    if (!session || !['pay', 'fail', 'later'].includes(String(choice)))
      return void shown(res, 404, 'Unknown', '<p>There is no such page.</p>');
    if (choice === 'pay' && act(state, session, 'pay', req))
      return void res.redirect(303, session.successUrl || `/pay/${session.id}`);
    if (choice === 'fail') act(state, session, 'fail', req);
    if (choice === 'later') return void res.redirect(303, session.cancelUrl || `/pay/${session.id}`);
    res.redirect(303, `/pay/${session.id}`);
  });
  return router;
}

const amountOf = ({ amount, currency }: PaySession) => `${amount} ${currency.toUpperCase()}`;

const button = (action: string, text: string) => `<form method="post" action="${action}"><button>${text}</button></form>`;

const choices = (session: PaySession) => `
  <p>${session.hasFailed ? 'The last try was declined. ' : ''}This is a sandbox: no money moves.</p>
  ${button(`/pay/${session.id}/pay`, `Pay ${escaped(amountOf(session))}`)}
  ${button(`/pay/${session.id}/fail`, 'Have it declined')}
  ${button(`/pay/${session.id}/later`, 'Pay later')}`;

const ended = ({ status }: PaySession) => `<p>This page is ${escaped(status)}.</p>`;

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign]!);

function shown(res: Response, status: number, title: string, body: string): void {
  res
    .status(status)
    .type('html')
    .send(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>body{font:1.1rem system-ui;max-width:24rem;margin:4rem auto;padding:0 1rem}button{font:inherit;width:100%;padding:.7rem;margin:.3rem 0}</style>
<h1>${escaped(title)}</h1>${body}</html>
`);
}
