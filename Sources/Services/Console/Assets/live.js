// The changes of a table, as they are committed.
import { html, useState, useEffect, useRef, useMemo, useData, useTicks, follow, go, link, number } from "./base.js";
import { Button, Head, Fault, Empty, Spinner, Search, Select, Sheet, Tree, Tag, Code, Icon } from "./parts.js";

const maximum = 500;
const kinds = { INSERT: "good", UPDATE: "info", DELETE: "bad" };

export function Live({ route }) {
  const published = useData("/live");
  useTicks(3000, () => { if (published.data && !published.loading) published.tick(); });
  const [, schema, name] = route.parts;
  const { filter = "", event = "*" } = route.query;
  const tables = published.data?.tables;
  const table = tables?.find((each) => each.schema === schema && each.name === name);
  useEffect(() => { if (tables?.length === 1 && !name) go(["live", tables[0].schema, tables[0].name], {}, { replace: true }); }, [tables, name]);
  const choose = (value) => { const table = tables.find((each) => `${each.schema}.${each.name}` === value); if (table) go(["live", table.schema, table.name]); };
  const set = (change) => go(["live", schema, name], { filter, event: event === "*" ? undefined : event, ...change }, { replace: true });
  if (published.error && !published.data) return html`<${Head} title="Live" /><${Fault} error=${published.error} />`;
  if (!published.data) return html`<${Head} title="Live" /><${Spinner} />`;
  if (!tables.length) return html`<${Head} title="Live" sub="Changes of rows, as they are committed." />${published.data.walLevel === "logical"
    ? html`<${Empty} icon="live" title="No table is published yet">Say which table's changes are to be told, here and to apps that listen:<${Code}>swiftlet realtime add tasks<//><//>`
    : html`<${Empty} icon="live" title="PostgreSQL does not tell changes">It needs wal_level = logical, and a restart. What else it needs is said by:<${Code}>swiftlet doctor<//><//>`}`;
  const chosen = name && table;
  return html`
    <${Changes} key=${`${schema}.${name}`} schema=${schema} name=${name} table=${chosen} isRead=${published.data.isRead} filter=${filter} event=${event}>
      <${Select} aria-label="Table" value=${name ? `${schema}.${name}` : ""} options=${[...(chosen ? [] : [["", "Choose a table"]]),
        ...tables.map((each) => [`${each.schema}.${each.name}`, each.schema === "public" ? each.name : `${each.schema}.${each.name}`])]} onChange=${choose} />
      <${Select} aria-label="Kind of change" disabled=${!chosen} value=${event} options=${[["*", "All changes"], ["INSERT", "Inserts"], ["UPDATE", "Updates"], ["DELETE", "Deletes"]]} onChange=${(event) => set({ event: event === "*" ? undefined : event })} />
      ${chosen && html`<${Condition} key=${filter} filter=${filter} onApply=${(filter) => set({ filter })} />`}<//>`;
}

/** Is applied by Enter, as half a condition is none. */
function Condition({ filter, onApply }) {
  const [text, setText] = useState(filter);
  const apply = (event) => { event.preventDefault(); onApply(text.trim()); };
  return html`<form class="grow find-log row" onSubmit=${apply}><div class="grow"><${Search} value=${text} label="status=eq.done" aria-label="Condition" onInput=${(text) => { setText(text); if (!text) onApply(""); }} /></div>
    ${text.trim() !== filter && html`<button class="button">Apply</button>`}</form>`;
}

function Changes({ schema, name, table, isRead, filter, event, children }) {
  const [changes, setChanges] = useState([]);
  const [count, setCount] = useState(0);
  const [paused, setPaused] = useState(false);
  const [state, setState] = useState({});
  const [open, setOpen] = useState();
  const since = useRef("");
  const view = JSON.stringify([filter, event]);
  const shown = useRef(view);
  if (shown.current !== view) { shown.current = view; since.current = ""; }
  useEffect(() => { setChanges([]); setCount(0); setState({}); }, [view]);
  useEffect(() => {
    if (!table || paused) return;
    const control = new AbortController();
    // What comes between two pictures is shown at once.
    let waiting = [], timer;
    const show = () => {
      timer = undefined;
      const list = waiting.reverse();
      waiting = [];
      setChanges((old) => [...list, ...old].slice(0, maximum));
      setCount((count) => count + list.length);
    };
    const take = (kind, id, data) => {
      since.current = id;
      if (kind === "ready") return setState({ listening: true });
      if (kind === "reset") return setState({ listening: true, reset: true });
      waiting.push({ id, kind, ...data });
      if (waiting.length > maximum) waiting.shift();
      timer ||= setTimeout(show, 100);
    };
    const run = async () => {
      for (let failures = 0; !control.signal.aborted;) {
        try {
          const query = new URLSearchParams({ event, filter, since: since.current });
          await follow(`/live/${encodeURIComponent(schema)}/${encodeURIComponent(name)}?${query}`, take, control.signal);
          // It ends by itself each minute, and goes on behind what was told.
          failures = 0;
        } catch (error) {
          if (control.signal.aborted || error.name === "AbortError") return;
          if (error.code === "CURSOR_EXPIRED") { since.current = ""; setState({ reset: true }); continue; }
          if (error.status >= 400 && error.status < 500) return setState({ error });
          failures += 1;
          setState((old) => ({ ...old, listening: false, away: true }));
          await new Promise((done) => setTimeout(done, Math.min(5000, 500 * failures)));
        }
      }
    };
    run();
    return () => { control.abort(); clearTimeout(timer); if (waiting.length) show(); };
  }, [schema, name, !!table, paused, view]);
  const old = count - changes.length;
  return html`
    <${Head} title="Live" sub="Changes of rows, as they are committed.">
      ${table && html`<a class="button" href=${link(["tables", schema, name])}><${Icon} name="tables" /><span>Rows</span></a>
        <${Button} icon=${paused ? "play" : "pause"} onClick=${() => setPaused(!paused)}>${paused ? "Go on" : "Pause"}<//>`}
    <//>
    <div class="row tools">${children}</div>
    <${Fault} error=${state.error} />
    ${table && !isRead && html`<p class="note"><${Icon} name="warning" />No server reads the changes right now. <code>swiftlet realtime status</code> says why.</p>`}
    ${table && !table.isWhole && html`<p class="note"><${Icon} name="key" />Of old rows only the key is known. <code>swiftlet realtime add ${name}</code> lets whole rows be logged.</p>`}
    ${state.reset && html`<p class="note" role="status"><${Icon} name="warning" />Changes in between are no longer known. It goes on with what comes now.</p>`}
    ${old > 0 && html`<p class="dim" role="status">${number(old)} older ones are no longer shown.</p>`}
    ${name && !table && html`<${Empty} icon="live" title=${`${name} is not published`}>Its changes are told once it is:<${Code}>${`swiftlet realtime add ${schema === "public" ? "" : schema + "."}${name}`}<//><//>`}
    ${!name && html`<${Empty} icon="live" title="Choose a table">Each change appears here when it is committed.<//>`}
    ${table && (changes.length ? html`<div class="list-box log-box" role="log" aria-live="off" tabindex="0" aria-label="Changes"><table class="list logs"><tbody>
      ${changes.map((change) => html`<tr key=${change.id} class="to" onClick=${() => setOpen(change)}><td class="dim nowrap cell-mono">${change.commit_timestamp.slice(11, 23)}</td>
        <td class="nowrap"><${Tag} kind=${kinds[change.kind]}>${change.kind.toLowerCase()}<//></td><td><button type="button" class="plain-button log-text">${summary(change)}</button></td></tr>`)}</tbody></table></div>`
    : !state.error && html`<${Empty} icon="live" title=${paused ? "Paused" : state.listening ? "Waiting for changes" : state.away ? "The server does not answer" : "Connecting …"}>${
      paused ? "What changes meanwhile is shown when you go on." : filter ? "Those that fit the condition appear when they are committed." : `Change a row of ${name}: it appears here when it is committed.`}<//>`)}
    ${open && html`<${Change} change=${open} schema=${schema} name=${name} onClose=${() => setOpen()} />`}`;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const brief = (value) => { const text = typeof value === "string" ? value : JSON.stringify(value); return text.length > 60 ? text.slice(0, 60) + "…" : text; };

/** The columns that have changed; null if that is not known. */
function difference({ kind, record, old_record: old }) {
  if (kind !== "UPDATE" || !old) return null;
  const names = Object.keys(record || {}).filter((name) => name in old && !same(record[name], old[name]));
  return names.length ? names : null;
}

function summary(change) {
  const names = difference(change);
  if (names) return names.map((name) => `${name}: ${brief(change.old_record[name])} → ${brief(change.record[name])}`).join(", ");
  return Object.entries(change.record && Object.keys(change.record).length ? change.record : change.old_record || {}).slice(0, 6).map(([name, value]) => `${name} ${brief(value)}`).join(", ");
}

function Change({ change, schema, name, onClose }) {
  const names = useMemo(() => difference(change), [change]);
  return html`<${Sheet} title=${`${change.kind.toLowerCase()} of ${name}`} sub=${change.commit_timestamp} onClose=${onClose} wide>
    ${change.errors?.length > 0 && html`<p class="note"><${Icon} name="warning" />The row is too large to be told as a whole.</p>`}
    ${names && html`<div class="list-box"><table class="list"><thead><tr><th>Column</th><th>Before</th><th>After</th></tr></thead><tbody>
      ${names.map((each) => html`<tr key=${each}><td>${each}</td><td>${JSON.stringify(change.old_record[each])}</td><td>${JSON.stringify(change.record[each])}</td></tr>`)}</tbody></table></div>`}
    ${change.record && html`<section><h3>${change.kind === "UPDATE" ? "The row now" : "The row"}</h3><${Tree} value=${change.record} /></section>`}
    ${change.kind === "DELETE" && html`<section><h3>What it was</h3><${Tree} value=${change.old_record || {}} /></section>`}<//>`;
}
