// Statements that operators type.
import { html, useState, useEffect, useRef, useMemo, useData, send, number, many } from "./base.js";
import { Icon, Button, Head, Fault, Empty, Select, Tag, say } from "./parts.js";

const kept = "swiftlet-console-statements";
const remembered = () => { try { return JSON.parse(localStorage.getItem(kept)) || []; } catch { return []; } };

export function SQL({ me, route }) {
  const [text, setText] = useState(route.query.q || "SELECT * FROM tasks ORDER BY created_at DESC LIMIT 20");
  const [role, setRole] = useState("");
  const [writes, setWrites] = useState(false);
  const [result, setResult] = useState();
  const [plan, setPlan] = useState();
  const [error, setError] = useState();
  const [running, setRunning] = useState();
  const [history, setHistory] = useState(remembered);
  const mayRun = me.role === "owner" || (me.separateSQL && me.role === "editor");
  if (!mayRun) return html`<${Head} title="SQL" /><${Empty} icon="lock" title="SQL is for owners here">
    ${me.readOnly ? "CONSOLE=read-only makes everybody a viewer." : me.separateSQL ? "Viewers have none." : "Whoever has SQL has all rights of the server's own connection. With a login role of its own in CONSOLE_DATABASE_URL, editors get it too; docs/console.md has its CREATE ROLE."}<//>`;
  const run = async ({ commit = false, explain } = {}) => {
    const id = String(Math.random());
    setRunning({ id, since: Date.now() });
    setError();
    if (!commit) setResult();
    setPlan();
    try {
      const answer = await send("/sql", { sql: text, role, write: writes, commit, expected: commit ? result.affected : undefined, explain, id });
      if (explain) setPlan(JSON.parse(answer.rows[0][0])[0]); else setResult(answer);
      if (commit) say("Committed.");
      const next = [text, ...history.filter((each) => each !== text)].slice(0, 30);
      setHistory(next);
      try { localStorage.setItem(kept, JSON.stringify(next)); } catch { /* private mode */ }
    } catch (error) { setError(error); }
    setRunning();
  };
  const key = (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); run(); } };
  return html`
    <${Head} title="SQL" sub=${me.separateSQL ? "Runs as the console's own login role." : "Runs with the rights of the server's own connection."} />
    ${!me.separateSQL && html`<p class="note warn"><${Icon} name="warning" /><span>Read-only and roles protect from slips here, not from malice: only another login role in CONSOLE_DATABASE_URL does.</span></p>`}
    <section class="card editor-card">
      <${Editor} text=${text} onInput=${setText} onKeyDown=${key} />
      <div class="row editor-foot">
        <${Select} aria-label="Role" value=${role} options=${[["", "As the connection"], ["anon", "as anon"], ["authenticated", "as authenticated"], ["service_role", "as service_role"]]} onChange=${setRole} />
        ${me.role === "owner" && html`<label class="check"><input type="checkbox" role="switch" checked=${writes} onChange=${(event) => { setWrites(event.target.checked); setResult(); }} /><span>Write</span></label>`}
        ${history.length > 0 && html`<select aria-label="History" class="history" onChange=${(event) => { if (event.target.value) setText(event.target.value); event.target.value = ""; }}><option value="">History</option>${history.map((each) => html`<option value=${each}>${each.slice(0, 80)}</option>`)}</select>`}
        <span class="grow"></span>
        <${Button} disabled=${!!running} onClick=${() => run({ explain: "plan" })}>Plan<//>
        <${Button} disabled=${!!running} title="Performs it, and rolls back" onClick=${() => run({ explain: "analyze" })}>Analyze<//>
        ${running ? html`<${Running} running=${running} />` : html`<${Button} kind="primary" icon="play" onClick=${() => run()}>${writes ? "Try" : "Run"}<//>`}
      </div>
    </section>
    <${Fault} error=${error} />
    ${result && html`<${Result} result=${result} writes=${writes} onCommit=${() => run({ commit: true })} onDrop=${() => setResult()} />`}
    ${plan && html`<${Plan} plan=${plan} />`}`;
}

function Running({ running }) {
  const [, tick] = useState(0);
  useEffect(() => { const timer = setInterval(() => tick((turn) => turn + 1), 200); return () => clearInterval(timer); }, []);
  return html`<span class="dim num">${((Date.now() - running.since) / 1000).toFixed(1)} s</span><${Button} icon="stop" kind="danger" onClick=${() => send("/sql/cancel", { id: running.id }).catch(() => {})}>Cancel<//>`;
}

const words = new Set("select from where and or not in is null as on join left right inner outer full cross lateral group by order having limit offset union all distinct insert into values update set delete returning with recursive case when then else end exists between like ilike asc desc nulls first last using create table alter drop view index default primary key references constraint begin commit rollback explain analyze true false over partition filter cast array any some fetch only for".split(" "));
const parts = /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*'?|\$\$[\s\S]*?\$\$)|("(?:[^"]|"")*"?)|\b(\d+(?:\.\d+)?)\b|([a-zA-Z_][\w$]*)/g;

/** Words in color under a textarea whose own letters are clear. */
function Editor({ text, onInput, onKeyDown }) {
  const back = useRef();
  const area = useRef();
  const tables = useData("/tables");
  const [hints, setHints] = useState([]);
  const [at, setAt] = useState(0);
  const colored = useMemo(() => {
    const out = [];
    let end = 0;
    for (const match of text.matchAll(parts)) {
      out.push(text.slice(end, match.index));
      const kind = match[1] ? "sql-comment" : match[2] ? "sql-text" : match[3] ? "sql-name" : match[4] ? "sql-number" : words.has(match[5].toLowerCase()) ? "sql-word" : "";
      out.push(kind ? html`<span class=${kind}>${match[0]}</span>` : match[0]);
      end = match.index + match[0].length;
    }
    out.push(text.slice(end) + "\n");
    return out;
  }, [text]);
  const suggest = (element) => {
    const before = element.value.slice(0, element.selectionStart);
    const word = before.match(/[a-zA-Z_][\w]*$/)?.[0];
    if (!word || word.length < 2) return setHints([]);
    const names = (tables.data || []).map((table) => table.name);
    setHints(names.filter((name) => name.startsWith(word) && name !== word).slice(0, 6).map((name) => ({ name, word })));
    setAt(0);
  };
  const take = (hint) => {
    const element = area.current;
    const position = element.selectionStart;
    onInput(text.slice(0, position - hint.word.length) + hint.name + text.slice(position));
    setHints([]);
    setTimeout(() => { element.focus(); element.selectionStart = element.selectionEnd = position - hint.word.length + hint.name.length; });
  };
  const key = (event) => {
    if (hints.length && event.key === "Tab") { event.preventDefault(); return take(hints[at]); }
    if (hints.length && event.key === "Escape") { event.stopPropagation(); return setHints([]); }
    if (hints.length && event.key === "ArrowDown" && event.altKey) { event.preventDefault(); return setAt((at + 1) % hints.length); }
    onKeyDown(event);
  };
  return html`<div class="editor"><pre ref=${back} aria-hidden="true">${colored}</pre>
    <textarea ref=${area} aria-label="Statement" spellcheck=${false} autocapitalize="off" rows=${Math.min(18, Math.max(5, text.split("\n").length + 1))} value=${text} onKeyDown=${key}
      onInput=${(event) => { onInput(event.target.value); suggest(event.target); }} onScroll=${(event) => { back.current.scrollTop = event.target.scrollTop; back.current.scrollLeft = event.target.scrollLeft; }}></textarea>
    ${hints.length > 0 && html`<div class="hints" role="listbox" aria-label="Tables">${hints.map((hint, index) => html`<button type="button" role="option" aria-selected=${index === at} class=${index === at && "on"} onClick=${() => take(hint)}>${hint.name}</button>`)}<span class="dim">Tab takes it</span></div>`}</div>`;
}

function Result({ result, writes, onCommit, onDrop }) {
  const csv = () => {
    const quote = (cell) => cell === null ? "" : /[",\r\n]/.test(cell) || cell === "" ? `"${cell.replaceAll('"', '""')}"` : cell;
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(new Blob([[result.columns, ...result.rows].map((row) => row.map(quote).join(",")).join("\n") + "\n"], { type: "text/csv" }));
    anchor.download = "result.csv";
    anchor.click();
  };
  return html`<section class="stack"><div class="row"><strong>${result.columns.length ? `${many(result.rows.length, "row")}${result.more ? ", and more: it stops here" : ""}` : result.command}</strong><span class="dim">${result.milliseconds.toFixed(1)} ms</span>
      ${result.committed && html`<${Tag} kind="good">committed<//>`}<span class="grow"></span>${result.rows.length > 0 && html`<${Button} kind="small" icon="download" onClick=${csv}>CSV<//>`}</div>
    ${writes && !result.committed && html`<div class="note warn"><${Icon} name="warning" /><div class="grow">It changed ${many(result.affected, "row")} and was rolled back. Committing runs it again, and only if it changes ${number(result.affected)} then too.</div>
      <${Button} kind="small" onClick=${onDrop}>Leave it<//><${Button} kind="small danger" onClick=${onCommit}>Commit<//></div>`}
    ${result.columns.length > 0 && html`<div class="grid-box result"><table class="grid"><thead><tr>${result.columns.map((name) => html`<th><span class="plain">${name}</span></th>`)}</tr></thead>
      <tbody>${result.rows.map((row) => html`<tr>${row.map((cell) => html`<td title=${cell?.slice(0, 500)}>${cell === null ? html`<span class="cell-null">null</span>` : cell.slice(0, 300)}</td>`)}</tr>`)}</tbody></table></div>`}</section>`;
}

/** The plan as a tree, with what each part takes, and where the planner was wrong by ten. */
function Plan({ plan }) {
  const total = plan["Execution Time"] ?? plan.Plan["Total Cost"];
  const timed = plan["Execution Time"] !== undefined;
  return html`<section class="card"><div class="row"><h2>Plan</h2>${timed && html`<span class="dim">${plan["Execution Time"].toFixed(2)} ms, rolled back</span>`}</div><ul class="plan"><${Node} node=${plan.Plan} total=${total} timed=${timed} /></ul></section>`;
}

function Node({ node, total, timed }) {
  const inner = node.Plans || [];
  const size = (each) => timed ? each["Actual Total Time"] * each["Actual Loops"] : each["Total Cost"];
  const own = Math.max(0, size(node) - inner.reduce((sum, each) => sum + size(each), 0));
  const share = total ? Math.min(1, own / total) : 0;
  const off = timed && node["Actual Rows"] !== undefined ? Math.max(node["Actual Rows"], 1) / Math.max(node["Plan Rows"], 1) : 1;
  return html`<li><div class="plan-node"><strong>${node["Node Type"]}</strong>${node["Relation Name"] && html`<span>${node["Relation Name"]}</span>`}${node["Index Name"] && html`<span class="dim">by ${node["Index Name"]}</span>`}
      <${Tag} kind=${share > .5 ? "bad" : share > .2 ? "warn" : ""}>${Math.round(share * 100)} %<//><span class="dim">${number(Math.round(node["Plan Rows"]))} rows expected${timed ? `, ${number(Math.round(node["Actual Rows"]))} found` : ""}</span>
      ${(off >= 10 || off <= .1) && html`<${Tag} kind="warn">estimate wrong by ${Math.round(off >= 1 ? off : 1 / off)}×<//>`}</div>
    ${(node.Filter || node["Index Cond"]) && html`<code class="dim">${node["Index Cond"] || node.Filter}</code>`}
    ${inner.length > 0 && html`<ul>${inner.map((each) => html`<${Node} node=${each} total=${total} timed=${timed} />`)}</ul>`}</li>`;
}
