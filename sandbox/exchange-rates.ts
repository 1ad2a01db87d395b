import type { Request, Response } from 'express';

/** What one euro is worth, a day like another. */
const rates = { USD: '1.0842', GBP: '0.8571', JPY: '163.25', CHF: '0.9402', BRL: '6.1134', INR: '91.72', IDR: '17245.5' };

const dayMs = 86_400_000;

/** The feed of daily rates, in the form of the European Central Bank: those of yesterday, which count already. */
export function showRates(_req: Request, res: Response): void {
  const day = new Date(Date.now() - dayMs).toISOString().slice(0, 10);
  const cubes = Object.entries(rates).map(([currency, rate]) => `<Cube currency='${currency}' rate='${rate}'/>`);
  res.type('application/xml').send(`<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <Cube>
    <Cube time='${day}'>
      ${cubes.join('\n      ')}
    </Cube>
  </Cube>
</gesmes:Envelope>
`);
}
