// /docs: what clients can ask for, for people. It reads /openapi.json and nothing else.
import { html, render, useState, useEffect, useMemo, useRoute, link, classes, number, many } from "./base.js";
import { Fault, Spinner, Mark, Messages } from "./parts.js";
import { loadAPI, groupText, operationsOf, OperationList, Operation, Snippets, sample, resolve, summaryOf } from "./operations.js";

function Docs() {
  const route = useRoute();
  const [api, setAPI] = useState();
  const [error, setError] = useState();
  useEffect(() => { loadAPI().then(setAPI, setError); }, []);
  const operations = useMemo(() => api ? operationsOf(api) : [], [api]);
  const each = operations.find((each) => each.id === route.parts[0]);
  useEffect(() => { document.title = each ? `${summaryOf(each)} · API` : api?.info?.title || "API"; document.querySelector("main")?.scrollTo(0, 0); }, [each?.id, api]);
  return html`<div class=${classes("docs", each && "open")}>
    <header class="docs-head"><a class="brand" href="#/"><${Mark} /><span>${api?.info?.title || "API"}</span></a><span class="dim">${api?.info?.version || ""}</span><span class="grow"></span><a href="/openapi.json">OpenAPI</a></header>
    <div class="split wide-aside">
      ${api ? html`<${OperationList} title="Operations" operations=${operations} value=${route.parts[0]} href=${(each) => link([each.id])} byName />` : html`<aside class="aside">${!error && html`<${Spinner} />`}</aside>`}
      <main class="pane plain" tabindex="-1"><${Fault} error=${error} />
        ${each ? html`<p class="only-small"><a href="#/">All operations</a></p><${Read} key=${each.id} api=${api} each=${each} />` : api && html`<${Start} api=${api} operations=${operations} />`}</main></div><${Messages} /></div>`;
}

function Read({ api, each }) {
  const body = resolve(api, each.operation.requestBody)?.content?.["application/json"]?.schema;
  const text = useMemo(() => body ? JSON.stringify(sample(api, body), null, 2) : "", [each]);
  const open = !(each.operation.security ?? api.security ?? []).some((each) => Object.keys(each).length);
  return html`<${Operation} api=${api} each=${each}><${Snippets} base=${location.origin} each=${each} values=${{}} body=${text} token=${open ? "" : "$TOKEN"} /><//>`;
}

function Start({ api, operations }) {
  const platform = ["auth", "rest", "mobile-auth", "devices"];
  const groups = [...new Set(operations.map((each) => each.group))].sort((a, b) => platform.includes(a) - platform.includes(b));
  const example = operations.find((each) => each.method === "get" && !each.path.includes("{")) || operations[0];
  return html`<article class="operation-page"><header class="operation-head"><h1>What this server answers</h1><p class="prose">${api.info?.description || `${number(operations.length)} operations in ${groups.length} groups. Search on the left, or begin with one of these.`}</p></header>
    <section class="stack"><h2>How to ask</h2><p class="prose">Send a token as <code>Authorization: Bearer …</code>: ${operations.some((each) => each.id === "authPostToken") ? html`<a href=${link(["authPostToken"])}>signing in</a> gives one.` : "signing in gives one."} Bodies and answers are JSON. An error has a code for programs and a message for people.</p>${example && html`<${Snippets} base=${location.origin} each=${example} values=${{}} body="" token="$TOKEN" />`}</section>
    <section class="stack"><h2>Groups</h2><div class="group-cards">${groups.map((group) => { const list = operations.filter((each) => each.group === group); return html`<a class="card stat" href=${link([list[0].id])}><strong>${group}</strong>${groupText(api, group) && html`<span>${groupText(api, group)}</span>`}<span class="dim">${many(list.length, "operation")}</span></a>`; })}</div></section></article>`;
}

render(html`<${Docs} />`, document.getElementById("app"));
