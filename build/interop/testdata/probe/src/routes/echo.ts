import type { RouteRequest } from '@neuralis/package-system/pdk-guest';

export const pattern = 'echo/*rest';
export const feature = 'probe.use';

export function POST(req: RouteRequest) {
  return { status: 200, headers: { 'x-method': req.method }, body: { rest: req.params.rest, query: req.query, body: req.rawBody } };
}

export function GET() {
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array([0, 255, 128]) };
}
