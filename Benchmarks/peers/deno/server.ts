// The pattern of the original edge-function server: Deno.serve, a router by first path segment, CORS on every answer,
// a token check by WebCrypto, a tenant-scoped query through node-postgres, and one pass over the JSON text for dates.
import { createRequire } from "node:module";

const setting = (name: string): string => {
  const value = Deno.env.get(name);
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

const pg = createRequire(`${setting("NODE_MODULES")}/../server.js`)("./node_modules/pg");
const timestamp = 1114, timestampWithZone = 1184, bigint = 20;
pg.types.setTypeParser(timestamp, (text: string) => text.replace(" ", "T"));
pg.types.setTypeParser(timestampWithZone, (text: string) => text.replace(" ", "T"));
pg.types.setTypeParser(bigint, Number);

const pool = new pg.Pool({
  connectionString: setting("DATABASE_URL"),
  max: Number(setting("DATABASE_CONNECTIONS")),
});

// A statement with its parameter names: prepared once per connection, called with a record of values.
const statement = (name: string) => {
  const text = setting(`SQL_${name}`);
  const names = setting(`PARAMETERS_${name}`).split(",");
  return (given: Record<string, unknown>) =>
    pool.query({ name, text, values: names.map((parameter) => given[parameter] ?? null) });
};
const [point, page, count, insert] = ["POINT", "PAGE", "COUNT", "INSERT"].map(statement);

const corsHeaders = {
  "Access-Control-Allow-Origin": setting("ALLOWED_ORIGIN"),
  "Vary": "Origin",
  "Access-Control-Allow-Headers": "authorization, x-client-info, apikey, content-type, x-tenant-id, x-request-id",
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Credentials": "true",
  "Access-Control-Max-Age": "86400",
  "Access-Control-Expose-Headers": "x-request-id, content-range, retry-after",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

const health = JSON.parse(setting("HEALTH"));

const stampToken = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?"(?!\s*:)/g;
const normaliseDates = (json: string) =>
  json.replace(stampToken, (token, seconds, zone) => {
    if (zone === undefined || zone === "Z" || zone.endsWith("00:00")) return `"${seconds}Z"`;
    const date = new Date(token.slice(1, -1));
    return Number.isNaN(date.getTime()) ? token : `"${date.toISOString().slice(0, 19)}Z"`;
  });

const respond = (request: Request, status: number, body: unknown) =>
  new Response(normaliseDates(JSON.stringify(body)), {
    status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      ...corsHeaders,
      "X-Request-ID": request.headers.get("x-request-id") ?? crypto.randomUUID(),
    },
  });

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const key = await crypto.subtle.importKey(
  "raw", encoder.encode(setting("JWT_SECRET")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"],
);

const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

// The claims of a valid HS256 bearer token, or null.
const verify = async (request: Request) => {
  const [scheme, token] = (request.headers.get("authorization") ?? "").split(" ");
  const parts = token?.split(".");
  if (scheme?.toLowerCase() !== "bearer" || parts?.length !== 3) return null;
  try {
    if (JSON.parse(decoder.decode(bytesOf(parts[0]))).alg !== "HS256") return null;
    const signed = encoder.encode(`${parts[0]}.${parts[1]}`);
    if (!await crypto.subtle.verify("HMAC", key, bytesOf(parts[2]), signed)) return null;
    const claims = JSON.parse(decoder.decode(bytesOf(parts[1])));
    return claims.exp > Date.now() / 1000 ? claims : null;
  } catch {
    return null;
  }
};

const tasks = async (request: Request, id: string | undefined, query: URLSearchParams) => {
  const claims = await verify(request);
  if (!claims) return respond(request, 401, { error: "Unauthorized", message: "Unauthorized" });
  const tenant = claims.app_metadata?.tenant_id ?? claims.app_metadata?.tenantId;
  if (!tenant) return respond(request, 400, { error: "No tenant ID found", message: "No tenant ID found" });

  if (request.method === "GET" && id) {
    const { rows } = await point({ tenant, id });
    return rows.length ? respond(request, 200, rows[0]) : respond(request, 404, { error: "Not found" });
  }
  if (request.method === "GET") {
    const limit = Math.min(Number(query.get("limit")) || 25, 500);
    const number = Number(query.get("page")) || 1;
    const offset = (number - 1) * limit;
    const [data, total] = await Promise.all([page({ tenant, limit, offset }), count({ tenant })]);
    const all = total.rows[0].count;
    return respond(request, 200, {
      data: data.rows, total: all, page: number, limit, has_more: offset + data.rows.length < all,
    });
  }
  if (request.method === "POST" && !id) {
    const body = await request.json();
    if (!body.title) return respond(request, 400, { error: "title is required" });
    const { rows } = await insert({ status: "todo", priority: "medium", ...body, tenant, user: claims.sub });
    return respond(request, 201, rows[0]);
  }
  return respond(request, 405, { error: "Method not allowed" });
};

const functions: Record<string, typeof tasks> = { tasks };
const optionalPrefixes = new Set(["api", "v1", "functions"]);

Deno.serve(
  { hostname: "127.0.0.1", port: Number(setting("PORT")), reusePort: true, onListen: () => {} },
  async (request) => {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: corsHeaders });
    const url = new URL(request.url);
    const segments = url.pathname.split("/").filter(Boolean);
    while (optionalPrefixes.has(segments[0])) segments.shift();
    const [name, id] = segments;
    if (name === undefined || name === "health") {
      return respond(request, 200, { ...health, timestamp: new Date().toISOString() });
    }
    const handler = functions[name];
    if (!handler) return respond(request, 404, { error: "Function not found", available: Object.keys(functions) });
    try {
      return await handler(request, id, url.searchParams);
    } catch (error) {
      console.error(error);
      return respond(request, 500, { error: "Internal server error" });
    }
  },
);
