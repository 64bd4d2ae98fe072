import type { PdkContext, RouteRequest } from '@neuralis/package-system/pdk-guest';

export const pattern = 'parts/:id';
export const feature = 'stock.use';

export async function GET(req: RouteRequest, ctx: PdkContext) {
  const part = await ctx.state.parts.get(req.params.id);
  if (!part) return { status: 404, body: { error: `no part ${req.params.id}` } };
  return { status: 200, headers: { 'x-changes': String(part.changes) }, body: part };
}

export async function PUT(req: RouteRequest) {
  return { status: 201, body: { id: req.params.id, bytes: new TextEncoder().encode(req.rawBody ?? '').length } };
}
