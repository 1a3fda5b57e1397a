// The newest lines of this server, as they come.
import { html, useState, useEffect, useRef, useMemo, readByItself, useData, useTicks, go, link, number } from "./base.js";
import { Button, Head, Fault, Empty, Search, Select, Sheet, Tree, Tag, Code } from "./parts.js";

const maximum = 1000;

export function Logs({ me, route }) {
  const { search = "", id = "", status = "", level = "", own = "" } = route.query;
  const [lines, setLines] = useState([]);
  const [paused, setPaused] = useState(false);
  const [left, setLeft] = useState(0);
  const [error, setError] = useState();
  const [open, setOpen] = useState();
  const newest = useRef(0);
  const filter = JSON.stringify([search, id, status, level, own]);
  useEffect(() => { newest.current = 0; setLines([]); setLeft(0); }, [filter]);
  const known = useRef(filter);
  known.current = filter;
  useTicks(700, async () => {
    const asked = filter;
    try {
      const query = new URLSearchParams({ after: newest.current, search, id, status, level, console: own });
      const answer = await readByItself("/logs?" + query);
      if (asked !== known.current) return;
      setError(answer.off ? { message: "This server keeps no log lines." } : undefined);
      if (newest.current === 0 || answer.lines.length) {
        const parsed = answer.lines.map(({ n, line }) => ({ n, ...parse(line) }));
        setLeft((left) => newest.current ? left + answer.matched - answer.lines.length : answer.matched - answer.lines.length);
        setLines((old) => [...old, ...parsed].slice(-maximum));
      }
      newest.current = answer.newest;
    } catch (error) { if (error.name !== "AbortError") setError(error); }
  }, !paused);
  const set = (change) => go(["logs"], { search, id, status, level, own, ...change }, { replace: true });
  const shown = useMemo(() => lines.slice().reverse(), [lines]);
  return html`
    <${Head} title="Logs" sub="This server only, the newest lines in memory.">
      <${Button} icon=${paused ? "play" : "pause"} onClick=${() => setPaused(!paused)}>${paused ? "Go on" : "Pause"}<//>
    <//>
    <div class="row tools"><div class="grow find-log"><${Search} value=${id || search} label="Word, path or request id" onInput=${(text) => set(/^[0-9a-f-]{16,}$/i.test(text.trim()) ? { id: text.trim(), search: "" } : { search: text, id: "" })} /></div>
      <${Select} aria-label="Status" value=${status} options=${[["", "All statuses"], ["300", "300 and up"], ["400", "400 and up"], ["500", "500 and up"]]} onChange=${(status) => set({ status })} />
      <${Select} aria-label="Level" value=${level} options=${[["", "All levels"], ["warning", "Warnings and errors"], ["error", "Errors"]]} onChange=${(level) => set({ level })} />
      <label class="check"><input type="checkbox" checked=${own === "1"} onChange=${(event) => set({ own: event.target.checked ? "1" : "" })} /><span>Console's own</span></label></div>
    <${Fault} error=${error} />
    ${left > 0 && html`<p class="dim" role="status">${number(left)} more matched and are not shown. A filter narrows it down.</p>`}
    ${id && html`<${JobsOf} request=${id} />`}
    ${shown.length ? html`<div class="list-box log-box" role="log" aria-live="off" tabindex="0" aria-label="Log lines"><table class="list logs"><tbody>
      ${shown.map((line) => html`<tr key=${line.n} class="to" onClick=${() => setOpen(line)}><td class="dim nowrap cell-mono">${line.time}</td><td class="nowrap"><${Kind} line=${line} /></td>
        <td><button type="button" class="plain-button log-text">${line.text}</button></td><td class="num dim nowrap hide-small">${line.duration}</td></tr>`)}</tbody></table></div>`
    : !error && html`<${Empty} icon="logs" title=${newest.current ? "No line matches" : "Waiting for lines"}>${paused ? "It is paused." : "A new one appears within a second."}<//>`}
    ${open && html`<${Sheet} title=${open.text} sub=${open.json?.time || open.json?.ts} onClose=${() => setOpen()} wide>
      ${(open.json?.request_id) && html`<div class="row"><${Button} icon="filter" onClick=${() => { const id = open.json.request_id; setOpen(); set({ id, search: "" }); }}>All lines of this request<//></div>`}
      ${open.json ? html`<${Tree} value=${open.json} />` : html`<${Code}>${open.raw}<//>`}<//>`}`;
}

/** What the request has left to be done. */
function JobsOf({ request }) {
  const jobs = useData(`/jobs?request=${encodeURIComponent(request)}`);
  useTicks(2000, () => { if (jobs.data && !jobs.loading) jobs.tick(); });
  if (!jobs.data?.jobs.length) return null;
  return html`<section class="card request-jobs"><h2>${jobs.data.jobs.length === 1 ? "Its job" : "Its jobs"}</h2><ul class="stack">${jobs.data.jobs.map((job) => html`<li class="row" key=${job.id}>
    <${Tag} kind=${{ failed: "bad", done: "good", running: "info", waiting: "warn" }[job.state]}>${job.state}<//><a href=${link(["jobs"], { id: job.id })}>${job.name} #${job.id}</a>${job.last_error && html`<span class="bad-text clip">${job.last_error}</span>`}</li>`)}</ul></section>`;
}

const Kind = ({ line }) => line.status ? html`<${Tag} kind=${line.status >= 500 ? "bad" : line.status >= 400 ? "warn" : "good"}>${line.status}<//>`
  : html`<${Tag} kind=${["error", "critical"].includes(line.level) ? "bad" : line.level === "warning" ? "warn" : ""}>${line.level || "–"}<//>`;

function parse(raw) {
  let json;
  try { json = JSON.parse(raw); } catch { return { raw, text: raw, time: "" }; }
  const at = json.time || json.ts || "";
  const duration = json.duration_ms ?? json["duration.ms"] ?? (json["duration.us"] !== undefined ? json["duration.us"] / 1000 : json.duration);
  return {
    json, raw, level: json.level, status: json.status, time: String(at).slice(11, 23),
    text: json.method ? `${json.method} ${json.path || json.target || ""}` : json.message || json.msg || raw,
    duration: duration === undefined ? "" : `${Number(duration).toFixed(1)} ms`,
  };
}
