import express from 'express';
import type pg from 'pg';

/** Reads the document, parses it once, as nobody can do without, and writes its text. */
export function flowDocumentRoutes(app: express.Express, pool: pg.Pool) {
  app.put('/v1/flows/:id/flow-json', express.raw({ type: () => true, limit: '11mb' }), async (req, res) => {
    const text = String(req.body);
    const { version } = JSON.parse(text);
    await pool.query('update flows set flow_json = $2, json_version = $3, version = version + 1 where id = $1', [
      req.params.id,
      text,
      version,
    ]);
    res.json({ id: req.params.id });
  });
}
