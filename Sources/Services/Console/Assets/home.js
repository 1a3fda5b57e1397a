// What needs attention, and where to go.
import { html, useData, useTicks, number, many, bytes, link } from "./base.js";
import { Head, Icon, Fault, Copy, Tag } from "./parts.js";

const Card = ({ icon, title, value, sub, href, kind }) => html`
  <a class=${"card stat " + (kind || "")} href=${href}><span class="stat-title"><${Icon} name=${icon} />${title}</span>
    <strong>${value}</strong><span class="dim">${sub}</span></a>`;

export function Home({ me }) {
  const home = useData("/home");
  const settings = useData("/settings");
  const logs = useData("/logs?status=500&limit=1");
  const { numbers, facts } = home.data || {};
  const faults = (settings.data?.findings || []).filter((each) => each.grade === "fault");
  const keys = Object.entries(facts || {});
  useTicks(15000, () => { if (home.data) home.tick(); });
  return html`
    <${Head} title="Home" sub=${numbers ? `${numbers.database} on PostgreSQL ${numbers.postgres.split(" ")[0]}, Swiftlet ${me.version}` : " "} />
    <${Fault} error=${home.error} />
    <div class="stats">
      <${Card} icon="tables" title="Tables" value=${numbers ? number(numbers.tables) : "–"} sub=${numbers ? bytes(numbers.bytes) + " in all" : " "} href="#/tables" />
      <${Card} icon="users" title="Users" value=${numbers ? number(numbers.users) : "–"} sub=${numbers ? `${number(numbers.newUsers)} new in a week` : " "} href="#/users" />
      <${Card} icon="jobs" title="Jobs" value=${numbers ? number(numbers.waitingJobs) : "–"} sub=${numbers ? (numbers.failedJobs ? `${many(numbers.failedJobs, "failure")} in the last hour` : "none failed in the last hour") : " "}
        kind=${numbers?.failedJobs ? "bad" : ""} href=${numbers?.failedJobs ? link(["jobs"], { state: "failed" }) : "#/jobs"} />
      <${Card} icon="logs" title="Server errors" value=${logs.data ? number(logs.data.matched) : "–"} sub="among the newest log lines" kind=${logs.data?.matched ? "bad" : ""} href=${link(["logs"], { status: 500 })} />
    </div>
    ${faults.length > 0 && html`<section class="card"><h2>The doctor has found</h2><ul class="findings">
      ${faults.map((each) => html`<li><${Tag} kind="bad">fault<//><strong>${each.subject}</strong><span>${each.text}</span></li>`)}</ul></section>`}
    ${numbers?.withoutPolicies?.length > 0 && html`<section class="card"><h2>Open tables</h2>
      <p class="dim">Everybody who signs in reads all rows of these: they have a grant, but no row level security.</p>
      <p class="chips">${numbers.withoutPolicies.map((name) => html`<a class="chip" href=${link(["access", "public", name])}>${name}</a>`)}</p></section>`}
    <div class="pair">
      <section class="card"><h2>Start here</h2><ul class="starts">
        <li><a href="#/access"><${Icon} name="access" /><span><strong>Why can't she see it?</strong><span class="dim">Choose who and which table; each row says by which policy.</span></span></a></li>
        <li><a href="#/functions"><${Icon} name="functions" /><span><strong>Try a function</strong><span class="dim">With a token of any user, as curl, Swift or TypeScript.</span></span></a></li>
        <li><a href="#/logs"><${Icon} name="logs" /><span><strong>Follow a request</strong><span class="dim">Paste its id: the line, its warnings, its job.</span></span></a></li>
        <li><a href="/docs" target="_blank" rel="noopener"><${Icon} name="link" /><span><strong>Documentation of this API</strong><span class="dim">What clients can ask for.</span></span></a></li>
      </ul></section>
      ${keys.length > 0 && html`<section class="card"><h2>For the client</h2><dl class="facts">
        ${keys.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code><${Copy} text=${value} /></dd>`)}</dl></section>`}
    </div>`;
}
