import type { RouteRequest } from '@neuralis/package-system/pdk-guest';

export const pattern = 'parts/search';
export const feature = 'stock.use';

export async function GET(req: RouteRequest) {
  const url = new URL(`https://stock.example/?${new URLSearchParams(req.query)}`);
  return { status: 200, body: { q: url.searchParams.get('q') } };
}
