// Operations of an OpenAPI document: a list to search, one to read, and examples. The console and /docs share it.
import { html, useState, useEffect, useRef, useMemo, classes } from "./base.js";
import { Icon, Search, Tag, Tabs, Code, Copy } from "./parts.js";

/** The functions and /rest/v1, and /auth/v1 where it is served, as one document. */
export async function loadAPI() {
  const read = async (path) => { const answer = await fetch(path); if (!answer.ok) throw new Error(`${path} answers ${answer.status}.`); return answer.json(); };
  const [api, auth] = await Promise.all([read("/openapi.json"), read("/docs/auth.json").catch(() => null)]);
  if (!auth) return api;
  return { ...api, tags: [...(api.tags || []), ...(auth.tags || [])], paths: { ...api.paths, ...auth.paths } };
}

const methods = ["get", "post", "put", "patch", "delete"];

export function operationsOf(api) {
  const all = [];
  for (const [path, item] of Object.entries(api.paths || {})) for (const method of methods) {
    const operation = item[method];
    if (operation) all.push({ method, path, operation, group: operation.tags?.[0] || path.split("/")[1] || "other", id: operation.operationId || `${method} ${path}`, parameters: [...(item.parameters || []), ...(operation.parameters || [])].map((each) => resolve(api, each)) });
  }
  return all;
}

export function resolve(api, value, depth = 0) {
  if (!value?.$ref || depth > 8) return value;
  return resolve(api, value.$ref.slice(2).split("/").reduce((part, name) => part?.[decodeURIComponent(name.replaceAll("~1", "/").replaceAll("~0", "~"))], api), depth + 1);
}

/** A value of the schema's shape, from its examples, defaults and words. */
export function sample(api, schema, depth = 0, wanted = "request") {
  schema = resolve(api, schema);
  if (!schema || depth > 4) return null;
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const part = schema.allOf || schema.oneOf || schema.anyOf;
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => sample(api, each, depth + 1, wanted)));
  if (part) return sample(api, part.find((each) => resolve(api, each)?.type !== "null") || part[0], depth + 1, wanted);
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  switch (type) {
    case "object": {
      const required = new Set(schema.required || []);
      const entries = Object.entries(schema.properties || {}).filter(([name, each]) => wanted === "response" || (!resolve(api, each)?.readOnly && (required.has(name) || required.size === 0)));
      return Object.fromEntries(entries.slice(0, 12).map(([name, each]) => [name, sample(api, each, depth + 1, wanted)]));
    }
    case "array": return [sample(api, schema.items, depth + 1, wanted)];
    case "integer": return schema.minimum ?? 1;
    case "number": return schema.minimum ?? 1.5;
    case "boolean": return true;
    case "string": return { "date-time": "2026-01-31T09:30:00Z", date: "2026-01-31", uuid: "00000000-0000-4000-8000-000000000001", email: "ada@acme.example", uri: "https://example.com", byte: "" }[schema.format] ?? "text";
    default: return null;
  }
}

export const groupText = (api, group) => api?.tags?.find((each) => each.name === group)?.description || "";

export const summaryOf = ({ operation, id }) => operation.summary || operation.description?.split("\n")[0] || id;

/** Groups with a search. `href` makes the address of an operation. */
export function OperationList({ operations, value, href, title, byName }) {
  const [search, setSearch] = useState("");
  const groups = useMemo(() => {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = new Map();
    for (const each of operations) {
      const text = `${each.method} ${each.path} ${each.id} ${summaryOf(each)} ${each.operation.description || ""} ${each.group}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) continue;
      if (!groups.has(each.group)) groups.set(each.group, []);
      groups.get(each.group).push(each);
    }
    return [...groups];
  }, [operations, search]);
  const [opened, setOpened] = useState({});
  const current = operations.find((each) => each.id === value)?.group;
  const box = useRef();
  useEffect(() => box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [value, operations]);
  return html`<aside class="aside operations" aria-label=${title} ref=${box}>
    <${Search} value=${search} onInput=${setSearch} label="Search operations" />
    ${groups.map(([group, list]) => { const open = search.length > 0 || opened[group] || group === current || groups.length === 1; return html`<section key=${group}>
      <button type="button" class="group" aria-expanded=${!!open} onClick=${() => setOpened({ ...opened, [group]: !open })}><${Icon} name=${open ? "down" : "right"} size=${14} /><span>${group}</span><span class="faint">${list.length}</span></button>
      ${open && html`<div class="aside-list">${list.map((each) => html`<a key=${each.id} class=${classes("item operation", each.id === value && "on")} aria-current=${each.id === value ? "page" : undefined} href=${href(each)} title=${summaryOf(each)}>
        ${byName ? html`<span class="summary">${summaryOf(each)}</span>` : html`<span class="path">${each.path}</span>`}<b class=${"method " + each.method}>${each.method === "delete" ? "DEL" : each.method.toUpperCase()}</b></a>`)}</div>`}</section>`; })}
    ${!groups.length && html`<p class="dim none">No operation matches.</p>`}</aside>`;
}

/** What to read of an operation. */
export function Operation({ api, each, children }) {
  const { operation, method, path, parameters } = each;
  const body = resolve(api, operation.requestBody)?.content?.["application/json"]?.schema;
  const needsToken = (operation.security ?? api.security ?? []).some((each) => Object.keys(each).length);
  return html`<article class="operation-page">
    <header class="operation-head"><p class="signature"><b class=${"method " + method}>${method.toUpperCase()}</b><code>${path}</code></p><h1>${summaryOf(each)}</h1>
      ${operation.description && operation.description !== operation.summary && html`<p class="prose">${words(operation.description)}</p>`}
      <p class="row">${needsToken ? html`<${Tag}><${Icon} name="lock" size=${14} />with a token<//>` : html`<${Tag} kind="good">open to everyone<//>`}<${Link} id=${each.id} /></p></header>
    ${children}
    ${parameters.length > 0 && html`<section class="stack"><h2>Parameters</h2><div class="list-box"><table class="list"><tbody>${parameters.map((each) => html`<tr><td><code>${each.name}</code>${each.required && html` <${Tag} kind="warn">required<//>`}<div class="dim">${each.in}</div></td><td class="dim">${typeName(api, each.schema)}</td><td>${each.description || ""}</td></tr>`)}</tbody></table></div></section>`}
    ${body && html`<section class="stack"><h2>Body</h2><${Shape} api=${api} schema=${body} wanted="request" /></section>`}
    <section class="stack"><h2>Answers</h2>${Object.entries(operation.responses || {}).map(([status, response]) => { response = resolve(api, response); const schema = response?.content?.["application/json"]?.schema;
      return html`<details class="answer" open=${status < 300}><summary><${Tag} kind=${status < 300 ? "good" : status < 500 ? "warn" : "bad"}>${status}<//><span>${response?.description}</span></summary>${schema && html`<${Shape} api=${api} schema=${schema} wanted="response" />`}</details>`; })}</section>
  </article>`;
}

/** What stands between backticks is code. */
const words = (text) => text.split("`").map((part, index) => index % 2 ? html`<code>${part}</code>` : part);

/** The address of the operation in /docs, to hand on. */
function Link({ id }) {
  const address = `${location.origin}/docs#/${encodeURIComponent(id)}`;
  return html`<span class="operation-link"><a href=${address} class="dim">Link to this operation</a><${Copy} text=${address} /></span>`;
}

export function typeName(api, schema) {
  schema = resolve(api, schema);
  if (!schema) return "";
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  const part = schema.oneOf || schema.anyOf;
  if (part) return [...new Set(part.map((each) => typeName(api, each)))].join(" | ");
  const type = Array.isArray(schema.type) ? schema.type.join(" | ") : schema.type || "any";
  if (type.startsWith("array")) return `${typeName(api, schema.items)}[]`;
  return schema.format ? `${type} (${schema.format})` : type;
}

function Shape({ api, schema, wanted }) {
  const [tab, setTab] = useState("fields");
  schema = resolve(api, schema);
  const rows = schema?.type === "array" ? resolve(api, schema.items) : schema;
  const merged = rows?.allOf ? { properties: Object.assign({}, ...rows.allOf.map((each) => resolve(api, each)?.properties || {})), required: rows.allOf.flatMap((each) => resolve(api, each)?.required || []) } : rows;
  const fields = Object.entries(merged?.properties || {});
  const example = useMemo(() => JSON.stringify(sample(api, schema, 0, wanted), null, 2), [schema, wanted]);
  if (!fields.length) return html`<${Code} label="Example">${example}<//>`;
  return html`<div class="shape"><${Tabs} label="Form" value=${tab} onChange=${setTab} tabs=${[["fields", schema.type === "array" ? "Fields of each" : "Fields"], ["example", "Example"]]} />
    ${tab === "example" ? html`<${Code} label="Example">${example}<//>` : html`<div class="list-box"><table class="list"><tbody>${fields.map(([name, each]) => html`<tr><td><code>${name}</code>${merged.required?.includes(name) && wanted === "request" && html` <${Tag} kind="warn">required<//>`}</td><td class="dim">${typeName(api, each)}</td><td>${resolve(api, each)?.description || ""}</td></tr>`)}</tbody></table></div>`}</div>`;
}

// --- Examples to copy

/** `values` are parameters by name, `body` is JSON text. */
export function snippet(language, { base, each, values, body, token }) {
  const path = each.path.replace(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(values[name] ?? `{${name}}`));
  const query = each.parameters.filter((parameter) => parameter.in === "query" && values[parameter.name]).map((parameter) => `${encodeURIComponent(parameter.name)}=${encodeURIComponent(values[parameter.name])}`).join("&");
  const url = base + path + (query ? "?" + query : "");
  const method = each.method.toUpperCase();
  const hasBody = body && !["GET", "DELETE"].includes(method);
  if (language === "curl") return ["curl" + (method === "GET" ? "" : ` -X ${method}`), token && (token === "$TOKEN" ? `-H "Authorization: Bearer $TOKEN"` : `-H ${shell(`Authorization: Bearer ${token}`)}`), hasBody && "-H 'Content-Type: application/json'", hasBody && `-d ${shell(body)}`, shell(url)].filter(Boolean).join(" \\\n  ");
  if (language === "typescript") return [`const response = await fetch(${JSON.stringify(url)}, {`, `  method: ${JSON.stringify(method)},`, "  headers: {", token && `    Authorization: ${JSON.stringify(`Bearer ${token}`)},`, hasBody && `    "Content-Type": "application/json",`, "  },", hasBody && `  body: JSON.stringify(${body.split("\n").join("\n  ")}),`, "});", "if (!response.ok) throw new Error(await response.text());", "const value = await response.json();", "console.log(value);", "export {};"].filter(Boolean).join("\n");
  return ["import Foundation", "#if canImport(FoundationNetworking)", "import FoundationNetworking", "#endif", "", `var request = URLRequest(url: URL(string: ${swift(url)})!)`, `request.httpMethod = ${swift(method)}`, token && `request.setValue(${swift(`Bearer ${token}`)}, forHTTPHeaderField: "Authorization")`, hasBody && `request.setValue("application/json", forHTTPHeaderField: "Content-Type")`, hasBody && `request.httpBody = Data(#"""\n${body}\n"""#.utf8)`, "let (data, response) = try await URLSession.shared.data(for: request)", "print((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))"].filter((line) => line !== false && line !== undefined && line !== null).join("\n");
}

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const swift = (text) => JSON.stringify(text).replaceAll("\\/", "/");

export function Snippets({ base, each, values, body, token }) {
  const [language, setLanguage] = useState("curl");
  return html`<div class="stack snippets"><${Tabs} label="Language" value=${language} onChange=${setLanguage} tabs=${[["curl", "curl"], ["swift", "Swift"], ["typescript", "TypeScript"]]} /><${Code} label=${`Example in ${language}`}>${snippet(language, { base, each, values, body, token })}<//></div>`;
}
