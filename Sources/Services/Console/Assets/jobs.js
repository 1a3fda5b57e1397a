// What waits, runs and has ended.
import { html, useState, useData, useTicks, send, link, go, time, ago, many, number } from "./base.js";
import { Button, Head, Fault, Empty, Tag, Tabs, Spinner, Sheet, Confirm, Select, Code, Tree, say } from "./parts.js";

const states = [["", "All"], ["waiting", "Waiting"], ["running", "Running"], ["failed", "Failed"], ["done", "Done"], ["cancelled", "Cancelled"]];
const kinds = { failed: "bad", done: "good", running: "info", waiting: "warn", cancelled: "" };

export function Jobs({ me, route }) {
  const { state = "", name = "", id } = route.query;
  const jobs = useData(`/jobs?state=${state}&name=${encodeURIComponent(name)}&id=${encodeURIComponent(id || "")}`);
  const [all, setAll] = useState();
  const [error, setError] = useState();
  useTicks(4000, () => { if (jobs.data && !jobs.loading) jobs.tick(); });
  const set = (change) => go(["jobs"], { state, name, ...change });
  const counts = jobs.data?.counts || {};
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const act = async (action, job) => {
    setError();
    try { const answer = await send("/jobs", { action, id: job.id }); say(`${action === "retry" ? "It runs again" : "Cancelled"}. Audit ${answer.audit}.`); jobs.reload(); } catch (error) { setError(error); }
  };
  const job = id && jobs.data?.jobs.find((each) => String(each.id) === id);
  return html`
    <${Head} title="Jobs" sub="Durable work in the background, and what recurs.">
      ${jobs.data?.names.length > 0 && html`<${Select} aria-label="Name" value=${name} options=${[["", "All names"], ...jobs.data.names.map((each) => [each, each])]} onChange=${(name) => set({ name })} />`}
      ${state === "failed" && counts.failed > 0 && me.role !== "viewer" && html`<${Button} icon="refresh" onClick=${() => setAll({ name, count: counts.failed })}>Retry all ${number(counts.failed)}${name ? ` of ${name}` : ""}<//>`}
    <//>
    <${Tabs} label="State" value=${state} onChange=${(state) => set({ state })} tabs=${states.map(([key, text]) => [key, text, number(key ? counts[key] || 0 : total)])} />
    <${Fault} error=${jobs.error || error} />
    ${!jobs.data ? html`<${Spinner} />` : !jobs.data.jobs.length ? html`<${Empty} icon="jobs" title=${state ? `No job is ${state}` : "No jobs yet"}>A function adds one with context.jobs; recurring ones are below.<//>`
    : html`<div class="list-box"><table class="list"><thead><tr><th>Job</th><th>State</th><th class="hide-small">Attempts</th><th class="hide-small">When</th><th></th></tr></thead>
      <tbody>${jobs.data.jobs.map((each) => html`<tr key=${each.id}><td><a class="plain-button" href=${link(["jobs"], { state, name, id: each.id })}>${each.name}</a><div class="dim">#${each.id}${each.tenant ? ` · ${each.tenant}` : ""}</div>${each.last_error && html`<div class="bad-text clip">${each.last_error}</div>`}</td>
        <td><${Tag} kind=${kinds[each.state]}>${each.state}<//></td><td class="hide-small num">${each.attempts}</td><td class="hide-small dim nowrap" title=${time(each.finished_at || each.due)}>${each.finished_at ? ago(each.finished_at) : each.started_at ? "since " + ago(each.started_at).replace(" ago", "") : "due " + ago(each.due)}</td>
        <td class="nowrap"><div class="row end">${me.role !== "viewer" && each.state === "failed" && html`<${Button} kind="small" onClick=${() => act("retry", each)}>Retry<//>`}
          ${me.role !== "viewer" && each.state === "waiting" && html`<${Button} kind="small" onClick=${() => act("retry", each)}>Run now<//><${Button} kind="small danger" onClick=${() => act("cancel", each)}>Cancel<//>`}</div></td></tr>`)}</tbody></table></div>`}
    ${jobs.data?.ticks.length > 0 && html`<section class="stack"><h2>Recurring</h2><div class="list-box"><table class="list"><thead><tr><th>Job</th><th>Schedule</th><th>Tick</th></tr></thead>
      <tbody>${jobs.data.ticks.map((tick) => html`<tr><td>${tick.name}</td><td>${schedule(tick.recurrence)}</td><td class="dim nowrap" title=${time(tick.tick)}>${ago(tick.tick)}, ${time(tick.tick)}</td></tr>`)}</tbody></table></div></section>`}
    ${job && html`<${Sheet} title=${job.name} sub=${`#${job.id}`} onClose=${() => set({ id: undefined })}>
      <div class="row"><${Tag} kind=${kinds[job.state]}>${job.state}<//>${job.request_id && html`<a href=${link(["logs"], { id: job.request_id })}>The request that made it</a>`}</div>
      <dl class="pairs"><dt>Enqueued</dt><dd>${time(job.enqueued_at)}</dd><dt>Due</dt><dd>${time(job.due)}</dd>${job.started_at && html`<dt>Started</dt><dd>${time(job.started_at)}</dd>`}${job.finished_at && html`<dt>Ended</dt><dd>${time(job.finished_at)}</dd>`}<dt>Attempts</dt><dd>${job.attempts}</dd>${job.key && html`<dt>Key</dt><dd>${job.key}</dd>`}</dl>
      ${job.last_error && html`<section class="stack"><h3>Last error</h3><${Code} label="Error">${job.last_error}<//></section>`}
      ${job.payload && html`<section class="stack"><h3>Payload</h3><${Payload} text=${job.payload} /></section>`}<//>`}
    ${all && html`<${Confirm} title="Retry all that failed?" danger=${false} confirm=${`Retry ${many(all.count, "job")}`} onNo=${() => setAll()} onYes=${async () => {
      const answer = await send("/jobs", { action: "retry all", name: all.name, expected: all.count });
      say(`${many(answer.count, "job")} run again. Audit ${answer.audit}.`); setAll(); jobs.reload(); }}>
      <p>${all.name ? html`Failed jobs named <strong>${all.name}</strong>` : "Failed jobs of every name"}: ${number(all.count)}, also those that the list does not show. If there are more or fewer by then, nothing happens.</p><//>`}`;
}

/** Seconds of the period, and behind it where in the period it is due (UTC). */
function schedule(text) {
  const [period, offset = 0] = String(text).split("+").map(Number);
  if (!period) return text;
  const clock = `${String(Math.floor((offset % 86400) / 3600)).padStart(2, "0")}:${String(Math.floor((offset % 3600) / 60)).padStart(2, "0")} UTC`;
  if (period === 86400) return `daily at ${clock}`;
  if (period === 3600) return `hourly, ${Math.floor(offset / 60)} min past`;
  return period % 3600 === 0 ? `every ${period / 3600} h` : period % 60 === 0 ? `every ${period / 60} min` : `every ${period} s`;
}

function Payload({ text }) {
  try { return html`<${Tree} value=${JSON.parse(text)} />`; } catch { return html`<${Code}>${text}<//>`; }
}
